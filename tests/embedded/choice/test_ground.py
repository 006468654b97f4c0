"""Where an answer shows: the captions and the question's words for time decide together."""

from __future__ import annotations

import numpy as np
import pytest

from tests.embedded.choice.conftest import told
from vidence.embedded.choice import Embed, score_options
from vidence.embedded.choice.ground import read_timing
from vidence.schema.agent import MemoryUnit
from vidence.schema.time import TimeRange

Units = tuple[MemoryUnit, ...]
_STREET = ("a man walks along the street",) * 20
_FALL = (*_STREET, "a boy falls off his bicycle", "a boy lies beside his bicycle", *_STREET, *_STREET)


def _span(question: str, option: str, units: Units, embed: Embed, duration_s: float) -> TimeRange:
    found = score_options(question, (option, "nothing of the sort"), units, embed, duration_s=duration_s).span
    assert found is not None
    return found


def test_the_span_lies_on_what_the_captions_say(embed: Embed) -> None:
    span = _span("what happens to the boy", "falls off his bicycle", told(_FALL, 1.0), embed, 62)
    assert span.start_time <= 20
    assert span.end_time >= 21
    assert span.duration_s <= 16


@pytest.mark.parametrize(
    ("question", "low", "high"),
    [
        ("what does the man do at the start of the video", 0, 20),
        ("what does the man do in the middle of the video", 20, 42),
        ("what does the man do at the end of the video", 42, 62),
        ("男人在视频结尾做什么", 42, 62),
        ("男人在视频中间做什么", 20, 42),
    ],
)
def test_words_for_a_place_in_the_video_move_the_span_there(
    question: str, low: float, high: float, embed: Embed
) -> None:
    span = _span(question, "walks along the street", told(_STREET * 3, 1.0), embed, 62)
    assert low <= (span.start_time + span.end_time) / 2 <= high


def test_the_span_stays_inside_the_video(embed: Embed) -> None:
    span = _span("what is at the end", "a street", told(_STREET[:3], 1.0), embed, 3.0)
    assert span.start_time >= 0
    assert span.end_time <= 3.0


def test_captions_without_times_have_no_span(embed: Embed) -> None:
    units = [MemoryUnit(frame_id=0, caption="a man walks"), MemoryUnit(frame_id=1, caption="a man sits")]
    assert score_options("what does he do", ("walks", "sits"), units, embed).span is None


def test_the_event_a_question_hangs_on_is_read() -> None:
    timing = read_timing("what does the boy do after he falls off the bicycle at the end of the video")
    assert timing.clause is not None
    assert "falls off the bicycle" in timing.clause
    assert timing.is_placed
    assert "end of the video" not in timing.text


@pytest.mark.parametrize(
    ("question", "best_s", "placed"),
    [
        ("What happens at the start of the video?", 0.0, True),
        ("What happens at the end?", 100.0, True),
        ("What happens in the middle of the video?", 50.0, True),
        ("What happens at 30 seconds?", 30.0, True),
        ("视频中间发生了什么？", 50.0, True),
        ("What does the man hold?", None, False),
    ],
)
def test_the_part_a_question_names_has_no_penalty(question: str, best_s: float | None, placed: bool) -> None:
    timing = read_timing(question)
    weights = timing.weights(np.linspace(0, 100, 11, dtype=np.float32), 100.0)
    assert timing.is_placed is placed
    assert weights.max() == pytest.approx(0.0, abs=0.2)
    if best_s is None:
        assert not weights.any()
    else:
        assert 10 * int(weights.argmax()) == pytest.approx(best_s)
