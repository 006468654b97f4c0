"""An engine that repeats what another once said, and only to the very prompts it was said to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from vidence.errors import BackendError, FileProblem, SettingsError
from vidence.llm.base import EngineBase
from vidence.llm.options import EngineRequest
from vidence.llm.protocol import Capabilities, OnText, Reply
from vidence.prompts import Prompt
from vidence.schema.message import Usage
from vidence.schema.trace import ModelStep, Trace

__all__ = ["RecordedReply", "ReplayEngine", "build", "replies_of"]

_CAPABILITIES = Capabilities(
    sees_pictures=True,
    streaming=True,
    context_tokens=10**9,
    deterministic=True,
    max_calls=100,
    max_videos=1,
    caption_detail="brief",
    reads_text=False,
    metered=False,
)


@dataclass(frozen=True)
class RecordedReply:
    """One call as it went."""

    task: str
    prompt_sha256: str
    text: str | None
    """None where the call failed; `problem` then says how."""
    problem: str = ""
    engine: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    truncated: bool = False


def _sha256(prompt: Prompt) -> str:
    return prompt.sha256


class ReplayEngine(EngineBase):
    """Answers recorded calls in their order; a prompt that differs is refused, not answered wrongly."""

    def __init__(
        self,
        replies: Sequence[RecordedReply],
        *,
        name: str = "replay",
        name_of: Callable[[Prompt], str] = _sha256,
    ) -> None:
        super().__init__(name, _CAPABILITIES)
        self._replies = list(replies)
        self._at = 0
        self._name_of = name_of
        self._lock = threading.Lock()

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Return the next recorded reply if it belongs to this prompt."""
        recorded = self._next(prompt)
        if recorded.text is None:
            raise BackendError(recorded.problem or f"{recorded.engine} failed when this was recorded.")
        if on_text is not None:
            on_text(recorded.text)
        return Reply(
            recorded.text, recorded.usage, recorded.seconds, recorded.engine or self.name, recorded.truncated
        )

    def _next(self, prompt: Prompt) -> RecordedReply:
        found = self._name_of(prompt)
        with self._lock:
            if self._at >= len(self._replies):
                raise BackendError(
                    f"The recording ends after {len(self._replies)} calls; {prompt.task!r} is new."
                )
            recorded = self._replies[self._at]
            if (recorded.task, recorded.prompt_sha256) != (prompt.task, found):
                raise BackendError(
                    f"Call {self._at + 1} of the recording is {recorded.task!r} "
                    f"({recorded.prompt_sha256[:12]}…), not {prompt.task!r} ({found[:12]}…): "
                    "the prompt differs, so its reply is not used."
                )
            self._at += 1
        return recorded


def replies_of(trace: Trace) -> list[RecordedReply]:
    """Return the calls of a trace, in order."""
    steps = [step for step in trace.steps if isinstance(step, ModelStep)]
    return [
        RecordedReply(
            task=step.task,
            prompt_sha256=step.prompt_sha256,
            text=None if step.reply is None else trace.texts[step.reply],
            problem="" if step.failure is None else step.failure.message,
            engine=step.engine,
            usage=step.usage,
            seconds=step.seconds,
            truncated=step.truncated,
        )
        for step in steps
    ]


def build(request: EngineRequest) -> ReplayEngine:
    """Make a replay engine of the trace file that the model's name, or the option `path`, points to."""
    path = str(request.options.get("path") or request.model)
    if not path:
        raise SettingsError("Say which trace to replay, like 'replay:PATH/TO/TRACE.json'.")
    try:
        trace = Trace.model_validate(json.loads(Path(path).read_bytes()))
        return ReplayEngine(replies_of(trace), name=f"replay:{Path(path).stem}")
    except OSError as exc:
        raise FileProblem(f"The trace {path} cannot be read: {exc.strerror}.") from exc
    except (ValueError, ValidationError, KeyError) as exc:
        raise FileProblem(f"{path} is not a trace: {str(exc).splitlines()[0]}.") from exc
