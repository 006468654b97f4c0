"""LitBank: openings of English novels with mentions, chains, events and quotations; and how they are scored.

- Entities: exact span and category. Names, nouns and pronouns (as BookNLP counts), or without pronouns.
- Coreference: the mean F1 of MUC, B³ and CEAF-e over all books, singletons included.
- Events: words. Speakers: the share of quotations whose speaker's chain is right.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vidence.bench.chains import Pair, Span, coreference_f1
from vidence.bench.shared import load_set_file
from vidence.knowledge.coreference import PRONOUNS, Cluster, DescribedMention, Network, describe
from vidence.knowledge.names_en import TITLE_WORDS
from vidence.knowledge.reading import people_models, tell_apart
from vidence.knowledge.speakers_en import attribute
from vidence.models.text.tagger import KINDS, Sentence, StoryTagger, TaggedMention

__all__ = [
    "HELD_OUT",
    "Book",
    "Scores",
    "chain_of",
    "f1",
    "floor",
    "gold_clusters",
    "load_books",
    "marked_mentions",
    "renamed",
    "score",
    "score_people",
]

HELD_OUT = 5
"""Every fifth book, the first among them, was left out when the shipped weights were fitted."""
_MENTION = re.compile(rf"(?:PROP|NOM|PRON)_({'|'.join(KINDS)})")
_SYLLABLES = (
    "bel",
    "cor",
    "dal",
    "fen",
    "gar",
    "hol",
    "jas",
    "kel",
    "lum",
    "mor",
    "nel",
    "pod",
    "rus",
    "sel",
    "tov",
)


@dataclass(frozen=True)
class Book:
    """One opening; words are numbered over all its sentences."""

    name: str
    words: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    entities: frozenset[tuple[int, int, str]]
    """Without pronouns, from the layer of entities."""
    mentions: dict[Span, str]
    """Names, nouns and pronouns by category."""
    chains: dict[Span, str]
    events: frozenset[int]
    quotes: tuple[Span, ...]
    speakers: tuple[str, ...]


def load_books(folder: Path) -> list[Book]:
    """Return the books in the order of the file."""
    return [_book(row) for row in load_set_file("litbank", folder / "story")]


def _book(row: dict[str, Any]) -> Book:
    sentences: list[Sentence] = []
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    words: list[str] = []
    at = 0
    for line in row["text"].split("\n"):
        found = list(re.finditer(r"\S+", line))
        for one in found:
            starts[at + one.start()], ends[at + one.end()] = len(words), len(words) + 1
            words.append(one[0])
        if found:
            spans = tuple((at + one.start(), at + one.end()) for one in found)
            sentences.append(Sentence(tuple(one[0] for one in found), spans))
        at += len(line) + 1
    labels = [
        (starts[start], ends[end], label)
        for start, end, label in _labels(row["coref"])
        if start in starts and end in ends
    ]
    entities = _labels(row["entities"])
    told = [line.split("\t") for line in row["events"].split("\n") if line.strip()]
    quotes, speakers = _quotations(row["quotations"], sentences)
    return Book(
        name=row["book"],
        words=tuple(words),
        sentences=tuple(sentences),
        entities=frozenset(
            (starts[start], ends[end], label)
            for start, end, label in entities
            if start in starts and end in ends
        ),
        mentions={
            (start, end): kind[1] for start, end, label in labels if (kind := _MENTION.fullmatch(label))
        },
        chains={(start, end): label for start, end, label in labels if not _MENTION.fullmatch(label)},
        events=frozenset(number for number, line in enumerate(told) if line[1:] == ["EVENT"]),
        quotes=quotes,
        speakers=speakers,
    )


def _labels(brat: str) -> list[tuple[int, int, str]]:
    """Return start, end and label of the text-bound rows of a brat file."""
    rows = [line.split("\t")[1].split(" ") for line in brat.splitlines() if line.startswith("T")]
    return [(int(start), int(end), label) for label, start, end in rows]


def _quotations(table: str, sentences: Sequence[Sentence]) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    first = np.cumsum([0, *(len(one.words) for one in sentences)])
    places: dict[str, Span] = {}
    said: dict[str, str] = {}
    for line in table.splitlines():
        cells = line.split("\t")
        if cells[0] == "QUOTE":
            a, b, c, d = (int(cell) for cell in cells[2:6])
            places[cells[1]] = (int(first[a]) + b, int(first[c]) + d + 1)
        elif cells[0] == "ATTRIB":
            said[cells[1]] = cells[2]
    known = sorted((place, said[key]) for key, place in places.items() if key in said)
    return tuple(place for place, _ in known), tuple(who for _, who in known)


@dataclass
class Scores:
    """Counts over books: right, found, there."""

    rows: dict[str, Counter[str]]
    chains: list[Pair]
    given_chains: list[Pair]

    @classmethod
    def empty(cls) -> Scores:
        """Return scores of nothing."""
        return cls(defaultdict(Counter), [], [])

    def add(self, kind: str, found: Iterable[Hashable], there: Iterable[Hashable]) -> None:
        """Count what was found against what is there."""
        one, other = set(found), set(there)
        self.rows[kind].update(right=len(one & other), found=len(one), there=len(other))

    def f1(self, kind: str) -> float:
        """Return the F1 over all books."""
        row = self.rows[kind]
        return f1(row["right"], row["found"], row["there"])

    def people(self) -> str:
        """Return coreference and speakers with given mentions, in words."""
        own, given = self.share("given_speakers"), self.share("given_people")
        value = coreference_f1(self.given_chains)
        return f"coreference {value:.4f}, speakers {own:.4f}, with chains given {given:.4f}"

    def share(self, kind: str) -> float:
        """Return the share of what is there that was right."""
        return self.rows[kind]["right"] / max(1, self.rows[kind]["there"])


def score(
    books: Iterable[Book], tagger: StoryTagger, models: tuple[Network, Network] | None = None
) -> Scores:
    """Return what the models find in books against what people marked."""
    scores = Scores.empty()
    for book in books:
        tagged = tagger.tag(book.sentences)
        found = {(one.start, one.end, one.kind) for one in tagged.mentions}
        full = {one for one in found if not _is_pronoun(book, one[:2])}
        scores.add("entities", found, {(*span, kind) for span, kind in book.mentions.items()})
        scores.add(
            "nouns",
            full,
            {(*span, kind) for span, kind in book.mentions.items() if not _is_pronoun(book, span)},
        )
        scores.add("layer", full, book.entities)
        scores.add("events", tagged.events, book.events)
        score_people(scores, book, tagged.mentions, models)
        score_people(scores, book, None, models)
    return scores


def score_people(
    scores: Scores,
    book: Book,
    mentions: Sequence[TaggedMention] | None,
    models: tuple[Network, Network] | None = None,
) -> None:
    """Count who is meant and who speaks in a book; without mentions those that people marked are given."""
    pairs = scores.given_chains if mentions is None else scores.chains
    coreference, speech = models or people_models()
    described = marked_mentions(book) if mentions is None else describe(book.sentences, mentions, book.quotes)
    clusters, speakers = tell_apart(described, book.words, book.quotes, coreference, speech)
    pairs.append((_spans(clusters), _gold(book)))
    right = [
        number
        for number, (who, speaker) in enumerate(zip(book.speakers, speakers, strict=True))
        if speaker is not None and chain_of(book, clusters[speaker]) == who
    ]
    scores.add("given_speakers" if mentions is None else "speakers", right, range(len(book.quotes)))
    if mentions is None:
        chains = gold_clusters(book)
        told = attribute(book.words, book.quotes, list(chains.values()), speech)
        names = [*chains, None]
        same = [
            number
            for number, (who, speaker) in enumerate(zip(book.speakers, told, strict=True))
            if names[-1 if speaker is None else speaker] == who
        ]
        scores.add("given_people", same, range(len(book.quotes)))


def marked_mentions(book: Book) -> list[DescribedMention]:
    """Return the mentions that people marked and that belong to a chain."""
    given = [TaggedMention(*span, book.mentions[span]) for span in book.chains if span in book.mentions]
    return describe(book.sentences, given, book.quotes)


def gold_clusters(book: Book) -> dict[str, Cluster]:
    """Return the chains that people made."""
    chains: dict[str, Cluster] = {}
    for one in marked_mentions(book):
        chains.setdefault(book.chains[one.start, one.end], Cluster()).add(one)
    return chains


def _is_pronoun(book: Book, span: Span) -> bool:
    return span[1] == span[0] + 1 and book.words[span[0]].lower() in PRONOUNS


def _spans(clusters: Sequence[Cluster]) -> list[list[Span]]:
    return [[(one.start, one.end) for one in cluster.members] for cluster in clusters]


def _gold(book: Book) -> list[list[Span]]:
    chains: dict[str, list[Span]] = defaultdict(list)
    for span, chain in book.chains.items():
        chains[chain].append(span)
    return list(chains.values())


def chain_of(book: Book, cluster: Cluster) -> str | None:
    """Return the chain that most mentions of a cluster belong to."""
    rows = Counter(book.chains.get((one.start, one.end)) for one in cluster.members)
    rows.pop(None, None)
    return rows.most_common(1)[0][0] if rows else None


def f1(right: float, found: float, there: float) -> float:
    """Return the harmonic mean of precision and recall."""
    return 2 * right / max(1e-9, found + there)


def renamed(book: Book) -> Book:
    """Return a book whose people all have invented names, the same one at each place; titles stay."""
    words: dict[str, str] = {}
    for (start, end), kind in sorted(book.mentions.items()):
        for word in book.words[start:end]:
            if kind == "PER" and word[0].isupper() and word[1:].islower() and word not in TITLE_WORDS:
                words.setdefault(word, _invented(len(words)))
    plain = {word for word in book.words if word.islower()}
    words = {word: name for word, name in words.items() if word.lower() not in plain}
    sentences = tuple(
        Sentence(tuple(words.get(word, word) for word in one.words), one.spans) for one in book.sentences
    )
    return replace(book, sentences=sentences, words=tuple(word for one in sentences for word in one.words))


def _invented(number: int) -> str:
    first, second = divmod(number, len(_SYLLABLES))
    return f"{_SYLLABLES[second]}{_SYLLABLES[(first * 7 + second * 3 + 1) % len(_SYLLABLES)]}rin".capitalize()


def floor(books: Iterable[Book]) -> Scores:
    """Return what plain rules find: capitals and pronouns, same words, -ed, the nearest person."""
    scores = Scores.empty()
    for book in books:
        personal = PRONOUNS - {"it", "that", "this", "which"}
        pronouns = {(at, at + 1, "PER") for at, word in enumerate(book.words) if word.lower() in personal}
        names = set(_capitals(book))
        scores.add("entities", names | pronouns, {(*span, kind) for span, kind in book.mentions.items()})
        scores.add(
            "nouns",
            names,
            {(*span, kind) for span, kind in book.mentions.items() if not _is_pronoun(book, span)},
        )
        scores.add("layer", names, book.entities)
        scores.add("events", (at for at, word in enumerate(book.words) if word.endswith("ed")), book.events)
        same: dict[str, list[Span]] = defaultdict(list)
        for start, end in book.chains:
            same[" ".join(book.words[start:end]).lower()].append((start, end))
        scores.given_chains.append((list(same.values()), _gold(book)))
        nearest = [number for number, right in enumerate(_nearest(book)) if right]
        scores.add("given_speakers", nearest, range(len(book.quotes)))
    return scores


def _capitals(book: Book) -> Iterator[tuple[int, int, str]]:
    """Yield runs of capitalised words inside sentences."""
    first = 0
    for one in book.sentences:
        at = 1
        while at < len(one.words):
            end = at
            while end < len(one.words) and one.words[end][0].isupper() and one.words[end] != "I":
                end += 1
            if end > at:
                yield first + at, first + end, "PER"
            at = end + 1
        first += len(one.words)


def _nearest(book: Book) -> Iterator[bool]:
    """Yield for each quotation whether the nearest person outside of speech says it."""
    quoted = {at for start, end in book.quotes for at in range(start, end)}
    people = sorted(
        span
        for span, kind in book.mentions.items()
        if kind == "PER" and span in book.chains and span[0] not in quoted
    )
    for (start, end), who in zip(book.quotes, book.speakers, strict=True):
        near = min(
            people, key=lambda span: span[0] - end if span[0] >= end else start - span[0], default=None
        )
        yield near is not None and book.chains[near] == who
