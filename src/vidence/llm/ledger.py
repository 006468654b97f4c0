"""What the calls of a run or a workspace took, by engine and by task."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from vidence.errors import ErrorType
from vidence.llm.facts import facts_of, price_usd
from vidence.llm.protocol import Reply
from vidence.schema.message import Usage
from vidence.settings import ModelFacts

__all__ = ["CallRecord", "Ledger", "Totals"]


@dataclass(frozen=True)
class CallRecord:
    """One call."""

    task: str
    engine: str
    tier: str
    usage: Usage
    seconds: float
    usd: float | None
    """None where the model's price is not known."""
    failure: ErrorType | None = None


@dataclass(frozen=True)
class Totals:
    """Calls taken together."""

    calls: int = 0
    failures: int = 0
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    usd: float = 0.0
    unpriced: int = 0
    """Calls whose price is not known, so `usd` is a lower bound when this is not 0."""


class Ledger:
    """Every call so far; safe to write from several threads."""

    def __init__(self, facts: Sequence[ModelFacts] = ()) -> None:
        self._facts = tuple(facts)
        self._calls: list[CallRecord] = []
        self._lock = threading.Lock()

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """The calls, oldest first."""
        with self._lock:
            return tuple(self._calls)

    def add(self, task: str, tier: str, reply: Reply, *, metered: bool = True) -> CallRecord:
        """Write a call that was answered."""
        usd = price_usd(facts_of(reply.engine, self._facts), reply.usage) if metered else 0.0
        return self._write(CallRecord(task, reply.engine, tier, reply.usage, reply.seconds, usd))

    def add_failure(self, task: str, tier: str, engine: str, seconds: float, kind: ErrorType) -> None:
        """Write a call that was not."""
        self._write(CallRecord(task, engine, tier, Usage(), seconds, 0.0, kind))

    def totals(self) -> Totals:
        """Return everything together."""
        return _sum(self.calls)

    def by_engine(self) -> dict[str, Totals]:
        """Return the totals of each engine that really answered."""
        return self._grouped(lambda call: call.engine)

    def by_task(self) -> dict[str, Totals]:
        """Return the totals of each task."""
        return self._grouped(lambda call: call.task)

    def _grouped(self, key: Callable[[CallRecord], str]) -> dict[str, Totals]:
        calls = self.calls
        return {name: _sum([c for c in calls if key(c) == name]) for name in sorted(set(map(key, calls)))}

    def _write(self, call: CallRecord) -> CallRecord:
        with self._lock:
            self._calls.append(call)
        return call


def _sum(calls: Sequence[CallRecord]) -> Totals:
    usage = Usage()
    for call in calls:
        usage += call.usage
    return Totals(
        calls=len(calls),
        failures=sum(call.failure is not None for call in calls),
        usage=usage,
        seconds=sum(call.seconds for call in calls),
        usd=sum(call.usd or 0.0 for call in calls),
        unpriced=sum(call.usd is None for call in calls),
    )
