"""Times: reading and writing timecodes, and spans that run forwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from vidence.schema.time import TimeRange, format_timecode, parse_timecode


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("75", 75), ("75.5s", 75.5), ("1:15", 75), ("01:15.5", 75.5), ("1:02:03", 3723), (" 0 ", 0)],
)
def test_timecodes_are_read(text: str, seconds: float) -> None:
    assert parse_timecode(text) == seconds


@pytest.mark.parametrize("text", ["", "abc", "1:2:3:4", "-5", "1:", ":30", "nan", "1e3", "１:00x"])
def test_what_is_not_a_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a time"):
        parse_timecode(text)


@given(st.integers(0, 10**8))
def test_writing_then_reading_gives_the_same_millisecond(millis: int) -> None:
    assert round(parse_timecode(format_timecode(millis / 1000)) * 1000) == millis


@pytest.mark.parametrize(("start", "end"), [(5, 5), (6, 5), (-1, 5), (0, float("nan")), (0, float("inf"))])
def test_a_span_must_run_forwards_and_be_finite(start: float, end: float) -> None:
    with pytest.raises(ValidationError):
        TimeRange(start_time=start, end_time=end)


def test_overlap_is_what_two_spans_share() -> None:
    first = TimeRange(start_time=0, end_time=10)
    assert first.overlap_s(TimeRange(start_time=8, end_time=12)) == 2
    assert first.overlap_s(TimeRange(start_time=10, end_time=12)) == 0
    assert first.duration_s == 10


@pytest.mark.parametrize("value", [True, False])
def test_true_and_false_are_no_times(value: bool) -> None:
    with pytest.raises(ValidationError, match="is not a time"):
        TimeRange.model_validate({"start_time": value, "end_time": 2})
    with pytest.raises(ValidationError, match="is not a time"):
        TimeRange.model_validate_json(f'{{"start_time": 0, "end_time": {str(value).lower()}}}')


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "00:00.000"),
        (75.5, "01:15.500"),
        (3723.0004, "1:02:03.000"),
        (59.9996, "01:00.000"),
        (-3, "00:00.000"),
    ],
)
def test_times_are_written_to_the_millisecond(seconds: float, text: str) -> None:
    assert format_timecode(seconds) == text


def test_a_moment_is_the_shortest_span_that_holds_it() -> None:
    moment = TimeRange.moment(12.0)
    assert moment.start_time == 12.0
    assert 0 < moment.duration_s < 0.01


def test_a_span_takes_no_unknown_fields_and_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="extra"):
        TimeRange.model_validate({"start_time": 0, "end_time": 1, "middle": 0.5})
    span = TimeRange(start_time=0, end_time=1)
    with pytest.raises(ValidationError):
        span.end_time = 2.0


def test_a_span_that_runs_backwards_names_both_times() -> None:
    with pytest.raises(ValidationError, match=r"end_time \(2\) must be after start_time \(7\.5\)"):
        TimeRange(start_time=7.5, end_time=2)


def test_spans_that_do_not_meet_share_nothing() -> None:
    first, second = TimeRange(start_time=0, end_time=1), TimeRange(start_time=5, end_time=9)
    assert first.overlap_s(second) == second.overlap_s(first) == 0.0
    assert second.overlap_s(second) == 4.0
