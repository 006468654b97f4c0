"""Who says an English quotation: every person around it is a candidate, a small network ranks them.

Quotations are read in order, so that turns count: whoever spoke last but one is likely to speak again. The
weights are fitted on LitBank (`training/story/people.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from vidence.knowledge.coreference import Cluster, DescribedMention, Network
from vidence.language.tables import words_of

__all__ = ["SPEAKER_FEATURES", "attribute", "speaker_features"]

SPEAKER_FEATURES = 36
_SAY = frozenset(words_of("names.tsv", "say_en", room="knowledge"))
_AFTER, _BEFORE = 14, 24
_REACH_BACK, _REACH_ON = 220, 30
_STOP = frozenset(".!?;")
Quotation = tuple[int, int]
Turn = tuple[Quotation, int]
"""A quotation and the number of the cluster that says it."""


def attribute(
    words: Sequence[str], quotes: Sequence[Quotation], clusters: Sequence[Cluster], network: Network
) -> list[int | None]:
    """Return the number of the cluster that says each quotation; None where nobody is around."""
    said: list[int | None] = []
    turns: list[Turn] = []
    for at, quote in enumerate(quotes):
        rows = speaker_features(words, quotes, at, clusters, turns)
        if not rows:
            said.append(None)
            continue
        scores = network.score(np.array(list(rows.values()), np.float32))
        best = list(rows)[int(np.argmax(scores))]
        said.append(best)
        turns.append((quote, best))
    return said


def speaker_features(
    words: Sequence[str],
    quotes: Sequence[Quotation],
    at: int,
    clusters: Sequence[Cluster],
    turns: Sequence[Turn],
) -> dict[int, list[float]]:
    """Return the features of every person around a quotation, by the number of the cluster.

    Args:
        words: the words of the text.
        quotes: where each quotation stands, in order.
        at: which quotation it is.
        clusters: people and things, mentions in order.
        turns: the quotations before this one with their speakers.
    """
    scene = _Scene(words, quotes, at, turns)
    around = [(number, scene.near(cluster)) for number, cluster in enumerate(clusters)]
    near = {number: mentions for number, mentions in around if mentions}
    after, before = scene.first_after(near), scene.last_before(near)
    return {
        number: scene.features(number, mentions, clusters[number], number == after, number == before)
        for number, mentions in near.items()
    }


class _Scene:
    """The words around one quotation."""

    def __init__(
        self, words: Sequence[str], quotes: Sequence[Quotation], at: int, turns: Sequence[Turn]
    ) -> None:
        self._words, self._turns = words, turns
        self.start, self.end = quotes[at]
        self._previous = quotes[at - 1][1] if at else 0
        self._next = quotes[at + 1][0] if at + 1 < len(quotes) else len(words)
        self._after = range(self.end, min(self._next, self.end + _AFTER))
        self._before = range(max(self._previous, self.start - _BEFORE), self.start)
        self._clause = self._until_stop()

    def near(self, cluster: Cluster) -> list[DescribedMention]:
        """Return the mentions of a person around the quotation; none of a thing or of several people."""
        found = [
            one
            for one in cluster.members
            if self.start - _REACH_BACK <= one.start < self.end + _REACH_ON and one.kind == "PER"
        ]
        return found if any(not one.plural for one in found) else []

    def first_after(self, near: dict[int, list[DescribedMention]]) -> int | None:
        places = [
            (one.start, number) for number, rows in near.items() for one in rows if one.start in self._after
        ]
        return min(places)[1] if places else None

    def last_before(self, near: dict[int, list[DescribedMention]]) -> int | None:
        places = [
            (one.start, number) for number, rows in near.items() for one in rows if one.start in self._before
        ]
        return max(places)[1] if places else None

    def features(
        self,
        who: int,
        mentions: Sequence[DescribedMention],
        cluster: Cluster,
        is_after: bool,
        is_before: bool,
    ) -> list[float]:
        """Return the features of one person."""
        after = [one for one in mentions if one.start in self._after]
        before = [one for one in mentions if one.start in self._before]
        inside = [one for one in mentions if self.start <= one.start < self.end]
        earlier = [one for one in mentions if one.start < self.start and one.quote < 0]
        told = [one for one in mentions if one.quote < 0]
        last = [speaker for _, speaker in self._turns[-3:]]
        gap = self.start - self._previous
        leads = self.start > 0 and self._words[self.start - 1] in (",", ":")
        said_after = any(self._says(one) and one.start <= self._clause for one in after)
        said_before = any(self._says(one) for one in before)
        spoke = [last[-1] == who if last else False, last[-2] == who if len(last) > 1 else False]
        named = any(one.form == "name" for one in told)
        direct = bool(after) and after[0].start <= self.end + 2 and self._says(after[0])
        return [float(value) for value in (
            is_after, is_before, bool(after), bool(before), said_after, said_before,
            is_after and said_after, is_before and said_before,
            bool(after) and after[0].start <= self._clause, bool(after) and after[0].first,
            bool(before) and before[0].first, is_before and leads, said_before and leads,
            1 / (1 + self.start - earlier[-1].start) if earlier else 0.0,
            math.log1p(self.start - earlier[-1].start) / 5 if earlier else 1.2,
            *spoke, spoke[0] and gap <= 1, spoke[1] and gap <= 1, spoke[0] and 1 < gap <= _AFTER,
            spoke[1] and 1 < gap <= _AFTER, spoke[0] and gap > _AFTER, spoke[1] and gap > _AFTER,
            spoke[0] and self._goes_on(),
            any(one.person == 3 and one.form == "pronoun" for one in inside),
            any(one.form == "name" for one in inside),
            any(one.person == 1 for one in told), math.log1p(len(told)), named,
            any(one.form == "noun" for one in told), math.log1p(len(cluster.members)),
            direct, direct and any(one.form == "name" for one in after[:1]), self._named_before(cluster),
            self._named_before(cluster) and gap <= 1, any(one.person == 2 for one in inside),
        )]  # fmt: skip

    def _named_before(self, cluster: Cluster) -> bool:
        """Say whether the quotation before names somebody, who is then likely to answer."""
        if not self._turns:
            return False
        start, end = self._turns[-1][0]
        return any(start <= one.start < end and one.form == "name" for one in cluster.members)

    def _until_stop(self) -> int:
        """Return where the clause after the quotation ends."""
        return next((at for at in self._after if self._words[at] in _STOP), self.end + _AFTER)

    def _says(self, one: DescribedMention) -> bool:
        """Say whether a verb of saying stands next to a mention: said Anne; Anne, who asked."""
        around = (
            self._words[max(self._previous, one.start - 2) : one.start],
            self._words[one.end : one.end + 4],
        )
        return any(word.lower() in _SAY for part in around for word in part)

    def _goes_on(self) -> bool:
        """Say whether the sentence before was cut by "said he" and goes on."""
        between = self._words[self._previous : self.start]
        return 0 < len(between) <= _AFTER and not _STOP & set(between[:-1])
