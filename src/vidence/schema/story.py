"""Stories: chapters, quotations with their place, people, relations and events."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vidence.schema.agent import AnswerLanguage
from vidence.schema.frozen import Frozen

__all__ = [
    "Chapter",
    "ChapterHead",
    "EntityKind",
    "Gender",
    "MajorEvent",
    "Merge",
    "Moment",
    "Quote",
    "SourceKind",
    "StoryCard",
    "StoryEntity",
    "StoryGraph",
    "StoryRelation",
]

SourceKind = Literal["text", "subtitles", "video"]
EntityKind = Literal["person", "place", "organisation", "thing"]
Gender = Literal["female", "male", "unknown"]


class Moment(Frozen):
    """From which character of a chapter on a time of the video holds."""

    offset: int
    time_s: float
    end_s: float | None = None
    """Until when it is said, where that is known."""


class ChapterHead(Frozen):
    """A chapter without its text: the unit that a citation names."""

    number: int
    """From 1, over all documents of a story."""
    document: str
    index: int
    """From 0, within the document."""
    label: str
    """How a citation names it: "Chapter 3", "第三回"."""
    title: str = ""
    sha256: str
    num_chars: int
    kind: SourceKind = "text"
    video_id: str | None = None


class Chapter(ChapterHead):
    """A chapter with its text, exactly as it was read."""

    text: str
    moments: tuple[Moment, ...] = ()
    """Where times are known: subtitles and transcripts."""


class Quote(Frozen):
    """Words of a story and where they stand: `chapter.text[start:end] == text`."""

    text: str
    chapter: int
    label: str
    document: str
    paragraph: int
    """From 1, within the chapter."""
    start: int
    end: int
    speaker: str | None = None
    """Who says them, where they are speech and that is known."""
    video_id: str | None = None
    time_s: float | None = None
    end_s: float | None = None
    moments: tuple[Moment, ...] = Field(default=(), exclude_if=lambda moments: not moments)
    """The times of its lines, where it holds several; offsets count from its first character."""


class Merge(Frozen):
    """Why an alias was taken for the name of an entity; undoing it is one row less."""

    alias: str
    rule: str
    """`full_name`, `title`, `nickname`, `stated`, `diminutive`, `by_hand`."""
    evidence: str = ""
    """Words of the story that state it, where it was stated."""


class StoryEntity(Frozen):
    """Somebody or something that a story names."""

    entity_id: str
    name: str
    kind: EntityKind = "person"
    gender: Gender = "unknown"
    aliases: tuple[str, ...] = ()
    merges: tuple[Merge, ...] = ()
    mentions: int = 0
    first_chapter: int = 1
    last_chapter: int = 1


class StoryRelation(Frozen):
    """A relation between two entities, valid from one chapter to another, with its proof."""

    relation_id: str
    source: str
    target: str
    relation: str
    """What `source` is to `target`: father, 父亲; `meets` where they only appear together."""
    is_stated: bool = True
    """True where words of the story state it; False where the two only appear together."""
    is_derived: bool = False
    """True where it follows from other statements (a father's father), which are quoted."""
    weight: float = 1.0
    first_chapter: int = 1
    last_chapter: int = 1
    quotes: tuple[Quote, ...] = ()


class MajorEvent(Frozen):
    """Something that happens: who, what, where, and when in the narration."""

    event_id: str
    what: str
    """The word of the story that names it."""
    people: tuple[str, ...] = ()
    """Entity ids."""
    place: str | None = None
    chapter: int
    order: int
    """Position in the narration over the whole story."""
    weight: float = 1.0
    quote: Quote


class StoryGraph(Frozen):
    """All entities, relations and events of a story."""

    entities: tuple[StoryEntity, ...] = ()
    relations: tuple[StoryRelation, ...] = ()
    events: tuple[MajorEvent, ...] = ()


class StoryCard(Frozen):
    """A story as a list shows it."""

    name: str
    language: AnswerLanguage
    documents: tuple[str, ...] = ()
    chapters: int = 0
    num_chars: int = 0
    is_complete: bool = False
    """False while chapters were added that the graph does not hold yet."""
    entities: int = 0
    relations: int = 0
    events: int = 0
    revision: str = Field(default="", description="Digest of the chapters and of how they were analysed.")
