"""What one clause of a story tells, before pronouns are resolved."""

from __future__ import annotations

from dataclasses import dataclass

from vidence.schema.beliefs import EventKind

__all__ = ["Part"]


@dataclass(frozen=True)
class Part:
    """Who did what to what, in the clause's own words."""

    kind: EventKind
    actors: tuple[str, ...] = ()
    """Nobody when the clause goes on with whoever the one before named."""
    thing: str | None = None
    place: str | None = None
    hearers: tuple[str, ...] = ()
    is_secret: bool = False
    hidden_from: tuple[str, ...] = ()
