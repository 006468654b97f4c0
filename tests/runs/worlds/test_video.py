"""A world of videos over a recorded set of operations: which frames it takes and which calls it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from vidence.errors import BackendError, OpFailed, OpRetry, UserError, VidenceError
from vidence.ops.describe_visual import DescribeVisualResult
from vidence.ops.detect_objects import DetectObjectsResult
from vidence.ops.get_temporal_structure import GetTemporalStructureResult, StructureSegment
from vidence.ops.operation import Result
from vidence.ops.runner import Outcome
from vidence.ops.temporal_search import SearchHit, TemporalSearchResult
from vidence.runs.worlds.video import VideoWorld
from vidence.schema.agent import MemoryUnit, OperationCall, VideoCard
from vidence.schema.evidence import OpRecord, hash_of
from vidence.schema.message import EncodedPicture

SHORT = VideoCard(video_id="vid_a", name="a.mp4", duration_s=10.0)
LONG = VideoCard(video_id="vid_b", name="b.mp4", duration_s=40.0)
JPEG = b"\xff\xd8 picture"


class Operations:
    """A run function that answers with real results and keeps every call."""

    def __init__(
        self,
        *,
        hits: Mapping[str, Sequence[tuple[float, float]]] | None = None,
        search_error: VidenceError | None = None,
        dark: Sequence[float] = (),
    ) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._hits, self._search_error, self._dark = hits or {}, search_error, dark

    def __call__(self, operation: str, arguments: Mapping[str, Any]) -> Outcome[Any]:
        self.calls.append((operation, dict(arguments)))
        result = self._result(operation, arguments)
        record = OpRecord(
            record_id=f"rec_{len(self.calls)}",
            operation=operation,
            arguments={**arguments, "filled_in": True},
            video_id=arguments["video_id"],
            span=None,
            models=("m",),
            index_version="1",
            result_hash=hash_of(result.model_dump(mode="json")),
            started_at=0.0,
            duration_s=0.0,
            cached=False,
        )
        return Outcome(result, record)

    def of(self, operation: str) -> list[dict[str, Any]]:
        return [arguments for name, arguments in self.calls if name == operation]

    def _result(self, operation: str, arguments: Mapping[str, Any]) -> Result:
        if operation == "get_temporal_structure":
            edges = [(0.0, 10.0)] if arguments["video_id"] == "vid_a" else [(0.0, 20.0), (20.0, 40.0)]
            rows = [_segment(number, *edge) for number, edge in enumerate(edges)]
            return GetTemporalStructureResult(segments=rows, total_segments=len(rows))
        if operation == "temporal_search":
            if self._search_error is not None:
                raise self._search_error
            found = [_hit(middle, sure) for middle, sure in self._hits.get(arguments["video_id"], ())]
            return TemporalSearchResult(query=arguments["query"], results=found, search_time_ms=1.0)
        if operation == "describe_visual":
            if any(arguments["start_time"] <= time <= arguments["end_time"] for time in self._dark):
                raise OpFailed(f"nothing can be seen at {arguments['start_time']}")
            said = f"{arguments['video_id']} at {arguments['start_time']:g}"
            return DescribeVisualResult(description=said, confidence=0.9, num_frames_analyzed=1)
        return DetectObjectsResult(timestamp=arguments["timestamp"], objects=[])


def _segment(number: int, start: float, end: float) -> StructureSegment:
    return StructureSegment(
        segment_id=f"seg_{number}", start_time=start, end_time=end, duration=end - start, type="shot"
    )


def _hit(middle: float, sure: float) -> SearchHit:
    return SearchHit(
        segment_id="seg_0",
        start_time=middle - 1,
        end_time=middle + 1,
        duration=2.0,
        confidence=sure,
        matched_modality="visual",
    )


def look(run: Operations, *videos: VideoCard, **more: Any) -> VideoWorld:
    return VideoWorld(run, videos or (SHORT,), **{"stored_hash": lambda record_id: None, **more})


def places(frames: Sequence[MemoryUnit]) -> list[tuple[str | None, float | None]]:
    return [(frame.video_id, frame.timestamp_s) for frame in frames]


def test_a_world_without_videos_is_refused() -> None:
    with pytest.raises(UserError, match="no video"):
        VideoWorld(Operations(), [], stored_hash=lambda record_id: None)


def test_first_frames_are_spread_over_every_video_and_numbered_through() -> None:
    frames = look(Operations(), SHORT, LONG).first_frames(4)
    assert places(frames) == [("vid_a", 2.5), ("vid_a", 7.5), ("vid_b", 10.0), ("vid_b", 30.0)]
    assert [frame.frame_id for frame in frames] == [1, 2, 3, 4]
    assert frames[0].caption == "vid_a at 2"


def test_frames_are_described_in_the_run_s_language_and_detail() -> None:
    run = Operations()
    look(run, language="zh", detail="brief").first_frames(1)
    (asked,) = run.of("describe_visual")
    assert (asked["language"], asked["detail_level"]) == ("zh", "brief")
    assert (asked["start_time"], asked["end_time"]) == (4.5, 5.5)


def test_the_described_second_stays_inside_the_video() -> None:
    run = Operations(hits={"vid_a": [(0.1, 0.9), (9.9, 0.8)]})
    look(run).fetch_new_frames(2, "cat")
    spans = [(one["start_time"], one["end_time"]) for one in run.of("describe_visual")]
    assert spans == [(0.0, 1.0), (9.0, 10.0)]


def test_a_video_shorter_than_a_second_is_described_whole() -> None:
    run = Operations()
    look(run, SHORT.model_copy(update={"duration_s": 0.4})).first_frames(1)
    (asked,) = run.of("describe_visual")
    assert (asked["start_time"], asked["end_time"]) == (0.0, 0.4)


def test_how_many_frames_are_left_is_known_after_the_first_fetch() -> None:
    world = look(Operations())
    assert world.num_unseen is None
    world.first_frames(2)
    assert world.num_unseen == 8


def test_a_focus_takes_the_most_confident_moments_of_all_videos() -> None:
    run = Operations(hits={"vid_a": [(3.0, 0.5)], "vid_b": [(33.0, 0.9), (5.0, 0.2)]})
    frames = look(run, SHORT, LONG).fetch_new_frames(2, "红色的杯子")
    assert places(frames) == [("vid_a", 3.0), ("vid_b", 33.0)], "in the order of the videos and of time"
    assert [one["query"] for one in run.of("temporal_search")] == ["红色的杯子"] * 2


def test_a_moment_that_was_seen_is_not_fetched_again() -> None:
    world = look(Operations(hits={"vid_a": [(5.2, 0.9), (8.0, 0.4)]}))
    world.first_frames(1)
    assert places(world.fetch_new_frames(1, "cat")) == [("vid_a", 8.0)]


def test_what_a_search_leaves_over_is_filled_with_unseen_shots() -> None:
    world = look(Operations(hits={"vid_b": [(4.0, 0.9)]}), LONG)
    first, second = world.fetch_new_frames(2, "cat")
    assert first.timestamp_s == 4.0
    assert second.timestamp_s is not None
    assert second.timestamp_s > 20


def test_an_impossible_query_still_brings_frames() -> None:
    world = look(Operations(search_error=OpRetry("the query has no words")))
    assert len(world.fetch_new_frames(3, "???")) == 3


def test_a_search_that_breaks_down_is_not_hidden() -> None:
    with pytest.raises(BackendError, match="out of memory"):
        look(Operations(search_error=BackendError("out of memory"))).fetch_new_frames(3, "cat")


def test_without_a_focus_nothing_is_searched() -> None:
    run = Operations()
    look(run).fetch_new_frames(2)
    assert run.of("temporal_search") == []


def test_the_shots_are_asked_for_once() -> None:
    run = Operations()
    world = look(run, SHORT, LONG)
    world.first_frames(2)
    world.fetch_new_frames(2)
    assert [one["video_id"] for one in run.of("get_temporal_structure")] == ["vid_a", "vid_b"]


def test_a_frame_that_cannot_be_described_is_left_out() -> None:
    frames = look(Operations(dark=[2.5])).first_frames(2)
    assert places(frames) == [("vid_a", 7.5)]
    assert [frame.frame_id for frame in frames] == [1]


def test_where_no_frame_can_be_described_the_reason_is_raised() -> None:
    with pytest.raises(OpFailed, match="nothing can be seen"):
        look(Operations(dark=[2.5, 7.5])).first_frames(2)


def test_a_frame_s_record_names_the_operation_that_described_it() -> None:
    world = look(Operations())
    world.first_frames(1)
    (record,) = world.frame_records([1, 2])
    assert (record.record_id, record.kind, record.video_id) == ("frame_1", "frame", "vid_a")
    assert record.arguments == {"operation": "describe_visual", "record_id": "rec_2"}
    assert record.span is not None
    assert (record.span.start_time, record.span.end_time) == (4.5, 5.5)
    assert record.result_hash == hash_of("vid_a at 4.5")


def test_with_one_video_its_id_may_be_left_out_of_a_call() -> None:
    world = look(Operations())
    record = world.call(OperationCall(operation="detect_objects", arguments={"timestamp": 3.0}))
    assert record.asked == {"timestamp": 3.0}, "as it was written"
    assert record.arguments == {"timestamp": 3.0, "video_id": "vid_a", "filled_in": True}
    assert (record.source, record.kind, record.video_id) == ("detect_objects", "operation", "vid_a")
    assert record.result_hash == hash_of(record.result)


@pytest.mark.parametrize("arguments", [{}, {"video_id": "vid_z"}, {"video_id": None}])
def test_with_several_videos_a_call_must_name_one_of_them(arguments: dict[str, Any]) -> None:
    run = Operations()
    with pytest.raises(OpRetry, match="must be one of vid_a, vid_b"):
        look(run, LONG, SHORT).call(OperationCall(operation="get_transcript", arguments=arguments))
    assert run.calls == []


def test_a_question_never_writes_memories() -> None:
    run = Operations()
    with pytest.raises(OpRetry, match="only looks"):
        look(run).call(OperationCall(operation="write_memory", arguments={"content": "obey"}))
    assert run.calls == []


def detections(count: int, video: str = "vid_a", **more: Any) -> list[OperationCall]:
    return [
        OperationCall(operation="detect_objects", arguments={"video_id": video, "timestamp": at, **more})
        for at in range(count)
    ]


def prepared(calls: Sequence[OperationCall], *, error: VidenceError | None = None) -> list[list[Any]]:
    groups: list[list[Any]] = []

    def detect_many(group: Sequence[OperationCall]) -> None:
        groups.append([call.arguments["timestamp"] for call in group])
        if error is not None:
            raise error

    look(Operations(), SHORT, LONG, detect_many=detect_many).prepare(calls)
    return groups


def test_many_detections_alike_are_made_in_one_pass() -> None:
    assert prepared(detections(4)) == [[0, 1, 2, 3]]


def test_detections_that_differ_in_more_than_time_are_passes_of_their_own() -> None:
    calls = [*detections(3, category="cup"), *detections(3, category="dog"), *detections(3, "vid_b")]
    assert prepared(calls) == [[0, 1, 2]] * 3


def test_a_few_detections_other_operations_and_unknown_videos_are_not_prepared() -> None:
    others = [OperationCall(operation="get_transcript", arguments={"video_id": "vid_a"})] * 5
    assert prepared([*detections(2), *others, *detections(5, "vid_z")]) == []


def test_a_pass_that_fails_leaves_the_error_to_the_call_itself() -> None:
    assert prepared(detections(3), error=OpRetry("no such category")) == [[0, 1, 2]]


def test_without_a_pass_over_many_frames_preparing_does_nothing() -> None:
    run = Operations()
    look(run).prepare(detections(5))
    assert run.calls == []


def test_a_fetched_frame_is_shown_at_its_own_time() -> None:
    asked: list[tuple[str, float]] = []

    def show(video_id: str, time_s: float) -> EncodedPicture:
        asked.append((video_id, time_s))
        return EncodedPicture(data=JPEG)

    world = look(Operations(), SHORT, LONG, show=show)
    world.first_frames(2)
    picture = world.picture_of(2)
    assert picture is not None
    assert (picture.data, asked) == (JPEG, [("vid_b", 20.0)])
    assert world.picture_of(3) is None


def test_a_world_that_cannot_show_frames_shows_none() -> None:
    world = look(Operations())
    world.first_frames(1)
    assert world.picture_of(1) is None


def test_a_stored_record_is_looked_up_by_its_id() -> None:
    world = look(Operations(), stored_hash={"rec_1": "abc"}.get)
    assert (world.stored_hash("rec_1"), world.stored_hash("rec_2")) == ("abc", None)
