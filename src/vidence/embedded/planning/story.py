"""Read a story in plain words into events: who came and went, moved, saw and said what."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from vidence.language.identify import HAN, has_han
from vidence.language.tables import read_table
from vidence.language.tokens import sentences
from vidence.schema.beliefs import EventKind, StoryEvent

__all__ = ["expand_parts", "plain_noun", "read_story"]

_PERSON = re.compile(r"^(?:he|she|they|him|her|them|他|她|他们|她们)$", re.IGNORECASE)
_IT = re.compile(r"^(?:it|them|this|that|它|它们|这个|那个|东西)$", re.IGNORECASE)
_ARTICLES = (
    re.compile(r"^(?:the|a|an|her|his|their|some|this|that|my|its)\s+", re.IGNORECASE),
    re.compile(r"^(?:那|这|一)[个只颗张本块支把件]|^(?:他|她|自己|它)的|^的"),
)


def read_story(text: str) -> tuple[StoryEvent, ...]:
    """Return the events of a story, in order; sentences without one are left out."""
    reader = _StoryReader()
    for line in text.splitlines():
        for sentence in sentences(re.sub(r"^\s*\d+[.)、]?\s+", "", line)):
            grammar = _grammar("zh" if has_han(sentence) else "en")
            for clause in grammar.clauses(sentence):
                told = grammar.read(clause)
                if told is not None:
                    reader.add(told, clause)
    return tuple(reader.events)


def plain_noun(text: str | None) -> str | None:
    """Return a noun phrase without its article or measure word."""
    if not text or not text.strip():
        return None
    noun = text.strip()
    for article in _ARTICLES:
        noun = article.sub("", noun)
    return noun


def expand_parts(rows: list[list[str]]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the parts of a pattern table (names in capitals) and its other rows, with parts filled in."""
    parts, patterns = {"HAN": HAN}, []
    for name, pattern in rows:
        whole = re.sub(r"<([A-Z]+)>", lambda found: parts[found[1]], pattern)
        if name.isupper():
            parts[name] = whole
        else:
            patterns.append((name, whole))
    return parts, patterns


@dataclass(frozen=True)
class _StoryClause:
    """Who did what to what, in the clause's own words, before pronouns are resolved."""

    kind: EventKind
    actors: tuple[str, ...] = ()
    """Empty when the clause goes on with the actors of the one before."""
    thing: str | None = None
    place: str | None = None
    hearers: tuple[str, ...] = ()
    is_secret: bool = False
    hidden_from: tuple[str, ...] = ()


class _Grammar:
    """Reads the clauses of English stories."""

    language, edges = "en", " "

    def __init__(self) -> None:
        rows = [row[1:] for row in read_table("story.tsv", "embedded") if row[0] == self.language]
        parts, patterns = expand_parts(rows)
        self._name, self._secret, self._lead, self._split, self._whole = (
            re.compile(parts[name]) for name in ("NAME", "SECRET", "LEAD", "SPLIT", "WHOLE")
        )
        self._patterns = [(kind, re.compile(pattern)) for kind, pattern in patterns]

    def clauses(self, sentence: str) -> list[str]:
        """Return the clauses of a sentence; quoted and reported speech stays in one piece."""
        text = sentence.strip(self.edges)
        if self._whole.search(text):
            return [text.strip()]
        return [part.strip() for part in self._split.split(text) if part.strip()]

    def read(self, clause: str) -> _StoryClause | None:
        """Return what a clause tells; None when it tells nothing of people and places."""
        secret = self._secret.search(clause)
        text = self._plain(self._secret.sub("", clause))
        for kind, pattern in self._patterns:
            match = pattern.match(text)
            if match is None:
                continue
            told = match.groupdict()
            if kind == "state" and self._name.fullmatch(told.get("thing") or ""):
                return _StoryClause("enter", self._people(told["thing"]), place=plain_noun(told["place"]))
            return _StoryClause(
                kind="other" if kind == "hold" else kind,  # type: ignore[arg-type]
                actors=self._people(told.get("who")),
                thing=self._thing(told),
                place=None if kind == "hold" else plain_noun(told.get("place")),
                hearers=(re.sub("^[Tt]he ", "", told["hearer"]),) if told.get("hearer") else (),
                is_secret=secret is not None,
                hidden_from=tuple(filter(self._is_name, secret.groups())) if secret else (),
            )
        return None

    def _plain(self, text: str) -> str:
        """Return a clause without the words that only lead over to it."""
        return self._lead.sub("", " ".join(text.split())).strip(" ,")

    def _thing(self, told: dict[str, str | None]) -> str | None:
        return plain_noun(told.get("thing") or told.get("thing2") or told.get("words"))

    def _people(self, text: str | None) -> tuple[str, ...]:
        found = re.split(r", and |, | and ", text) if text else []
        return tuple(re.sub(r"^[Tt]he ", "", name) for name in found if name)

    def _is_name(self, text: str | None) -> bool:
        return bool(text and text[0].isupper())


class _ChineseGrammar(_Grammar):
    """Reads the clauses of Chinese stories."""

    language, edges = "zh", "。！？!? 　"

    def _plain(self, text: str) -> str:
        return self._lead.sub("", text.strip(" ，,。！”"))

    def _thing(self, told: dict[str, str | None]) -> str | None:
        return plain_noun(told.get("thing")) or told.get("words")

    def _people(self, text: str | None) -> tuple[str, ...]:
        return tuple(re.split("[和与跟、]", text)) if text else ()

    def _is_name(self, text: str | None) -> bool:
        return bool(text)


@lru_cache(maxsize=2)
def _grammar(language: str) -> _Grammar:
    return _ChineseGrammar() if language == "zh" else _Grammar()


@dataclass
class _StoryReader:
    """Turns clauses into events, with the people and the thing last spoken of."""

    events: list[StoryEvent] = field(default_factory=list)
    actors: list[str] = field(default_factory=list)
    thing: str | None = None

    def add(self, told: _StoryClause, text: str) -> None:
        actors = [self._person(name) for name in told.actors] or self.actors
        if told.actors:
            self.actors = [name for name in actors if name]
        thing = self.thing if told.thing is None or _IT.match(told.thing) else told.thing
        self.thing = thing or self.thing
        hearers = tuple(name for name in map(self._person, told.hearers) if name)
        for actor in actors or [None]:
            self.events.append(
                StoryEvent(
                    event_id=f"e{len(self.events) + 1}",
                    kind=told.kind,
                    text=text,
                    actor=None if told.kind == "state" else actor,
                    thing=None if told.kind in ("enter", "leave") else thing,
                    place=told.place,
                    hearers=hearers,
                    witnesses=self._witnesses(told, actor),
                )
            )

    def _witnesses(self, told: _StoryClause, actor: str | None) -> tuple[str, ...] | None:
        """Return the only witnesses of a secret event; None when it was no secret."""
        if not told.is_secret:
            return None
        hidden = {name for name in map(self._person, told.hidden_from) if name}
        if not hidden:
            return (actor,) if actor else ()
        everyone = dict.fromkeys(event.actor for event in self.events if event.actor)
        return tuple(name for name in everyone if name not in hidden)

    def _person(self, name: str) -> str | None:
        """Return a name as it is, and for a pronoun the person last spoken of."""
        if _PERSON.match(name):
            return self.actors[-1] if self.actors else None
        return name
