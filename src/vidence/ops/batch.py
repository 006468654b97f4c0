"""Many calls at once: one decode for many frames, threads for many spans, answers in the order asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from vidence.errors import VidenceError
from vidence.media import Picture, open_video
from vidence.ops.catalogue import get_operation
from vidence.ops.context import OpContext
from vidence.ops.detect_objects import OPERATION as DETECT_OBJECTS
from vidence.ops.detect_objects import DetectObjectsRequest, DetectObjectsResult, detect_in
from vidence.ops.runner import Outcome, run_operation
from vidence.ops.times import check_time
from vidence.ops.validate import validate_request

__all__ = ["Answer", "Call", "batch_detect_objects", "run_many"]


@dataclass(frozen=True)
class Call:
    """An operation and its arguments."""

    operation: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """How one call ended: with an outcome or with an error, never both."""

    call: Call
    outcome: Outcome[Any] | None = None
    error: VidenceError | None = None

    def unwrap(self) -> Outcome[Any]:
        """Return the outcome, or raise the error the call ended with."""
        if self.outcome is None:
            raise self.error or VidenceError(f"{self.call.operation} gave no result.")
        return self.outcome


def run_many(context: OpContext, calls: Sequence[Call], *, workers: int | None = None) -> list[Answer]:
    """Run calls side by side and return their answers in order; one failing stops no other."""
    if not calls:
        return []
    with ThreadPoolExecutor(workers or context.settings.threads, thread_name_prefix="ops") as pool:
        return list(pool.map(lambda call: _attempt(context, call), calls))


def batch_detect_objects(
    context: OpContext, video_id: str, timestamps: Sequence[float], **arguments: Any
) -> list[Outcome[DetectObjectsResult]]:
    """Run `detect_objects` at many times in one pass over the video; results in the order of `timestamps`."""
    video_id = context.store.catalogue.resolve(video_id).video_id
    asked = [_checked(context, video_id, time, arguments) for time in timestamps]
    times = sorted(set(asked))
    outcomes: dict[float, Outcome[DetectObjectsResult]] = {}
    settings = context.settings
    with open_video(
        context.path(video_id), threads=settings.threads, max_pixels=settings.max_pixels
    ) as reader:
        for time, picture in zip(times, reader.at(_clamped(context, video_id, times)), strict=True):
            outcomes[time] = _detect(context, {"video_id": video_id, "timestamp": time, **arguments}, picture)
    return [outcomes[time] for time in asked]


def _attempt(context: OpContext, call: Call) -> Answer:
    try:
        operation = get_operation(call.operation)
        return Answer(call, run_operation(operation, call.arguments, replace(context, models=[])))
    except VidenceError as exc:
        return Answer(call, error=exc)


def _checked(context: OpContext, video_id: str, time: float, arguments: Mapping[str, Any]) -> float:
    """Return the time as a number, finding mistakes before any frame is decoded."""
    call = {"video_id": video_id, "timestamp": time, **arguments}
    request = validate_request(DETECT_OBJECTS, call)
    check_time(context, video_id, request.timestamp)
    return float(request.timestamp)


def _clamped(context: OpContext, video_id: str, times: Sequence[float]) -> list[float]:
    return [check_time(context, video_id, time) for time in times]


def _detect(
    context: OpContext, arguments: Mapping[str, Any], picture: Picture
) -> Outcome[DetectObjectsResult]:
    def run(context: OpContext, request: DetectObjectsRequest) -> DetectObjectsResult:
        return detect_in(context, request, picture)

    return run_operation(replace(DETECT_OBJECTS, run=run), arguments, replace(context, models=[]))
