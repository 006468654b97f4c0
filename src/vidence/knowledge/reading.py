"""An English chapter as our models read it: who is mentioned, who says what, which words tell events."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vidence.knowledge.chapters import paragraphs, sentence_spans
from vidence.knowledge.coreference import Cluster, DescribedMention, Network, describe, link
from vidence.knowledge.mentions import Mention
from vidence.knowledge.names_en import plain_name
from vidence.knowledge.speakers_en import attribute
from vidence.models.packed import read_packed, shipped_bytes
from vidence.models.text.tagger import Sentence, StoryTagger, Tagged

__all__ = ["Reading", "people_models", "read_english", "split_words", "tell_apart"]

PEOPLE, PEOPLE_SHA256 = "people-1.npz", "61242f511b9f62501b56cd06ed676ac7f115905314dee1a820ae99a11c38665f"
_WORD = re.compile(
    r"(?:Mr|Mrs|Ms|Dr|St|Messrs|Capt|Col|Gen|Rev|Esq|Hon|Prof|Jr|Sr)\.|(?:[A-Z]\.)+"
    r"|\w+?(?=n['’]t\b)|n['’]t\b|\w+(?:-\w+)*|['’](?:s|m|d|re|ve|ll)\b|--+|\.\.\.+|[“”\"‘’'`]|[^\w\s]"
)
_LONGEST = 200
"""Words of a sentence that are read at once: every pair of them is scored."""
_PLACES = frozenset(("FAC", "GPE", "LOC"))


@dataclass(frozen=True)
class Reading:
    """What the models found in a chapter; words are numbered over all sentences."""

    text: str
    sentences: tuple[Sentence, ...]
    tagged: Tagged
    clusters: tuple[Cluster, ...]
    quotes: tuple[tuple[int, int], ...]
    """Words of each quotation."""
    speakers: tuple[int | None, ...]
    """The cluster that says each quotation."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters of some words."""
        spans = self._spans
        return spans[start][0], spans[end - 1][1]

    @property
    def _spans(self) -> list[tuple[int, int]]:
        return [span for one in self.sentences for span in one.spans]

    def names(self, known: Container[str]) -> list[str | None]:
        """Return the name of each cluster, the one most used of those that are known; None without one."""
        spans = self._spans
        found: list[str | None] = []
        for cluster in self.clusters:
            texts = (
                plain_name(self.text[spans[one.start][0] : spans[one.end - 1][1]])
                for one in cluster.members
                if one.form == "name"
            )
            rows = Counter(text for text in texts if text in known)
            found.append(max(rows, key=lambda name: (rows[name], len(name), name)) if rows else None)
        return found

    def mentions(self, known: Container[str]) -> list[Mention]:
        """Return the pronouns and nouns that mean somebody whose name is known."""
        spans = self._spans
        return sorted(
            Mention(spans[one.start][0], spans[one.end - 1][1], name)
            for cluster, name in zip(self.clusters, self.names(known), strict=True)
            if name is not None
            for one in cluster.members
            if one.form != "name"
        )

    def places(self) -> list[tuple[int, int]]:
        """Return the characters of every place that is mentioned."""
        return [self.span(one.start, one.end) for one in self.tagged.mentions if one.kind in _PLACES]

    def events(self) -> list[tuple[int, int]]:
        """Return the characters of every word that tells an event."""
        spans = self._spans
        return [spans[at] for at in self.tagged.events]


def read_english(text: str, tagger: StoryTagger, quotations: Sequence[tuple[int, int]]) -> Reading:
    """Read a chapter; quotations are given by their characters."""
    sentences = split_words(text)
    tagged = tagger.tag(sentences)
    quotes = _in_words(sentences, quotations)
    words = [word for one in sentences for word in one.words]
    coreference, speech = people_models()
    clusters, speakers = tell_apart(
        describe(sentences, tagged.mentions, quotes), words, quotes, coreference, speech
    )
    return Reading(text, tuple(sentences), tagged, tuple(clusters), tuple(quotes), tuple(speakers))


def tell_apart(
    mentions: Sequence[DescribedMention],
    words: Sequence[str],
    quotes: Sequence[tuple[int, int]],
    coreference: Network,
    speech: Network,
) -> tuple[list[Cluster], list[int | None]]:
    """Return who is meant and who says each quotation.

    "I" and "you" in speech are left out at first; when the speakers are known they are the speaker's and the
    hearer's.
    """
    later = [one for one in mentions if one.quote >= 0 and one.person < 3]
    clusters = link([one for one in mentions if one.quote < 0 or one.person == 3], coreference)
    speakers = attribute(words, quotes, clusters, speech)
    for one in later:
        owner = speakers[one.quote] if one.person == 1 else _hearer(speakers, one.quote)
        if owner is None or one.plural:
            owner = len(clusters)
            clusters.append(Cluster())
        clusters[owner].add(one)
    return clusters, speakers


def _hearer(speakers: Sequence[int | None], quote: int) -> int | None:
    """Return who is spoken to: whoever else speaks next to this quotation."""
    for step in (-1, 1, -2, 2):
        if 0 <= quote + step < len(speakers) and speakers[quote + step] not in (None, speakers[quote]):
            return speakers[quote + step]
    return None


def split_words(text: str) -> list[Sentence]:
    """Return the sentences of a text as words, with possessives and contractions apart."""
    found = []
    for first, last in paragraphs(text):
        for start, end in sentence_spans(text, first, last):
            words = list(_WORD.finditer(text, start, end))
            for at in range(0, len(words), _LONGEST):
                part = words[at : at + _LONGEST]
                found.append(Sentence(tuple(one[0] for one in part), tuple(one.span() for one in part)))
    return found


@lru_cache(maxsize=1)
def people_models() -> tuple[Network, Network]:
    """Return the networks for coreference and for speakers."""
    _, arrays = read_packed(shipped_bytes(PEOPLE, PEOPLE_SHA256))
    coreference, speech = (
        Network((arrays[f"{kind}.first"], arrays[f"{kind}.bias"], arrays[f"{kind}.last"]))
        for kind in ("coreference", "speech")
    )
    return coreference, speech


def _in_words(sentences: Sequence[Sentence], quotations: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    spans = [span for one in sentences for span in one.spans]
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    return [(bisect_left(starts, start), bisect_right(ends, end)) for start, end in quotations]
