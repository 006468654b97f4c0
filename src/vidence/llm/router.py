"""Choosing between a light and a heavy engine, by task and by length, and keeping count."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from vidence.errors import ErrorType, VidenceError
from vidence.llm.base import EngineBase
from vidence.llm.ledger import Ledger
from vidence.llm.protocol import Capabilities, Engine, OnText, Reply
from vidence.llm.recovery import RetryManager
from vidence.llm.tokens import count_prompt
from vidence.prompts import Prompt

__all__ = ["HEAVY_TASKS", "LIGHT_TASKS", "Route", "Router", "Routes"]

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
    """Where one prompt goes."""

    tier: str
    engine: Engine


class Router(EngineBase):
    """An engine made of two: light for the many small tasks, heavy for the hard ones."""

    def __init__(
        self, light: Engine, heavy: Engine, *, routes: Routes | None = None, ledger: Ledger | None = None
    ) -> None:
        name = light.name if light.name == heavy.name else f"router({light.name}, {heavy.name})"
        super().__init__(name, _joined(light.capabilities, heavy.capabilities))
        self.light, self.heavy = light, heavy
        self.routes = routes or Routes()
        self.ledger = ledger or Ledger()

    def route(self, prompt: Prompt) -> Route:
        """Return where a prompt would go; one that the choice cannot take goes to the other if that can."""
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
        """Answer through the engine the prompt is routed to, and write it down."""
        route, started = self.route(prompt), time.perf_counter()
        try:
            reply = route.engine.answer(prompt, on_text=on_text, timeout_s=timeout_s)
        except VidenceError as exc:
            kind = RetryManager.classify(exc) or ErrorType.SERVER_ERROR
            seconds = time.perf_counter() - started
            self.ledger.add_failure(prompt.task, route.tier, route.engine.name, seconds, kind)
            raise
        self.ledger.add(prompt.task, route.tier, reply, metered=route.engine.capabilities.metered)
        return reply


def _can_take(engine: Engine, prompt: Prompt) -> bool:
    can = engine.capabilities
    has_pictures = can.reads_text and any(message.pictures for message in prompt.messages)
    return (can.sees_pictures or not has_pictures) and count_prompt(prompt) <= can.context_tokens


def _joined(one: Capabilities, other: Capabilities) -> Capabilities:
    """Return what the two can do together; a language model's declarations win over the embedded engine's."""
    some = one.max_videos is None or other.max_videos is None
    return Capabilities(
        sees_pictures=one.sees_pictures or other.sees_pictures,
        json_schema=one.json_schema and other.json_schema,
        streaming=one.streaming and other.streaming,
        context_tokens=max(one.context_tokens, other.context_tokens),
        deterministic=one.deterministic and other.deterministic,
        max_calls=min(one.max_calls, other.max_calls),
        max_videos=None if some else max(one.max_videos or 1, other.max_videos or 1),
        caption_detail="brief" if one.caption_detail == other.caption_detail == "brief" else "standard",
        reads_text=one.reads_text or other.reads_text,
        metered=one.metered or other.metered,
    )
