"""Looking at the world during a run: frames and operations, into memory and ledger, within the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vidence.agents.solver_checker.messages import failed_call, notification, record_block
from vidence.errors import VidenceError
from vidence.language.phrases import phrase
from vidence.llm.protocol import Engine
from vidence.runs.brief import brief_result
from vidence.runs.budget import Meter
from vidence.runs.ledger import Ledger
from vidence.runs.worlds.world import Pictured, Preparing, World
from vidence.schema.agent import AnswerLanguage, MemoryUnit, OperationCall, RetrievePayload
from vidence.schema.events import FramesFetched, OperationAnswered, OperationCalled, StepEvent, StepFailed
from vidence.schema.message import Picture

__all__ = ["Looking"]

_MOST_AT_ONCE = 32
"""Frames given to one request, however many it asks for."""
_PREPARED = 16
"""Calls the world hears of together: few enough to stop soon after a limit is reached."""


class Looking:
    """Fetches and calls on a Solver's behalf."""

    def __init__(
        self,
        world: World,
        ledger: Ledger,
        meter: Meter,
        emit: Callable[[StepEvent], None],
        language: AnswerLanguage,
        engine: Engine,
    ) -> None:
        self._world, self._ledger, self._meter = world, ledger, meter
        self._emit, self._language = emit, language
        self._sees = engine.capabilities.sees_pictures
        self._most_calls = engine.capabilities.max_calls
        self.memory: list[MemoryUnit] = []
        self.problems: list[str] = []

    def begin(self, count: int) -> list[Picture]:
        """Fetch the first frames; return their pictures for an engine that sees."""
        left = self._meter.frames_left
        wanted = count if left is None else min(count, left)
        try:
            frames = self._world.first_frames(wanted)
        except VidenceError as exc:
            self._failed(exc)
            return []
        return self._take(frames, None)

    def fetch(self, payload: RetrievePayload) -> tuple[str, list[Picture]]:
        """Fetch what a Solver asks for; return the notification and the pictures that go with it."""
        allowed, note = self._allowance(payload.count)
        if allowed == 0:
            return notification([], note), []
        try:
            frames = self._world.fetch_new_frames(allowed, payload.focus)[:allowed]
        except VidenceError as exc:
            self._failed(exc)
            return notification([], str(exc)), []
        pictures = self._take(frames, payload.focus)
        if not frames:
            note = phrase("all_seen", self._language)
        elif len(frames) < min(allowed, max(1, payload.count)):
            note = phrase("fewer", self._language, payload.count)
        return notification(frames, note), pictures

    def call(self, calls: Sequence[OperationCall]) -> str:
        """Run operations one after the other; return the message with their results."""
        parts: list[str] = []
        allowed = calls[: self._most_calls]
        for first in range(0, len(allowed), _PREPARED):
            chunk = allowed[first : first + _PREPARED]
            if isinstance(self._world, Preparing) and self._meter.reached() is None:
                self._world.prepare(chunk)
            parts += [self._run(call) for call in chunk if self._meter.reached() is None]
        skipped = len(calls) - len(parts)
        if skipped:
            parts.append(f"{skipped} more calls were not answered: at most {self._most_calls} at once.")
        answered = "\n".join(parts)
        return f"System Notification: Results of {len(parts) - bool(skipped)} operations:\n{answered}"

    def _run(self, call: OperationCall) -> str:
        step = self._meter.steps
        self._emit(OperationCalled(step=step, call=call))
        self._meter.operations += 1
        try:
            record = self._world.call(call)
        except VidenceError as exc:
            self._ledger.note_failure(call, str(exc))
            self._emit(StepFailed(step=step, problem=str(exc)))
            return failed_call(call, str(exc))
        self._ledger.add(record)
        block = record_block(record)
        brief = brief_result(record, language=self._language)
        self._emit(
            OperationAnswered(step=step, operation=call.operation, record_id=record.record_id, brief=brief)
        )
        return block

    def _allowance(self, count: int) -> tuple[int, str]:
        """Return how many frames a request gets, and what to say where that is fewer than it asked for."""
        wanted = max(1, count)
        left = self._meter.frames_left
        if left == 0:
            return 0, phrase("frame_limit", self._language, count)
        allowed = min(wanted, _MOST_AT_ONCE, *([left] if left is not None else []))
        return allowed, phrase("frame_cut", self._language, count) if allowed < wanted else ""

    def _take(self, frames: Sequence[MemoryUnit], focus: str | None) -> list[Picture]:
        self.memory += frames
        self._meter.frames += len(frames)
        self._ledger.add_all(self._world.frame_records([frame.frame_id for frame in frames]))
        self._emit(FramesFetched(step=self._meter.steps, focus=focus, frames=tuple(frames)))
        if not self._sees or not isinstance(self._world, Pictured):
            return []
        shown = [self._world.picture_of(frame.frame_id) for frame in frames]
        return [picture for picture in shown if picture is not None]

    def _failed(self, exc: VidenceError) -> None:
        self.problems.append(str(exc))
        self._emit(StepFailed(step=self._meter.steps, problem=str(exc)))
