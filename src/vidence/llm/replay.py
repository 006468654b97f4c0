"""An engine that repeats the recorded replies of a trace, each only to the prompt it was given to."""

from __future__ import annotations

import threading
from pathlib import Path

from vidence.errors import BackendError, FileProblem, SettingsError
from vidence.llm.base import EngineBase
from vidence.llm.options import EngineRequest
from vidence.llm.protocol import OnText, Reply
from vidence.prompts import Prompt
from vidence.schema.trace import ModelStep, Trace

__all__ = ["ReplayEngine", "build"]


class ReplayEngine(EngineBase):
    """Answers recorded calls in their order; a prompt that differs is refused, not answered wrongly."""

    def __init__(self, trace: Trace, *, name: str = "replay") -> None:
        # The loop must see what the recorded engine declared, or it would write other prompts.
        recorded = next(iter(trace.engines.values()))
        super().__init__(name, recorded.model_copy(update={"metered": False}))
        self._steps = [step for step in trace.steps if isinstance(step, ModelStep)]
        self._texts = trace.texts
        self._at = 0
        self._lock = threading.Lock()

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Return the next recorded reply if it belongs to this prompt."""
        step = self._next(prompt)
        if step.reply is None:
            said = "" if step.failure is None else step.failure.message
            raise BackendError(said or f"{step.engine} failed when this was recorded.")
        text = self._texts[step.reply]
        if on_text is not None:
            on_text(text)
        return Reply(
            text, step.usage, step.seconds, step.engine or self.name, step.truncated, step.confidence
        )

    def _next(self, prompt: Prompt) -> ModelStep:
        found = prompt.sha256
        with self._lock:
            if self._at >= len(self._steps):
                raise BackendError(
                    f"The recording ends after {len(self._steps)} calls; {prompt.task!r} is new."
                )
            step = self._steps[self._at]
            if (step.task, step.prompt_sha256) != (prompt.task, found):
                raise BackendError(
                    f"Call {self._at + 1} of the recording is {step.task!r} ({step.prompt_sha256[:12]}…), "
                    f"not {prompt.task!r} ({found[:12]}…): the prompt differs, so its reply is not used."
                )
            self._at += 1
        return step


def build(request: EngineRequest) -> ReplayEngine:
    """Make a replay engine of the trace file that the model's name, or the option `path`, points to."""
    path = str(request.options.get("path") or request.model)
    if not path:
        raise SettingsError("Say which trace to replay, like 'replay:PATH/TO/TRACE.json'.")
    try:
        trace = Trace.model_validate_json(Path(path).read_bytes())
    except OSError as exc:
        raise FileProblem(f"The trace {path} cannot be read: {exc.strerror}.") from exc
    except ValueError as exc:
        raise FileProblem(f"{path} is not a trace: {str(exc).splitlines()[0]}.") from exc
    return ReplayEngine(trace, name=f"replay:{Path(path).stem}")
