"""Who is meant: mentions of an English text joined into people, each to the best cluster so far.

A mention is a name ("Mr. Darcy"), a common noun ("the old man") or a pronoun. Each is scored against every
cluster by a small network over features (words shared, gender, number, distance, speech), and against being
somebody new. The weights are fitted on LitBank (`training/story/people.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from vidence.language.tables import words_of
from vidence.models.text.tagger import Sentence, TaggedMention
from vidence.schema.perception import FloatArray

__all__ = [
    "FEATURES",
    "PRONOUNS",
    "Cluster",
    "DescribedMention",
    "Network",
    "candidates",
    "cluster_features",
    "describe",
    "link",
]


def _words(*kinds: str) -> frozenset[str]:
    return frozenset(word.lower() for word in words_of("names.tsv", *kinds, room="knowledge"))


_FIRST, _SECOND, _HE, _SHE = (_words(f"pronoun_{kind}") for kind in ("first", "second", "he", "she"))
_IT, _THEY, _WE, _WHO = (_words(f"pronoun_{kind}") for kind in ("it", "they", "we", "who"))
PRONOUNS = _FIRST | _SECOND | _HE | _SHE | _IT | _THEY | _WHO
_DETERMINERS, _INDEFINITE = _words("determiner"), _words("indefinite")
_CUT = _words("after_head") | {",", "--", "("}
"""What ends the part of a noun phrase that ends with its head: the man | who, the house | of."""
_NEAR = 80
"""Clusters that are looked at: those named among the last so many mentions, and those that share words."""


@lru_cache(maxsize=1)
def _genders() -> tuple[frozenset[str], frozenset[str]]:
    return _words("title_male", "male", "noun_male"), _words("title_female", "female", "noun_female")


@dataclass(frozen=True)
class DescribedMention:
    """A mention with what its words say."""

    number: int
    start: int
    end: int
    sentence: int
    kind: str
    """PER, FAC, GPE, LOC, VEH or ORG."""
    form: str
    """`name`, `noun` or `pronoun`."""
    words: tuple[str, ...]
    """Lower-case words without determiners."""
    head: str
    gender: str
    plural: bool
    person: int
    quote: int
    """Number of the quotation it stands in; -1 outside of speech."""
    definite: bool
    first: bool
    """Whether it is the first mention of its sentence."""


def describe(
    sentences: Sequence[Sentence], mentions: Sequence[TaggedMention], quotes: Sequence[tuple[int, int]]
) -> list[DescribedMention]:
    """Return what the words of each mention say; mentions are in order of their start, longer first."""
    tokens = [word for one in sentences for word in one.words]
    sentence_of = [number for number, one in enumerate(sentences) for _ in one.words]
    quote_of = [-1] * len(tokens)
    for number, (start, end) in enumerate(quotes):
        for at in range(start, min(end, len(tokens))):
            quote_of[at] = number
    found: list[DescribedMention] = []
    last = -1
    for number, one in enumerate(sorted(mentions, key=lambda one: (one.start, -one.end))):
        words = tokens[one.start : one.end]
        first = sentence_of[one.start] != last
        last = sentence_of[one.start]
        found.append(_described(number, one, words, last, quote_of[one.start], first))
    return found


def _described(
    number: int, one: TaggedMention, words: Sequence[str], sentence: int, quote: int, first: bool
) -> DescribedMention:
    lower = [word.lower() for word in words]
    form = _form(words, lower)
    core = next((at for at, word in enumerate(lower) if at and word in _CUT), len(lower))
    head = lower[core - 1] if lower[core - 1] not in ("'s", "’s") or core < 2 else lower[core - 2]
    content = tuple(word for word in lower[:core] if word not in _DETERMINERS and word[0].isalnum())
    person = 1 if lower[0] in _FIRST else 2 if lower[0] in _SECOND else 3
    plural = (
        lower[0] in _THEY | _WE if form == "pronoun" else _is_plural(lower[:core], head, form, "and" in lower)
    )
    definite = lower[0] not in _INDEFINITE and (form != "noun" or lower[0] in _DETERMINERS)
    return DescribedMention(
        number, one.start, one.end, sentence, one.kind, form, content or (head,), head,
        _gender(lower, head, form), plural, person if form == "pronoun" else 3, quote, definite, first,
    )  # fmt: skip


def _form(words: Sequence[str], lower: Sequence[str]) -> str:
    if len(words) == 1 and lower[0] in PRONOUNS:
        return "pronoun"
    core = next((at for at, word in enumerate(lower) if at and word in _CUT), len(words))
    return "name" if words[core - 1][0].isupper() or (words[0][0].isupper() and core == 1) else "noun"


def _is_plural(words: Sequence[str], head: str, form: str, joined: bool) -> bool:
    if form == "name":
        return words[0] == "the" and head.endswith("s")
    irregular = head in ("men", "women", "children", "people", "gentlemen", "folk", "folks")
    return joined or irregular or (head.endswith("s") and not head.endswith("ss"))


def _gender(lower: Sequence[str], head: str, form: str) -> str:
    if form == "pronoun":
        return (
            "male"
            if lower[0] in _HE
            else "female"
            if lower[0] in _SHE
            else "thing"
            if lower[0] in _IT
            else ""
        )
    men, women = _genders()
    for word in (head, *lower):
        if word in men:
            return "male"
        if word in women:
            return "female"
    return ""


@dataclass
class Cluster:
    """Mentions that are one person or thing."""

    members: list[DescribedMention] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    heads: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    strings: set[tuple[str, ...]] = field(default_factory=set)
    male: int = 0
    female: int = 0
    narrates: bool = False
    """Whether an "I" outside of speech is one of them."""

    def add(self, one: DescribedMention) -> None:
        """Take a mention in."""
        self.members.append(one)
        self.narrates |= one.person == 1 and one.quote < 0
        self.male += one.gender == "male"
        self.female += one.gender == "female"
        if one.form != "pronoun":
            self.heads.add(one.head)
            self.words |= set(one.words)
            self.strings.add(one.words)
            if one.form == "name":
                self.names |= set(one.words)

    @property
    def gender(self) -> str:
        if self.male == self.female:
            return ""
        return "male" if self.male > self.female else "female"


FEATURES = 47


def cluster_features(one: DescribedMention, cluster: Cluster | None, total: int) -> list[float]:
    """Return the features of joining a mention to a cluster; None is somebody new."""
    form = [one.form == "name", one.form == "noun", one.form == "pronoun"]
    own = [
        *form, one.kind == "PER", one.person == 1, one.person == 2, one.plural, one.quote >= 0, one.definite,
        bool(one.gender), one.first, one.head in _WHO,
    ]  # fmt: skip
    if cluster is None:
        return [float(value) for value in (1.0, *own, *[0.0] * (FEATURES - 13))]
    last = cluster.members[-1]
    named = next((each for each in reversed(cluster.members) if each.form != "pronoun"), None)
    words, shared = set(one.words), set(one.words) & cluster.words
    clash = bool(one.gender and cluster.gender) and one.gender != cluster.gender
    kinds = {each.kind for each in cluster.members[-5:]}
    same = [each for each in cluster.members[-6:] if each.form == "pronoun" and each.words == one.words]
    quotes = {each.quote for each in cluster.members[-12:] if each.person == one.person}
    both = [
        one.form == "pronoun" and last.form == "pronoun",
        one.form != "pronoun" and one.words in cluster.strings,
        one.form != "pronoun" and one.head in cluster.heads,
        one.form != "pronoun" and len(shared) / len(words),
        one.form == "name" and bool(words & cluster.names),
        one.form == "name" and bool(cluster.names) and not words & cluster.names,
        one.form == "name" and bool(cluster.names) and words < cluster.names,
        one.form == "noun" and bool(cluster.names) and not shared,
        clash,
        one.gender in ("male", "female") and one.gender == cluster.gender,
        one.gender == "thing" and "PER" in kinds,
        one.kind in kinds,
        one.plural == last.plural,
        one.plural == (named.plural if named else last.plural),
        math.log1p(one.sentence - last.sentence),
        one.sentence == last.sentence,
        one.sentence - last.sentence == 1,
        math.log1p(one.number - last.number),
        one.number - last.number == 1,
        math.log1p(one.sentence - named.sentence) if named else 4.0,
        math.log1p(len(cluster.members)),
        len(cluster.members) / max(1, total),
        last.first,
        named is not None and named.form == "name",
        bool(same),
        one.person < 3 and last.person == one.person,
        one.person == 1 and one.quote < 0 and cluster.narrates,
        one.person < 3 and one.quote >= 0 and one.quote in quotes,
        one.person == 3 and last.person < 3,
        one.quote == last.quote,
        last.end > one.start,
        one.head in _WHO and last.end <= one.start <= last.end + 2,
        one.form == "noun" and not one.definite,
        one.form == "pronoun" and named is None,
    ]  # fmt: skip
    return [float(value) for value in (0.0, *own, *both)]


def candidates(one: DescribedMention, clusters: Sequence[Cluster]) -> list[int]:
    """Return the clusters that a mention may join."""
    found = []
    for number, cluster in enumerate(clusters):
        near = one.number - cluster.members[-1].number <= _NEAR
        if near or (one.form != "pronoun" and set(one.words) & cluster.words):
            found.append(number)
    return found


class Network(tuple[FloatArray, ...]):
    """The weights of one hidden layer: in, its bias, out."""

    def score(self, rows: FloatArray) -> FloatArray:
        """Return one number a row."""
        first, bias, last = self
        return np.asarray(np.maximum(rows @ first + bias, 0) @ last, np.float32)


def link(mentions: Iterable[DescribedMention], network: Network) -> list[Cluster]:
    """Return the clusters, in order of their first mention."""
    clusters: list[Cluster] = []
    for seen, one in enumerate(mentions):
        options = candidates(one, clusters)
        rows = [cluster_features(one, clusters[number], seen) for number in options]
        scores = network.score(np.array([*rows, cluster_features(one, None, seen)], np.float32))
        best = int(np.argmax(scores))
        if best == len(options):
            clusters.append(Cluster())
        (clusters[options[best]] if best < len(options) else clusters[-1]).add(one)
    return clusters
