"""What a reader is given and gives: notes and a question, and an answer with its notes, or a choice."""

from __future__ import annotations

import json
import re
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from vidence.schema.frozen import Frozen, TextResponse
from vidence.schema.language import AnswerLanguage

__all__ = [
    "MAX_NOTES_CITED",
    "ChoiceReply",
    "Note",
    "NoteKind",
    "NotedLine",
    "ReaderReply",
    "ReaderVariables",
]

NoteKind = Literal["said", "written", "seen", "heard", "place", "action", "memory", "text"]
"""How a note came about: speech, text on screen, the picture, sounds, the place, an action, a memory, or a
text outside of any video, such as a chapter of a book or a page."""

MAX_NOTES_CITED = 8


class Note(Frozen):
    """One short statement from a source, under the number that an answer cites."""

    number: int = Field(ge=1)
    text: str
    kind: NoteKind = "text"
    label: str = ""
    """Where it stands in its source, such as a chapter or a page; empty where its times say it."""
    start_s: float | None = None
    end_s: float | None = None
    record_id: str | None = None
    """The record that proves it."""
    quote: str | None = None
    """Words of that record; None where the record is not quoted."""


class NotedLine(Frozen):
    """One short statement about a span of a video, as `get_notes` gives it."""

    kind: NoteKind
    start_time: float
    end_time: float
    text: str
    """What was said, read, seen or heard; of speech the words alone."""
    confidence: float = Field(ge=0, le=1)
    speaker: str | None = Field(default=None, description="speaker_1, speaker_2, …; null if not known.")
    name: str | None = Field(
        default=None, description="Name of the speaker, where a caption or an introduction gives it."
    )


class ReaderVariables(Frozen):
    """A question about notes, a wish for their summary, or a choice between options."""

    question: str
    language: AnswerLanguage
    notes: tuple[Note, ...] = ()
    """In an order that no question changes, so that a prompt cache serves all questions about a source."""
    shared: int = Field(default=0, ge=0)
    """So many notes, from the first on, are given for every question about the source."""
    answer_type: str = ""
    """The type of answer that is asked for, such as name, number or place; empty where it is not known."""
    head: str = ""
    """The noun that is asked for: "library", "粉丝"; empty where the question names none."""
    options: tuple[str, ...] = ()
    """The options to choose between, where the reader is asked to."""


_REFUSALS = frozenset(
    {"", "cannot tell", "can't tell", "unknown", "not mentioned", "无法判断", "不知道", "未提及"}
)


def _bare(answer: str) -> str:
    return answer.strip().strip('.。!！"“”').lower()


def _as_asked(schema: dict[str, Any]) -> None:
    """Ask for an answer and its notes only; that nothing can be told follows from them."""
    schema["required"] = ["answer", "notes"]
    for derived in ("cannot_tell", "sure"):
        schema["properties"].pop(derived, None)


class ReaderReply(Frozen):
    """An answer and the notes it rests on; without either, the notes do not tell."""

    # A small model that must follow the schema writes these two; the answer first, which lets it refuse.
    model_config = ConfigDict(frozen=True, json_schema_extra=_as_asked)

    answer: str = ""
    notes: tuple[int, ...] = Field(default=(), max_length=MAX_NOTES_CITED)
    cannot_tell: bool = False
    sure: float | None = Field(default=None, ge=0, le=1)
    """How probable the model holds its answer, or that it cannot tell; None where it does not say."""

    @model_validator(mode="before")
    @classmethod
    def _honest(cls, values: Any) -> Any:
        """Take each note once, and an answer without a note as none."""
        if not isinstance(values, dict):
            return values
        notes, answer = values.get("notes"), values.get("answer")
        kept = tuple(dict.fromkeys(notes))[:MAX_NOTES_CITED] if isinstance(notes, list | tuple) else notes
        is_empty = not kept or (isinstance(answer, str) and _bare(answer) in _REFUSALS)
        return {**values, "notes": kept or (), "cannot_tell": is_empty or values.get("cannot_tell", False)}


_CHOSEN = 0.5
_LETTER = re.compile(r"(?<![A-Za-z])([A-Z])(?![A-Za-z])")
_THOUGHT = re.compile(r"\A.*</\s*think(?:ing)?\s*>", re.DOTALL | re.IGNORECASE)


class ChoiceReply(TextResponse):
    """A choice between lettered options: a letter, or, from an engine that can say it, all probabilities."""

    letter: str = ""
    """Empty where the reader chooses none."""
    shares: dict[str, float] = Field(default_factory=dict)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read `{"A": 0.7, "B": 0.3}`, or the last single capital of a text after its thinking."""
        try:
            return cls(shares=json.loads(text))
        except ValueError:
            letters = _LETTER.findall(_THOUGHT.sub("", text))
        if not letters:
            raise ValueError("no letter of an option")
        return cls(letter=letters[-1])

    def share(self, letter: str, number: int) -> float:
        """Return the probability of one of so many options; a letter alone counts as half of all."""
        if self.letter:
            return _CHOSEN if letter == self.letter else (1 - _CHOSEN) / (number - 1)
        return self.shares.get(letter, 0.0) if self.shares else 1 / number
