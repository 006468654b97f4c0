"""The budget of a run and what it has used; asked before every call."""

from __future__ import annotations

import time
from collections.abc import Callable

from vidence.errors import BackendError
from vidence.llm.protocol import Engine, Reply
from vidence.schema.agent import Budget, Spent
from vidence.schema.events import Spending
from vidence.schema.message import Usage

__all__ = ["Cancel", "Clock", "Limit", "LimitReached", "Meter"]

Clock = Callable[[], float]
Cancel = Callable[[], bool]
"""True once the run should stop; `threading.Event().is_set` is one."""
Limit = str
"""Which limit was reached: steps, llm_calls, tokens, seconds or cancelled."""

_SHORTEST_S = 0.05
"""A call that has less time than this left is not begun."""


class LimitReached(BackendError):
    """The budget of the run is used up, or the user stopped it."""

    def __init__(self, limit: Limit, budget: Budget) -> None:
        value = getattr(budget, limit, "")
        self.limit: Limit = limit
        self.allowed = f"{value:g}" if isinstance(value, int | float) else ""
        super().__init__(f"limit reached: {limit} {self.allowed}".rstrip())


class Meter:
    """Counts against a budget and says which limit was reached."""

    def __init__(
        self, budget: Budget, *, clock: Clock = time.monotonic, cancel: Cancel | None = None
    ) -> None:
        self.budget = budget
        self._clock, self._cancel = clock, cancel
        self._began = clock()
        self._now = self._began
        self.steps = self.llm_calls = self.frames = self.operations = 0
        self._usage = Usage()

    def reached(self, tokens: int = 0) -> Limit | None:
        """Return the limit that forbids another call of so many tokens, if any; reads the clock once."""
        self._now = self._clock()
        if self._cancel is not None and self._cancel():
            return "cancelled"
        budget = self.budget
        if budget.seconds is not None and self._seconds_left(budget.seconds) < _SHORTEST_S:
            return "seconds"
        if budget.tokens is not None and self._usage.total_tokens + max(tokens, 1) > budget.tokens:
            return "tokens"
        if budget.llm_calls is not None and self.llm_calls >= budget.llm_calls:
            return "llm_calls"
        return None

    def begin_step(self) -> None:
        """Count one more step; LimitReached when there is none left."""
        limit = self.reached()
        if limit is None and self.steps >= self.budget.steps:
            limit = "steps"
        if limit is not None:
            raise LimitReached(limit, self.budget)
        self.steps += 1

    def allow_call(self, tokens: int = 0) -> float | None:
        """Return the seconds the next call may take, None for no limit; LimitReached when none is allowed.

        `tokens` is the estimated size of its prompt: what would exceed the budget is not sent.
        """
        limit = self.reached(tokens)
        if limit is not None:
            raise LimitReached(limit, self.budget)
        if self.budget.seconds is None:
            return None
        return max(_SHORTEST_S, self._seconds_left(self.budget.seconds))

    @property
    def calls_left(self) -> int | None:
        """How many LLM calls remain; None for any number."""
        return None if self.budget.llm_calls is None else max(0, self.budget.llm_calls - self.llm_calls)

    @property
    def steps_left(self) -> int:
        """How many Solver steps remain, the present one not counted."""
        return max(0, self.budget.steps - self.steps)

    @property
    def frames_left(self) -> int | None:
        """How many frames may still be fetched; None for any number."""
        return None if self.budget.frames is None else max(0, self.budget.frames - self.frames)

    def _seconds_left(self, seconds: float) -> float:
        return seconds - (self._now - self._began)

    def called(self, engine: Engine, reply: Reply | None) -> Spending:
        """Count one call, answered or not, and return what was used so far, without reading the clock.

        Only metered engines count as LLM calls.
        """
        metered = engine.capabilities.metered
        self.llm_calls += metered
        if reply is not None:
            self._usage += reply.usage if metered else reply.usage.model_copy(update={"usd": 0.0})
        return Spending(step=self.steps, spent=self._spent(), budget=self.budget)

    def spent(self) -> Spent:
        """Return what was used so far; reads the clock."""
        self._now = self._clock()
        return self._spent()

    def _spent(self) -> Spent:
        return Spent(
            steps=self.steps,
            llm_calls=self.llm_calls,
            frames=self.frames,
            operations=self.operations,
            usage=self._usage,
            seconds=round(self._now - self._began, 3),
        )
