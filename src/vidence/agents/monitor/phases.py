"""The phases of a monitor and the only transitions between them."""

from __future__ import annotations

from vidence.schema.thought import AgentPhase

__all__ = ["TRANSITIONS", "check_transition"]

P = AgentPhase
_LOOKING = frozenset({P.SEARCHING, P.SCRAPING})

TRANSITIONS: dict[AgentPhase, frozenset[AgentPhase]] = {
    P.IDLE: frozenset({P.PLANNING}),
    P.PLANNING: frozenset({P.EXECUTING}),
    P.EXECUTING: _LOOKING | {P.RECOVERING},
    P.SEARCHING: _LOOKING | {P.PLANNING, P.EXPANDING},
    P.SCRAPING: _LOOKING | {P.PLANNING, P.EXPANDING},
    P.EXPANDING: frozenset({P.EXPANDING, P.RECOVERING, P.CRITIQUING}),
    P.CRITIQUING: frozenset({P.SYNTHESIZING}),
    P.SYNTHESIZING: frozenset({P.COMPLETED}),
    P.RECOVERING: frozenset({P.FAILED}),
    P.COMPLETED: frozenset(),
    P.FAILED: frozenset(),
}
"""Searching and scraping are one box of the diagram. From it the next planned search begins at planning; the
searches for new keywords happen inside of expanding."""


def check_transition(old: AgentPhase, new: AgentPhase) -> None:
    """Raise for a transition that the diagram does not have; staying in a phase is none."""
    if new != old and new not in TRANSITIONS[old]:
        raise ValueError(f"an agent cannot go from {old.value} to {new.value}")
