"""Batches answer in the order asked, and as single calls would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from vidence.app import Workspace
from vidence.errors import OpRetry
from vidence.ops import OpContext
from vidence.ops.detect_objects import detect_many


def test_a_batch_equals_single_calls_in_the_order_asked(
    film: Workspace, film_id: str, context: OpContext, needs_models: Callable[..., None]
) -> None:
    needs_models("objects", "pose")
    times = [39.68, 7.0, 13.48, 7.0]
    batch = [one.result for one in detect_many(context, film_id, times, confidence_threshold=0.4)]
    assert [one.timestamp for one in batch] == pytest.approx(times, abs=0.05)
    fresh = OpContext(film.settings.model_copy(update={"cache_results": False}), film.store, film.indexer)
    [again] = detect_many(fresh, film_id, [7.0], confidence_threshold=0.4)
    assert again.result == batch[1] == batch[3]
    assert not again.record.cached


def test_times_may_be_written_as_text_like_those_of_a_single_call(
    context: OpContext, film_id: str, needs_models: Callable[..., None]
) -> None:
    needs_models("objects", "pose")
    written: list[Any] = ["7.0", 7, 7.0]
    first, second, third = detect_many(context, film_id, written, confidence_threshold=0.4)
    assert first.result == second.result == third.result


def test_a_batch_with_a_bad_time_is_refused_before_work_begins(context: OpContext, film_id: str) -> None:
    with pytest.raises(OpRetry, match=r"timestamp is 99.*54\.6"):
        detect_many(context, film_id, [1.0, 99.0])
    assert detect_many(context, film_id, []) == []
