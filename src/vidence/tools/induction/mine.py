"""Find the structure of tools: sequences of units that recur, as supersequences with optional steps.

A greedy search adds a sequence, or widens a tool by one, as long as the description length of the past runs
together with the library falls. The library's own length counts, so a rare sequence does not pay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Costs", "Structure", "covered", "mine"]

Structure = tuple[str, ...]
"""The shapes of a tool's steps, in order."""


@dataclass(frozen=True)
class Costs:
    """Description lengths in tokens."""

    call: float = 20.0
    """Writing one call: its name, its frame and the id of its video."""
    step: float = 12.0
    """One step in a tool's schema: its parameters with their descriptions."""
    tool: float = 25.0
    """A tool's name and purpose."""
    schema_weight: float = 0.15
    """A library is used for far more questions than those it was found in."""

    def library(self, tools: Sequence[Structure]) -> float:
        """Return what the schemas of tools cost."""
        return self.schema_weight * sum(self.tool + self.step * len(tool) for tool in tools)


def mine(
    sequences: Sequence[Structure], *, max_tools: int, max_steps: int = 10, costs: Costs | None = None
) -> list[Structure]:
    """Return the structures whose tools make the sequences shortest to write, the most useful first."""
    used = costs or Costs()
    corpus = [(one, count) for one, count in sorted(Counter(sequences).items()) if len(one) > 1]
    candidates = _candidates(corpus)
    tools: list[Structure] = []
    now = _total(corpus, tools, used)
    while True:
        options = [[*tools, one] for one in candidates if one not in tools and len(tools) < max_tools]
        for place, tool in enumerate(tools):
            # Only what shares a step with a tool may widen it: a tool does one thing.
            wider = (_joined(tool, one) for one in candidates if set(one) & set(tool))
            options += [
                [*tools[:place], one, *tools[place + 1 :]]
                for one in wider
                if one != tool and len(one) <= max_steps and one not in tools
            ]
        best = min(options, key=lambda one: (_total(corpus, one, used), one), default=None)
        if best is None or (least := _total(corpus, best, used)) >= now - 1e-9:
            return tools
        tools, now = best, least


def covered(sequence: Structure, start: int, tool: Structure) -> int:
    """Return how many units from `start` on stand in a tool's order; steps between them are optional."""
    place = count = 0
    while start + count < len(sequence):
        try:
            place = tool.index(sequence[start + count], place) + 1
        except ValueError:
            break
        count += 1
    return count


def _candidates(corpus: Sequence[tuple[Structure, int]]) -> list[Structure]:
    """Return the sequences and their parts."""
    parts = {
        one[start:end]
        for one, _ in corpus
        for start in range(len(one) - 1)
        for end in range(start + 2, min(len(one), start + 6) + 1)
    }
    return sorted(parts)


def _total(corpus: Sequence[tuple[Structure, int]], tools: Sequence[Structure], costs: Costs) -> float:
    written = sum(count * _length(one, tools) for one, count in corpus)
    return costs.call * written + costs.library(tools)


def _length(sequence: Structure, tools: Sequence[Structure]) -> int:
    """Return how many calls write a sequence, each the tool that covers most of what comes next."""
    place = count = 0
    while place < len(sequence):
        longest = max((covered(sequence, place, tool) for tool in tools), default=0)
        place += longest if longest > 1 else 1
        count += 1
    return count


def _joined(one: Structure, other: Structure) -> Structure:
    """Return the shortest sequence that holds both in their order."""
    rows = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in reversed(range(len(one))):
        for j in reversed(range(len(other))):
            rows[i][j] = rows[i + 1][j + 1] + 1 if one[i] == other[j] else max(rows[i + 1][j], rows[i][j + 1])
    i = j = 0
    joined: list[str] = []
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            joined.append(one[i])
            i, j = i + 1, j + 1
        elif rows[i + 1][j] >= rows[i][j + 1]:
            joined.append(one[i])
            i += 1
        else:
            joined.append(other[j])
            j += 1
    return (*joined, *one[i:], *other[j:])
