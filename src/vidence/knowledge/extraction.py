"""What a language model reads out of a chapter: rows that must quote the text, checked against it.

A row is kept only where its quotation stands in the text and its names stand in the quotation. A relation
that no relation word of the quotation bears out is only a suggestion, and one that plain reading of the same
sentence contradicts is dropped: the text is never overruled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from pydantic import Field

from vidence.errors import BackendError, UserError
from vidence.knowledge.analysis import ChapterAnalysis
from vidence.knowledge.chapters import paragraphs
from vidence.knowledge.events import EventFound
from vidence.knowledge.relations import STATED, RelationStatement, inverse_of, relation_class, relation_words
from vidence.language.identify import has_han, text_language
from vidence.llm.ask import ask_for
from vidence.llm.protocol import Engine
from vidence.llm.structured import InvalidReply
from vidence.prompts import Prompt, Wording
from vidence.prompts.fenced import data, one_line
from vidence.schema.frozen import Frozen
from vidence.schema.message import Message
from vidence.schema.story import ChapterHead, EntityKind

__all__ = [
    "EXTRACT_TASK",
    "Extracted",
    "StoryExtractor",
    "add_extracted",
    "chapter_of",
    "part_key",
    "parts_of",
]

EXTRACT_TASK = "story.extract"
_VERSION = 2
_PART_CHARS, _PART_HAN = 6000, 2500
"""The length of the text that one call reads."""
_LONGEST_QUOTE = 600
_LONGEST_NAME = 60
_SAID, _SUGGESTED = 4.0, 0.6
"""Strength of a relation whose word stands in the quotation, and of any other."""
_EVENT = 1.5
_GIVE_UP = 3
"""Calls that fail one after another before the engine is left alone."""


class _NameRow(Frozen):
    name: str
    also: tuple[str, ...] = ()
    kind: EntityKind = "person"
    quote: str


class _RelationRow(Frozen):
    source: str
    relation: str
    target: str
    quote: str


class _EventRow(Frozen):
    what: str
    people: tuple[str, ...] = ()
    quote: str


class ExtractionReply(Frozen):
    """What a language model writes about one part of a chapter."""

    names: tuple[_NameRow, ...] = Field(default=(), max_length=200)
    relations: tuple[_RelationRow, ...] = Field(default=(), max_length=200)
    events: tuple[_EventRow, ...] = Field(default=(), max_length=200)


class ExtractionVariables(Frozen):
    """What the model is shown."""

    place: str
    text: str


@dataclass(frozen=True)
class Extracted:
    """The rows of one part of a chapter that the text bears out; places are those of the chapter."""

    names: dict[str, str] = field(default_factory=dict)
    """Name to kind."""
    aliases: list[tuple[str, str, int, int]] = field(default_factory=list)
    statements: list[RelationStatement] = field(default_factory=list)
    events: list[EventFound] = field(default_factory=list)
    kept: int = 0
    refused: int = 0
    """Rows that the text does not bear out."""

    def to_bytes(self) -> bytes:
        """Return the form kept in the store."""
        return json.dumps(asdict(self), ensure_ascii=False).encode()

    @classmethod
    def from_bytes(cls, body: bytes) -> Extracted:
        """Read what `to_bytes` wrote."""
        rows = json.loads(body)
        return cls(
            names=rows["names"],
            aliases=[(one, name, start, end) for one, name, start, end in rows["aliases"]],
            statements=[RelationStatement(**row) for row in rows["statements"]],
            events=[EventFound(**{**row, "people": tuple(row["people"])}) for row in rows["events"]],
            kept=rows["kept"],
            refused=rows["refused"],
        )


class StoryExtractor:
    """Asks a language model about parts of chapters; what fails is noted and costs nothing else."""

    def __init__(self, engine: Engine) -> None:
        if not engine.capabilities.reads_text:
            raise UserError(f"{engine.name} reads no text; name a language model to extract with.")
        self._engine = engine
        self._failed = 0
        self.problems: list[str] = []

    @property
    def fingerprint(self) -> str:
        """The model and the version of the checks."""
        return f"{self._engine.name} {_VERSION}"

    def extract(self, head: ChapterHead, text: str, start: int, end: int) -> Extracted | None:
        """Return what one part of a chapter states; None where the engine gave nothing usable."""
        if self._failed >= _GIVE_UP:
            return None
        part = text[start:end]
        wording = Wording("zh" if text_language(part) == "zh" else "en")
        filled = wording.fill(EXTRACT_TASK, place=one_line(head.label), text=data(part, 'kind="story"'))
        prompt = Prompt(
            EXTRACT_TASK,
            (Message(role="user", text=filled),),
            ExtractionVariables(place=head.label, text=part),
            ExtractionReply,
            wording.uses(EXTRACT_TASK),
        )
        try:
            reply = ask_for(self._engine, prompt, ExtractionReply, attempts=2).value
        except (BackendError, InvalidReply) as exc:
            self._failed += 1
            self.problems.append(f"{head.label}: {exc}")
            return None
        self._failed = 0
        return _checked(reply, text, start, end)


def parts_of(text: str) -> list[tuple[int, int]]:
    """Return the parts of a chapter that are read at once: whole paragraphs, as many as fit."""
    size = _PART_HAN if has_han(text[:2000]) else _PART_CHARS
    found: list[tuple[int, int]] = []
    for first, last in paragraphs(text):
        for begin in range(first, last, size):
            end = min(last, begin + size)
            if found and end - found[-1][0] <= size:
                found[-1] = (found[-1][0], end)
            else:
                found.append((begin, end))
    return found


def part_key(head: ChapterHead, start: int) -> str:
    """Return the key under which the rows of a part are kept; it begins with the chapter's digest."""
    return f"{head.sha256}-{start}"


def chapter_of(key: str) -> str:
    """Return the digest of the chapter that a key is about."""
    return key.partition("-")[0]


def add_extracted(analysis: ChapterAnalysis, rows: Sequence[Extracted]) -> ChapterAnalysis:
    """Return an analysis with what a model read out of the same chapter, where plain reading allows it."""
    if not rows:
        return analysis
    known = set(analysis.counts)
    statements = [
        one
        for part in rows
        for one in part.statements
        if {one.source, one.target} <= known and not _is_contradicted(one, analysis.statements)
    ]
    events = [
        replace(one, people=people)
        for part in rows
        for one in part.events
        if (people := tuple(who for who in one.people if who in known))
        and not any(one.start < other.end and other.start < one.end for other in analysis.events)
    ]
    aliases = [row for part in rows for row in part.aliases if {row[0], row[1]} <= known]
    return replace(
        analysis,
        aliases=[*analysis.aliases, *aliases],
        statements=[*analysis.statements, *statements],
        events=sorted([*analysis.events, *events], key=lambda one: one.start),
    )


def _is_contradicted(row: RelationStatement, plain: Sequence[RelationStatement]) -> bool:
    """Say whether plain reading of the same words states another relation of the same two."""
    near = [one for one in plain if one.strength >= STATED and one.start < row.end and row.start < one.end]
    same = [
        one
        for told in near
        for one in (told, told.reversed())
        if _may_be_one(one.source, row.source) and _may_be_one(one.target, row.target)
    ]
    return bool(same) and all(one.kind != row.kind for one in same)


def _may_be_one(name: str, other: str) -> bool:
    """Say whether one name may be a part of the other: Robert and Robert Grey, 宝玉 and 贾宝玉."""
    if has_han(name):
        return name in other or other in name
    words, others = set(name.split()), set(other.split())
    return words <= others or others <= words


def _checked(reply: ExtractionReply, text: str, start: int, end: int) -> Extracted:
    found = Extracted()
    refused = 0
    named: list[str] = []
    for known in reply.names:
        place = _placed(known.quote, [known.name], text, start, end)
        if place is None:
            refused += 1
            continue
        found.names[known.name] = known.kind
        for alias in known.also:
            if alias != known.name and _placed(known.quote, [alias], text, start, end):
                found.names[alias] = known.kind
                found.aliases.append((alias, known.name, *place))
    for row in reply.relations:
        kind = relation_class(row.relation)
        place = _placed(row.quote, [row.source, row.target], text, start, end)
        if place is None or kind is None or row.source == row.target:
            refused += 1
            continue
        named += [row.source, row.target]
        strength = _SAID if _bears_out(text[slice(*place)], kind) else _SUGGESTED
        found.statements.append(
            RelationStatement(row.source, row.target, row.relation, kind, strength, *place)
        )
    for event in reply.events:
        place = _placed(event.quote, [event.what, *event.people], text, start, end)
        if place is None or not event.people:
            refused += 1
            continue
        named += event.people
        found.events.append(EventFound(*place, event.what, tuple(dict.fromkeys(event.people)), _EVENT))
    kept = len(reply.names) + len(reply.relations) + len(reply.events) - refused
    for name in named:
        found.names.setdefault(name, "person")
    return replace(found, kept=kept, refused=refused)


def _placed(quote: str, names: Sequence[str], text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where a quotation stands in a part of a text; None where it, or a name in it, does not."""
    words = quote.split()
    is_short = all(0 < len(name.strip()) <= _LONGEST_NAME for name in names)
    if not words or len(quote) > _LONGEST_QUOTE or not is_short:
        return None
    found = re.compile(r"\s+".join(map(re.escape, words))).search(text, start, end)
    if found is None or not all(_stands_in(name, found[0]) for name in names):
        return None
    return found.span()


def _stands_in(name: str, quote: str) -> bool:
    pattern = re.escape(name.strip())
    edges = (r"(?<!\w)", r"(?!\w)") if not has_han(name) else ("", "")
    return re.search(edges[0] + pattern + edges[1], " ".join(quote.split())) is not None


def _bears_out(quote: str, kind: str) -> bool:
    """Say whether a quotation has a word for a relation, from either side."""
    wanted = {kind, inverse_of(kind)}
    held = quote if has_han(quote) else f" {' '.join(re.findall(r'[a-z-]+', quote.lower()))} "
    return any(
        word.kind in wanted and (word.word in held if has_han(word.word) else f" {word.word} " in held)
        for word in relation_words().values()
    )
