"""Induction: recurring calls in past runs become tools."""

from vidence.tools.induction.build import Found, find_tools
from vidence.tools.induction.cover import Condensed, condense, expand
from vidence.tools.induction.episodes import Episode, PastCall, Unit, units_of

__all__ = [
    "Condensed",
    "Episode",
    "Found",
    "PastCall",
    "Unit",
    "condense",
    "expand",
    "find_tools",
    "units_of",
]
