"""One turn of a chat, as the terminal, a page or a program is given it."""

from __future__ import annotations

from typing import Literal

from vidence.schema.agent import AgentAnswer, AnswerLanguage
from vidence.schema.frozen import Frozen
from vidence.schema.planning import RecalledNote
from vidence.schema.printable import visible_lines

__all__ = ["ChatReply", "ReplyKind"]

ReplyKind = Literal["answer", "noted", "corrected", "small_talk"]


class ChatReply(Frozen):
    """The reply, what it is based on, and what was recalled for it."""

    kind: ReplyKind
    text: str
    language: AnswerLanguage
    said: str
    """The words that were answered."""
    question: str | None = None
    """The question as it was understood, follow-ups completed."""
    is_rewritten: bool = False
    recalled: tuple[RecalledNote, ...] = ()
    """Recalled notes; guidance only, never evidence of what a video shows."""
    from_memory: bool = False
    """True when the answer is based on what the user said, not on a video."""
    answer: AgentAnswer | None = None
    memory_id: str | None = None
    """The memory that was written or corrected."""
    session_id: str = ""
    turn_id: str = ""

    def __str__(self) -> str:
        return visible_lines(self.text)
