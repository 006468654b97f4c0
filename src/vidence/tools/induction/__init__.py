"""Induction: what recurs in past runs, and what their answers rest on, becomes tools."""

from collections.abc import Sequence
from dataclasses import replace

from vidence.tools.induction.build import Found, distinct, find_macros
from vidence.tools.induction.cover import Condensed, condense, expand, fit, is_thinned
from vidence.tools.induction.direct import find_direct
from vidence.tools.induction.episodes import Episode, PastCall, QuestionKind, Unit, question_kind, units_of
from vidence.tools.induction.flow import find_chains
from vidence.tools.induction.trial import Attempt, Counted, Fits, Trial, fitted

__all__ = [
    "Attempt",
    "Condensed",
    "Counted",
    "Episode",
    "Fits",
    "Found",
    "PastCall",
    "QuestionKind",
    "Trial",
    "Unit",
    "condense",
    "expand",
    "find_tools",
    "fit",
    "fitted",
    "is_thinned",
    "question_kind",
    "units_of",
]


def find_tools(episodes: Sequence[Episode], *, max_tools: int = 20) -> list[Found]:
    """Return the tools of past runs: what answers rest on, chains of results, what recurs."""
    direct = distinct(find_direct(episodes))
    others = [
        replace(one, batches=tuple(batch for batch in one.batches if not _is_served(batch, direct)))
        for one in episodes
    ]
    found = [*direct, *find_chains(episodes), *find_macros(others, max_tools=max_tools)]
    return distinct(found)[:max_tools]


def _is_served(batch: Sequence[PastCall], tools: Sequence[Found]) -> bool:
    return any(fit(batch, one.tool) is not None for one in tools)
