"""Times of a window, which leaves out silences, go back to those of the recording."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.models.speech.segments import after, left_out, unheard, utterances
from vidence.models.speech.whisper import HeardSegment
from vidence.models.speech.windows import RATE, SpeechSpan
from vidence.schema.perception import SpeechWord

SPANS = (
    SpeechSpan(0.0, np.zeros(2 * RATE, np.float32), 0.9),
    SpeechSpan(30.0, np.zeros(2 * RATE, np.float32), 0.9),
    SpeechSpan(33.0, np.zeros(RATE, np.float32), 0.9),
)


def heard(*words: tuple[str, float, float]) -> HeardSegment:
    spoken = tuple(SpeechWord(text, start, end, 0.9) for text, start, end in words)
    return HeardSegment(
        text=" ".join(word.text for word in spoken),
        start_s=spoken[0].start_s,
        end_s=spoken[-1].end_s,
        words=spoken,
        language="en",
        word_probability=0.9,
        no_speech=0.0,
        compression=1.0,
    )


def test_a_word_at_a_pause_is_said_on_one_side_of_it() -> None:
    segment = heard(("surpassed", 0.7, 1.7), ("in", 1.7, 2.4), ("being", 2.4, 2.8))
    first, second = utterances(segment, 0.9, SPANS)
    assert (first.text, first.start_time, first.end_time) == ("surpassed", 0.7, 1.7)
    assert (second.text, second.start_time) == ("in being", 30.0)
    assert second.end_time == pytest.approx(30.8)


def test_a_word_that_runs_into_the_pause_ends_with_its_span() -> None:
    first, second = utterances(heard(("yes", 1.0, 2.5), ("no", 2.5, 3.0)), 0.9, SPANS)
    assert (first.start_time, first.end_time) == (1.0, 2.0)
    assert (second.start_time, second.end_time) == (30.5, 31.0)


def test_words_beyond_the_window_stay_in_the_last_span() -> None:
    (only,) = utterances(heard(("end", 4.5, 6.0)), 0.9, SPANS)
    assert (only.start_time, only.end_time) == (33.5, 34.0)


def test_no_word_ends_as_it_begins() -> None:
    for word in (("late", 5.5, 6.0), ("none", 1.0, 1.0), ("edge", 1.99, 2.0)):
        (only,) = utterances(heard(word), 0.9, SPANS)
        assert only.end_time - only.start_time >= 0.01


def test_a_short_pause_splits_nothing() -> None:
    (only,) = utterances(
        heard(("so", 3.0, 3.9), ("then", 4.0, 4.5)),
        0.9,
        [SPANS[0], SPANS[1], SpeechSpan(32.5, SPANS[2].samples, 0.9)],
    )
    assert only.text == "so then"


@pytest.mark.parametrize(
    ("reached_s", "starts"),
    [(0.5, [0.5, 30.0, 33.0]), (1.7, [30.0, 33.0]), (2.0, [30.0, 33.0]), (4.8, []), (5.0, [])],
)
def test_what_was_not_written_yet_begins_after_the_last_word(reached_s: float, starts: list[float]) -> None:
    rest = after(SPANS, reached_s)
    assert [span.start_s for span in rest] == starts
    assert all(span.end_s in (2.0, 32.0, 34.0) for span in rest)


def test_what_is_left_out_is_given_only_when_listening_moved_on() -> None:
    def left(end_s: float) -> list[float]:
        return [span.start_s for span in left_out(SPANS, [heard(("so", 0.0, end_s))])]

    assert left(0.0) == left(0.2) == [], "the same sound again would be heard so for ever"
    assert left(0.5) == [0.5, 30.0, 33.0]
    assert left(4.0) == [], "a second of sound is not worth it"
    assert left_out(SPANS, []) == []


def test_a_stretch_of_which_nothing_was_kept_is_named() -> None:
    long = (*SPANS, SpeechSpan(40.0, np.zeros(3 * RATE, np.float32), 0.7))
    kept = list(utterances(heard(("surpassed", 0.7, 1.7), ("in", 2.1, 2.4)), 0.9, long))
    assert [span.start_s for span in unheard(long, kept)] == [40.0]
    assert unheard(long[-1:], []) == []
