"""Batches answer in the order asked, and as single calls would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from vidence.app import Workspace
from vidence.errors import OpRetry, UnknownName
from vidence.ops import OpContext
from vidence.ops.batch import Call, batch_detect_objects, run_many


def test_a_batch_equals_single_calls_in_the_order_asked(
    film: Workspace, film_id: str, context: OpContext, needs_models: Callable[..., None]
) -> None:
    needs_models("objects", "pose")
    times = [39.68, 7.0, 13.48, 7.0]
    batch = [one.result for one in batch_detect_objects(context, film_id, times, confidence_threshold=0.4)]
    assert [one.timestamp for one in batch] == pytest.approx(times, abs=0.05)
    fresh = OpContext(film.settings.model_copy(update={"cache_results": False}), film.store, film.indexer)
    [again] = batch_detect_objects(fresh, film_id, [7.0], confidence_threshold=0.4)
    assert again.result == batch[1] == batch[3]
    assert not again.record.cached


def test_times_may_be_written_as_text_like_those_of_a_single_call(
    context: OpContext, film_id: str, needs_models: Callable[..., None]
) -> None:
    needs_models("objects", "pose")
    written: list[Any] = ["7.0", 7, 7.0]
    first, second, third = batch_detect_objects(context, film_id, written, confidence_threshold=0.4)
    assert first.result == second.result == third.result


def test_a_batch_with_a_bad_time_is_refused_before_work_begins(context: OpContext, film_id: str) -> None:
    with pytest.raises(OpRetry, match=r"timestamp is 99.*54\.6"):
        batch_detect_objects(context, film_id, [1.0, 99.0])
    assert batch_detect_objects(context, film_id, []) == []


def test_many_calls_come_back_in_order_and_one_failing_stops_no_other(
    context: OpContext, film_id: str
) -> None:
    calls = [
        Call("get_video_info", {"video_id": film_id}),
        Call("get_video_info", {"video_id": film_id, "colour": "red"}),
        Call("get_vidio_info", {"video_id": film_id}),
        Call("get_temporal_structure", {"video_id": film_id, "granularity": "fine"}),
    ]
    answers = run_many(context, calls, workers=3)
    assert [answer.call for answer in answers] == calls
    assert [answer.error is None for answer in answers] == [True, False, False, True]
    assert answers[0].unwrap().result.duration > 50
    assert answers[3].unwrap().result.total_segments > 1
    with pytest.raises(OpRetry, match="colour"):
        answers[1].unwrap()
    with pytest.raises(UnknownName, match="get_video_info"):
        answers[2].unwrap()
    assert run_many(context, []) == []
