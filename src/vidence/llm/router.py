"""Choosing between a light and a heavy engine, by task and by length, with a record of every call."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from vidence.errors import ErrorType, VidenceError
from vidence.llm.base import EngineBase
from vidence.llm.facts import count_prompt
from vidence.llm.protocol import Capabilities, Engine, OnText, Reply
from vidence.llm.recovery import RetryManager
from vidence.prompts import Prompt
from vidence.schema.message import Usage

__all__ = ["HEAVY_TASKS", "LIGHT_TASKS", "CallRecord", "Route", "Router", "Routes"]

Tier = Literal["light", "heavy"]

LIGHT_TASKS = frozenset({"filter", "classify", "extract_keywords", "simple_qa"})
HEAVY_TASKS = frozenset({"critical_review", "deep_analysis", "synthesis"})
_HEAVY_CHARS = 5000


@dataclass(frozen=True)
class Routes:
    """Which tasks go where."""

    tasks: Mapping[str, Tier | Engine] = field(default_factory=dict)
    """A task's name, or its first part (`solver` for `solver.step`), to a tier or an engine of its own."""
    heavy_above_chars: int = _HEAVY_CHARS

    def find(self, prompt: Prompt) -> Tier | Engine:
        """Return the tier or engine of a prompt: the caller's wish, the known tasks, then the length."""
        family = prompt.task.partition(".")[0]
        last = prompt.task.rpartition(".")[2]
        for name in (prompt.task, family):
            if name in self.tasks:
                return self.tasks[name]
        for name in (prompt.task, last, family):
            if name in LIGHT_TASKS:
                return "light"
            if name in HEAVY_TASKS:
                return "heavy"
        return "heavy" if len(prompt.text) > self.heavy_above_chars else "light"


@dataclass(frozen=True)
class Route:
    """The tier and the engine of one prompt."""

    tier: str
    engine: Engine


@dataclass(frozen=True)
class CallRecord:
    """One call that went through a router."""

    task: str
    engine: str
    """The engine that answered; for a failed call the engine that was asked."""
    tier: str
    usage: Usage
    seconds: float
    usd: float | None
    """None where the model's price is not known."""
    failure: ErrorType | None = None


class Router(EngineBase):
    """An engine made of two: light for the small tasks, heavy for the hard ones."""

    def __init__(self, light: Engine, heavy: Engine, *, routes: Routes | None = None) -> None:
        name = light.name if light.name == heavy.name else f"router({light.name}, {heavy.name})"
        super().__init__(name, _joined(light.capabilities, heavy.capabilities))
        self.light, self.heavy = light, heavy
        self.routes = routes or Routes()
        self.calls: list[CallRecord] = []
        """Every call so far, oldest first."""

    def route(self, prompt: Prompt) -> Route:
        """Return the engine for a prompt: the chosen tier, or the other where only that one can take it."""
        wanted = self.routes.find(prompt)
        if not isinstance(wanted, str):
            return Route("own", wanted)
        tiers: dict[str, Engine] = {"light": self.light, "heavy": self.heavy}
        other = "light" if wanted == "heavy" else "heavy"
        if not _can_take(tiers[wanted], prompt) and _can_take(tiers[other], prompt):
            return Route(other, tiers[other])
        return Route(wanted, tiers[wanted])

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Answer through the engine the prompt is routed to, and record the call."""
        route, started = self.route(prompt), time.perf_counter()
        try:
            reply = route.engine.answer(prompt, on_text=on_text, timeout_s=timeout_s)
        except VidenceError as exc:
            kind = RetryManager.classify(exc) or ErrorType.SERVER_ERROR
            seconds = time.perf_counter() - started
            self.calls.append(
                CallRecord(prompt.task, route.engine.name, route.tier, Usage(), seconds, 0.0, kind)
            )
            raise
        usd = reply.usage.usd if route.engine.capabilities.metered else 0.0
        self.calls.append(CallRecord(prompt.task, reply.engine, route.tier, reply.usage, reply.seconds, usd))
        return reply


def _can_take(engine: Engine, prompt: Prompt) -> bool:
    can = engine.capabilities
    has_pictures = can.reads_text and any(message.pictures for message in prompt.messages)
    return (can.sees_pictures or not has_pictures) and count_prompt(prompt) <= can.context_tokens


def _joined(one: Capabilities, other: Capabilities) -> Capabilities:
    """Return what the two can do together; a language model's declarations win over the embedded engine's."""
    unlimited = one.max_videos is None or other.max_videos is None
    return Capabilities(
        sees_pictures=one.sees_pictures or other.sees_pictures,
        json_schema=one.json_schema and other.json_schema,
        streaming=one.streaming and other.streaming,
        context_tokens=max(one.context_tokens, other.context_tokens),
        deterministic=one.deterministic and other.deterministic,
        max_calls=min(one.max_calls, other.max_calls),
        max_videos=None if unlimited else max(one.max_videos or 1, other.max_videos or 1),
        caption_detail="brief" if one.caption_detail == other.caption_detail == "brief" else "standard",
        reads_text=one.reads_text or other.reads_text,
        metered=one.metered or other.metered,
    )
