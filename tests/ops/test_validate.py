"""Mistakes come back as words a caller can act on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.toy import make_toy
from vidence.errors import OpRetry
from vidence.ops.validate import validate_request

TOY, _ = make_toy()
GOOD = {"video_id": "vid_1", "query": "cat"}


def test_defaults_are_filled_in() -> None:
    request = validate_request(TOY, GOOD)
    assert (request.mode, request.top_k, request.threshold) == ("slow", 10, 0.3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mode": "medium"}, ["mode is 'medium'", "'slow' or 'fast'"]),
        ({"top_k": 0}, ["top_k is 0", "greater than or equal to 1"]),
        ({"top_k": 10**6}, ["top_k", "less than or equal to 100"]),
        ({"top_k": "many"}, ["top_k is 'many'", "valid integer"]),
        ({"topk": 3}, ["'topk' is not a parameter", "did you mean 'top_k'"]),
        ({"zzz": 3}, ["known parameters", "time_range"]),
        ({"threshold": float("nan")}, ["threshold"]),
        ({"query": "   "}, ["query", "at least 1 character"]),
        ({"query": "x" * 500}, ["query", "at most 200", "…"]),
        ({"time_range": {"start_time": 5, "end_time": 2}}, ["end_time (2) must be after start_time (5)"]),
        ({"time_range": {"start_time": -1, "end_time": 2}}, ["time_range.start_time"]),
        ({"time_range": {"start_time": 1}}, ["time_range.end_time is required", "after start_time"]),
        ({"time_range": {"start_time": 1, "end_time": 2, "stop": 3}}, ["'time_range.stop'", "end_time"]),
        ({"time_range": "1-2"}, ["time_range is '1-2'", "an object with start_time, end_time"]),
        ({"video_id": ""}, ["video_id"]),
        ({"video_id": 7}, ["video_id is 7", "valid string"]),
    ],
)
def test_a_mistake_names_the_parameter_the_value_and_the_cure(
    change: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(OpRetry) as caught:
        validate_request(TOY, {**GOOD, **change})
    message = str(caught.value)
    assert message.startswith("toy: ")
    assert "\n" not in message
    for word in words:
        assert word in message


def test_every_mistake_is_named_at_once() -> None:
    with pytest.raises(OpRetry, match=r"top_k.*; query is required") as caught:
        validate_request(TOY, {"video_id": "v", "top_k": 0})
    assert caught.value.exit_code == 2
