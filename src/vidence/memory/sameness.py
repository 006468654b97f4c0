"""What may become a memory, and when two of them say the same."""

from __future__ import annotations

import re

from vidence.errors import UserError
from vidence.schema.memory import Memory, NewMemory

__all__ = ["MAX_CHARS", "MIN_TERMS", "RANKS", "article", "checked", "says_same"]

MAX_CHARS = 2_000_000
_SAME = 0.9
"""Two memories that share so much of their words say the same."""
MIN_TERMS = 3
_FIGURE = re.compile(r"\d+")
RANKS = {"observation": 0, "inference": 1, "hypothesis": 2, "answer": 3, "conversation_summary": 1}


def checked(new: NewMemory) -> NewMemory:
    """Return a memory fit to be written, or say what is wrong with it."""
    content = new.content.encode(errors="replace").decode().replace("\0", "").strip()
    if not content:
        raise UserError("A memory needs some text; this one is empty.")
    if len(content) > MAX_CHARS:
        raise UserError(
            f"A memory may hold {MAX_CHARS:,} characters; this one has {len(content):,}. Split it."
        )
    strange = sum(not (char.isprintable() or char.isspace()) for char in content[:4096])
    if strange > 0.1 * min(len(content), 4096):
        raise UserError("This looks like binary data, not text. Describe it in words instead.")
    return new.model_copy(update={"content": content})


def says_same(asked: set[int], held: set[int], row: Memory, new: NewMemory) -> bool:
    """Say whether a memory says what is about to be written; all of its figures must be the same."""
    if _figures(row.content) != _figures(new.content):
        return False
    whole = asked | held
    if new.memory_type == "observation" and RANKS[row.memory_type] > 0 and len(held) > MIN_TERMS:
        # Wrapping a recalled thought in other words does not make it something seen.
        whole = held
    return len(asked & held) >= _SAME * len(whole)


def _figures(text: str) -> list[str]:
    return _FIGURE.findall(text)


def article(memory_type: str) -> str:
    """Return a type of memory with its article."""
    return f"{'an' if memory_type[0] in 'aio' else 'a'} {memory_type}"
