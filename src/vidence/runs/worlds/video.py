"""The world of real videos: frames captioned from the index, and the atomic operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from vidence.errors import OpRetry, UserError, VidenceError
from vidence.ops.runner import Outcome
from vidence.runs.worlds.coverage import Coverage, FrameTime
from vidence.schema.agent import AnswerLanguage, MemoryUnit, OperationCall, VideoCard
from vidence.schema.evidence import EvidenceRecord, OpRecord, hash_of
from vidence.schema.message import EncodedPicture
from vidence.schema.time import TimeRange
from vidence.tools.operation import ToolResult

__all__ = [
    "REFUSED",
    "Archived",
    "DetectMany",
    "RunOperation",
    "Show",
    "VideoWorld",
    "operation_evidence",
    "operation_record",
]

RunOperation = Callable[[str, Mapping[str, Any]], Outcome[Any]]
Show = Callable[[str, float], EncodedPicture]
"""Returns the frame of a video at a time, as a picture."""
DetectMany = Callable[[Sequence[OperationCall]], object]
"""Runs calls of detect_objects that differ only in their time, into the result cache."""
Archived = Callable[[str], EvidenceRecord | None]
"""Returns a stored record by its id."""

REFUSED = frozenset({"write_memory"})
"""A question only reads: text in a video must not be able to write memories."""
_HALF_S = 0.5
_WORTH_A_PASS = 3
_SAME_S = 0.4
"""A frame this near to a fetched one shows nothing new."""


class VideoWorld:
    """One video or several; frames are numbered over all of them in the order they are fetched."""

    def __init__(
        self,
        run: RunOperation,
        videos: Sequence[VideoCard],
        *,
        language: AnswerLanguage = "en",
        detail: str = "standard",
        stored_hash: Callable[[str], str | None],
        show: Show | None = None,
        detect_many: DetectMany | None = None,
        archived: Archived | None = None,
    ) -> None:
        if not videos:
            raise UserError("There is no video to look at.")
        self._run = run
        self._videos = tuple(videos)
        self._language, self._detail = language, detail
        self._show, self._stored_hash, self._detect_many = show, stored_hash, detect_many
        self._archived = archived
        self._frames: dict[int, EvidenceRecord] = {}
        self._moments: dict[int, FrameTime] = {}
        self._timeline: Coverage | None = None

    @property
    def videos(self) -> tuple[VideoCard, ...]:
        return self._videos

    @property
    def num_unseen(self) -> int | None:
        """How many candidate frames are left; None before the first fetch."""
        return None if self._timeline is None else self._timeline.num_left

    def first_frames(self, count: int) -> list[MemoryUnit]:
        """Return frames spread over every video."""
        return self._see(self._plan.spread(count))

    def fetch_new_frames(self, count: int, focus: str | None = None) -> list[MemoryUnit]:
        """Return new frames where a search finds `focus`, else from shots without a fetched frame."""
        plan = self._plan
        chosen = plan.take_near(self._found(focus, count), count, _SAME_S) if focus else []
        return self._see([*chosen, *plan.farthest(count - len(chosen))])

    def prepare(self, calls: Sequence[OperationCall]) -> None:
        """Detect objects in many frames in one pass; the calls then hit the result cache."""
        known = {video.video_id for video in self._videos}
        groups: dict[str, list[OperationCall]] = {}
        for call in calls:
            if call.operation == "detect_objects" and call.arguments.get("video_id") in known:
                others = {name: value for name, value in call.arguments.items() if name != "timestamp"}
                groups.setdefault(repr(sorted(others.items())), []).append(call)
        for group in groups.values():
            if self._detect_many is not None and len(group) >= _WORTH_A_PASS:
                # A mistake in a call is reported when the call itself is made.
                with suppress(VidenceError):
                    self._detect_many(group)

    def call(self, call: OperationCall) -> EvidenceRecord:
        """Run an operation on one of the videos; with a single video its id may be left out."""
        if call.operation in REFUSED:
            raise OpRetry(f"{call.operation} is not offered here: a question only looks.")
        arguments = dict(call.arguments)
        known = {video.video_id for video in self._videos}
        if "video_id" not in arguments and len(known) == 1:
            arguments["video_id"] = self._videos[0].video_id
        if arguments.get("video_id") not in known:
            raise OpRetry(
                f"{call.operation}: video_id is {arguments.get('video_id')!r}; it must be one of "
                f"{', '.join(sorted(known))}."
            )
        outcome = self._run(call.operation, arguments)
        record = operation_evidence(outcome, call)
        if not isinstance(outcome.result, ToolResult) or self._archived is None:
            return record
        steps = (self._archived(one) for one in outcome.result.evidence)
        return record.model_copy(update={"parts": tuple(step for step in steps if step is not None)})

    def frame_records(self, frame_ids: Sequence[int]) -> list[EvidenceRecord]:
        """Return fetched frames as records; each names the operation that captioned it."""
        return [self._frames[frame] for frame in frame_ids if frame in self._frames]

    def picture_of(self, frame_id: int) -> EncodedPicture | None:
        """Return a fetched frame as a picture."""
        moment = self._moments.get(frame_id)
        if moment is None or self._show is None:
            return None
        return self._show(moment.video_id, moment.time_s)

    def stored_hash(self, record_id: str) -> str | None:
        """Return the stored hash of a record."""
        return self._stored_hash(record_id)

    @property
    def _plan(self) -> Coverage:
        if self._timeline is None:
            shots = {video.video_id: self._shots(video) for video in self._videos}
            self._timeline = Coverage(self._videos, shots)
        return self._timeline

    def _shots(self, video: VideoCard) -> list[TimeRange]:
        arguments = {"video_id": video.video_id, "granularity": "fine"}
        found = self._run("get_temporal_structure", arguments).result.segments
        return [TimeRange(start_time=one.start_time, end_time=one.end_time) for one in found]

    def _found(self, focus: str, count: int) -> list[FrameTime]:
        """Return the times a search finds, the most confident first; none for an impossible query."""
        hits: list[tuple[float, FrameTime]] = []
        for video in self._videos:
            arguments = {
                "video_id": video.video_id,
                "query": focus,
                "top_k": max(1, count),
                "modality": "multimodal",
            }
            try:
                results = self._run("temporal_search", arguments).result.results
            except OpRetry:
                return []
            for hit in results:
                middle = (hit.start_time + hit.end_time) / 2
                hits.append((hit.confidence, FrameTime(video.video_id, round(middle, 3))))
        return [moment for _, moment in sorted(hits, key=lambda pair: -pair[0])]

    def _see(self, moments: Sequence[FrameTime]) -> list[MemoryUnit]:
        """Caption frames; one that fails is left out, unless all fail."""
        units, failure = [], None
        for moment in sorted(moments, key=self._place):
            try:
                units.append(self._describe(moment))
            except VidenceError as exc:
                failure = exc
        if moments and not units and failure is not None:
            raise failure
        return units

    def _place(self, moment: FrameTime) -> tuple[int, float]:
        order = [video.video_id for video in self._videos]
        return order.index(moment.video_id), moment.time_s

    def _describe(self, moment: FrameTime) -> MemoryUnit:
        video = next(one for one in self._videos if one.video_id == moment.video_id)
        start, end = _around(moment.time_s, video.duration_s)
        arguments = {"video_id": moment.video_id, "start_time": start, "end_time": end}
        asked = {**arguments, "detail_level": self._detail, "language": self._language}
        outcome = self._run("describe_visual", asked)
        number = len(self._frames) + 1
        caption = str(outcome.result.description)
        self._moments[number] = moment
        self._frames[number] = EvidenceRecord(
            record_id=f"frame_{number}",
            kind="frame",
            source="frame",
            video_id=moment.video_id,
            span=TimeRange(start_time=start, end_time=end),
            arguments={"operation": "describe_visual", "record_id": outcome.record.record_id},
            result=caption,
            result_hash=hash_of(caption),
        )
        return MemoryUnit(
            frame_id=number, caption=caption, timestamp_s=moment.time_s, video_id=moment.video_id
        )


def operation_evidence(outcome: Outcome[Any], call: OperationCall) -> EvidenceRecord:
    """Return what an operation answered as a record that claims can cite."""
    result = outcome.result.model_dump(mode="json")
    return operation_record(outcome.record, result, asked=call.arguments)


def operation_record(record: OpRecord, result: Any, *, asked: Mapping[str, Any]) -> EvidenceRecord:
    """Return an operation's stored record as evidence; `asked` are the arguments as they were written."""
    return EvidenceRecord(
        record_id=record.record_id,
        kind="operation",
        source=record.operation,
        video_id=record.video_id,
        span=record.span,
        asked=dict(asked),
        arguments=record.arguments,
        result=result,
        result_hash=record.result_hash,
    )


def _around(time_s: float, duration_s: float) -> tuple[float, float]:
    end = min(max(time_s + _HALF_S, 2 * _HALF_S), duration_s)
    return round(max(0.0, min(time_s - _HALF_S, end - 2 * _HALF_S)), 3), round(end, 3)
