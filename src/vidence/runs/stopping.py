"""Stopping a call that is under way: whoever listens to its words can call it off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from vidence.errors import BackendError
from vidence.llm.protocol import Engine, OnText, Reply
from vidence.prompts import Prompt
from vidence.runs.budget import Cancel

__all__ = ["StoppableEngine", "Stopped"]


class Stopped(BackendError):
    """The run was told to stop while a model was speaking."""


class StoppableEngine:
    """An engine whose calls end soon after `cancel` says so."""

    def __init__(self, engine: Engine, cancel: Cancel) -> None:
        self._engine, self._cancel = engine, cancel
        self.name, self.capabilities = engine.name, engine.capabilities

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Answer through the engine, looking up at every piece of text and every beat without one."""

        def heard(piece: str) -> None:
            if self._cancel():
                raise Stopped("the run was stopped")
            if on_text is not None and piece:
                on_text(piece)

        return self._engine.answer(prompt, on_text=heard, timeout_s=timeout_s)

    def __call__(
        self,
        input_data: Sequence[str | bytes],
        *,
        response_format: type[BaseModel] | None = None,
        **options: Any,
    ) -> Any:
        """Answer as the engine does."""
        return self._engine(input_data, response_format=response_format, **options)
