"""Speakers are named by pitch: one, two or more voices, and nobody where they cannot be told apart."""

from __future__ import annotations

import pytest

from vidence.models.speech.speakers import name_speakers
from vidence.schema.speech import Utterance


def said(*pitches: float | None) -> list[str | None]:
    """Return the speakers of utterances with these pitches."""
    spoken = [
        Utterance(start_time=float(place), end_time=place + 1.0, text="so", confidence=0.9, pitch_hz=pitch)
        for place, pitch in enumerate(pitches)
    ]
    return [one.speaker for one in name_speakers(spoken)]


def test_a_lone_speaker_is_speaker_1() -> None:
    assert said(118.0, 122.0, 125.0) == ["speaker_1"] * 3
    assert said(200.0) == ["speaker_1"]


def test_three_voices_are_named_in_order_of_appearance() -> None:
    assert said(172, 110, 280, 175, 112, 276) == [
        "speaker_1", "speaker_2", "speaker_3", "speaker_1", "speaker_2", "speaker_3",
    ]  # fmt: skip


def test_two_voices_keep_their_names_and_the_unvoiced_stay_unnamed() -> None:
    assert said(110, None, 190, 112, 195) == ["speaker_1", None, "speaker_2", "speaker_1", "speaker_2"]


@pytest.mark.parametrize(
    "pitches",
    [
        (100, 120, 150, 180, 220),  # one wide group: several people, or one lively one
        (110, 112, 111, 330),  # a voice heard once may be a mismeasured sentence
        (110, 111, 220, 221),  # an octave apart: one voice measured wrongly
        (None, None),
    ],
)
def test_nobody_is_named_where_voices_cannot_be_told_apart(pitches: tuple[float | None, ...]) -> None:
    assert set(said(*pitches)) == {None}
