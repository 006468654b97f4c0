"""Near-duplicate detection: what may become a memory, and which memory already says the same."""

from __future__ import annotations

import re
from collections.abc import Callable

from vidence.errors import UserError
from vidence.language.tokens import IndexedText
from vidence.memory.bm25 import InvertedIndex
from vidence.schema.memory import Memory, NewMemory

__all__ = ["checked", "confirmed", "find_duplicate", "is_repeat"]

_MAX_CHARS = 2_000_000
_MIN_OVERLAP = 0.9
"""Two memories that share this much of their words are near-duplicates."""
_MIN_TERMS = 3
_RARE_TERMS = 2
_MAX_CANDIDATES = 50
"""Only the latest texts that share a rare term are compared."""
_FIGURE = re.compile(r"\d+")
_RANKS = {"observation": 0, "inference": 1, "hypothesis": 2, "answer": 3, "conversation_summary": 1}


def checked(new: NewMemory) -> NewMemory:
    """Return a memory fit to be written, or say what is wrong with it."""
    content = new.content.encode(errors="replace").decode().replace("\0", "").strip()
    if not content:
        raise UserError("A memory needs some text; this one is empty.")
    if len(content) > _MAX_CHARS:
        raise UserError(
            f"A memory may hold {_MAX_CHARS:,} characters; this one has {len(content):,}. Split it."
        )
    strange = sum(not (char.isprintable() or char.isspace()) for char in content[:4096])
    if strange > 0.1 * min(len(content), 4096):
        raise UserError("This looks like binary data, not text. Describe it in words instead.")
    return new.model_copy(update={"content": content})


def find_duplicate(
    new: NewMemory, text: IndexedText, index: InvertedIndex, memory_at: Callable[[int], Memory]
) -> Memory | None:
    """Return a memory that holds nearly the same words; `memory_at` gives the one at a place of the index."""
    if len(text.terms) < _MIN_TERMS:
        return None
    asked = set(text.terms.tolist())
    for term in index.rarest(text, _RARE_TERMS):
        for place in index.matches(term).documents[-_MAX_CANDIDATES:].tolist():
            memory = memory_at(place)
            if _are_alike(asked, set(index.text(place).terms.tolist()), memory, new):
                return memory
    return None


def is_repeat(new: NewMemory, same: Memory) -> bool:
    """Say whether `new` only repeats `same`; raise when it passes off a thought as an observation."""
    if new.memory_type == "observation" and _RANKS[same.memory_type] > 0:
        article = "an" if same.memory_type[0] in "aio" else "a"
        raise UserError(
            f"This is what {same.memory_id} already says, as {article} {same.memory_type}: recalled text "
            f"is not a new observation. Write it as such, or look again and say what was seen."
        )
    told_apart = same.speaker != new.speaker or same.time_range != new.time_range
    told_apart = told_apart or (new.session_id is not None and same.session_id != new.session_id)
    return not told_apart and same.memory_type == new.memory_type


def confirmed(same: Memory, new: NewMemory, now: float) -> Memory:
    """Return `same` with what a repetition of it adds."""
    sources = tuple(dict.fromkeys([*same.derived_from, *new.derived_from]))
    return same.model_copy(
        update={
            "importance": max(same.importance, new.importance),
            "pinned": same.pinned or new.pinned,
            "derived_from": sources,
            "related_entities": tuple(dict.fromkeys([*same.related_entities, *new.related_entities])),
            # Only a new source confirms a memory; repeating it does not.
            "confirmed_at": max(same.confirmed_at, now)
            if sources != same.derived_from
            else same.confirmed_at,
        }
    )


def _are_alike(asked: set[int], held: set[int], memory: Memory, new: NewMemory) -> bool:
    if _FIGURE.findall(memory.content) != _FIGURE.findall(new.content):
        return False
    whole = asked | held
    if new.memory_type == "observation" and _RANKS[memory.memory_type] > 0 and len(held) > _MIN_TERMS:
        # A recalled thought wrapped in other words does not become something seen.
        whole = held
    return len(asked & held) >= _MIN_OVERLAP * len(whole)
