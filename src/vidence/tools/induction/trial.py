"""Trying tools on questions: each is for the kinds of questions that it makes cheaper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from vidence.tools.induction.build import Found
from vidence.tools.induction.cover import fit, is_thinned
from vidence.tools.induction.episodes import Episode, QuestionKind, question_kind

__all__ = ["Attempt", "Counted", "Fits", "Trial", "fitted"]

_PER_KIND = 4
"""Questions of one kind on which tools are tried."""
_DOUBT = 0.25
"""The share of sure answers that may change: as many as may need to look more often than a thin loop."""


class Counted(Protocol):
    """What is compared of two runs of a question."""

    @property
    def calls(self) -> int: ...
    @property
    def look_ups(self) -> int: ...
    @property
    def tokens(self) -> int: ...


@dataclass(frozen=True)
class Trial:
    """One question without a tool and with it."""

    question: str
    before: Counted
    after: Counted
    is_answered: bool
    """Whether a sure answer stayed what it was."""


Attempt = Callable[[Sequence[Found], Episode], Trial]
"""Asks a question again with some tools and no others."""


@dataclass(frozen=True)
class Fits:
    """The tools that pay for some kinds of questions, and what each changed alone."""

    kept: list[Found]
    alone: dict[str, list[Trial]]


def fitted(tools: Sequence[Found], episodes: Sequence[Episode], attempt: Attempt) -> Fits:
    """Return the tools for the kinds of questions that they make cheaper without losing an answer.

    The tool that saves most alone comes first; another joins it where both together save more. How thinly a
    loop may look was learned for some kinds of questions, and is tried for no others.
    """
    alone: dict[str, list[Trial]] = {one.tool.name: [] for one in tools}
    paid: dict[str, set[QuestionKind]] = {one.tool.name: set() for one in tools}
    for kind in dict.fromkeys(one.kind for one in episodes):
        able = [one for one in tools if not is_thinned(one.tool) or kind in _kinds(one.questions)]
        asked = [one for one in episodes if one.kind == kind and any(_serves(tool, one) for tool in able)]
        asked = asked[:_PER_KIND]
        gains: list[tuple[float, Found]] = []
        for tool in able:
            if any(_serves(tool, one) for one in asked):
                trials = [attempt([tool], one) for one in asked]
                alone[tool.tool.name] += trials
                gains.append((_gain(trials), tool))
        chosen: list[Found] = []
        best = 0.0
        for gain, tool in sorted(gains, key=lambda pair: -pair[0]):
            if gain > 0 and chosen:
                gain = _gain([attempt([*chosen, tool], one) for one in asked])
            if gain > best:
                chosen.append(tool)
                best = gain
        for tool in chosen:
            paid[tool.tool.name].add(kind)
    kept = []
    for one in tools:
        tried = tuple(sorted({trial.question for trial in alone[one.tool.name]}))
        own = {each for each in (*one.questions, *tried) if question_kind(each) in paid[one.tool.name]}
        if own:
            kept.append(replace(one, questions=tuple(sorted(own)), tried=tried))
    return Fits(kept, alone)


def _kinds(questions: Sequence[str]) -> set[QuestionKind]:
    return {question_kind(one) for one in questions}


def _serves(found: Found, episode: Episode) -> bool:
    """Tell whether a tool could begin some of the calls of a run."""
    first = found.tool.calls[0].api
    return any(
        fit(batch, found.tool) is not None or (found.is_chain and any(call.api == first for call in batch))
        for batch in episode.batches
    )


def _gain(trials: Sequence[Trial]) -> float:
    """Return the shares of tokens and of operations that were saved.

    It is 0 where no fewer calls and tokens were needed, more was looked at, or answers changed.
    """
    calls, tokens, look_ups = (_fell(trials, name) for name in ("calls", "tokens", "look_ups"))
    changed = sum(not one.is_answered for one in trials)
    if min(calls, tokens) <= 0 or look_ups < 0 or changed > _DOUBT * len(trials):
        return 0.0
    return tokens + look_ups


def _fell(trials: Sequence[Trial], name: str) -> float:
    before, after = (sum(getattr(getattr(one, side), name) for one in trials) for side in ("before", "after"))
    return float(1 - after / max(1, before))
