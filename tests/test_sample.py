"""The sample film is what its ground truth says it is."""

from __future__ import annotations

import itertools
import json
from functools import cache
from pathlib import Path
from typing import TypedDict

import av
import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

SAMPLES = Path(__file__).parent.parent / "samples"
FILM = SAMPLES / "vidence_sample.mp4"
MOVING, CUTTING = (
    15.0,
    30.0,
)  # mean difference of two small frames (0..255): camera moves stay under, cuts go over
HEARD = 0.003  # level below which a span counts as silent


class Span(TypedDict):
    start: float
    end: float


class Transition(Span):
    type: str


class Sound(Span):
    type: str


class Spoken(Span):
    text: str
    language: str


class Seen(TypedDict):
    label: str
    time: float
    box: tuple[float, float, float, float]
    colors: list[str]


class Shot(Span):
    id: int
    picture: str
    camera_motion: str
    labels: list[str]
    description: dict[str, str]
    objects: list[Seen]


class Credit(TypedDict):
    picture: str
    file: str
    licence: str
    author: str


class Truth(TypedDict):
    duration: float
    fps: int
    frame_count: int
    width: int
    height: int
    cuts: list[float]
    transitions: list[Transition]
    shots: list[Shot]
    narration: list[Spoken]
    sounds: list[Sound]
    silences: list[Span]
    on_screen_text: list[Spoken]
    credits: list[Credit]


def test_the_film_is_small_and_about_fifty_seconds_long() -> None:
    assert FILM.stat().st_size <= 3_000_000
    assert 45 <= _truth()["duration"] <= 55


def test_streams_are_what_the_truth_says() -> None:
    truth = _truth()
    with av.open(str(FILM)) as container:
        video, audio = container.streams.video[0], container.streams.audio[0]
        assert len(container.streams) == 2
        assert (video.codec_context.name, audio.codec_context.name) == ("h264", "aac")
        assert (video.width, video.height) == (truth["width"], truth["height"])
        assert video.average_rate == truth["fps"]
        assert container.duration is not None
        assert container.duration / 1e6 == pytest.approx(truth["duration"], abs=0.05)


def test_the_film_plays_before_it_has_arrived() -> None:
    data = FILM.read_bytes()
    assert 0 < data.find(b"moov") < data.find(b"mdat")


def test_every_frame_is_there() -> None:
    truth = _truth()
    assert len(_small_frames()) == truth["frame_count"] == round(truth["duration"] * truth["fps"])


def test_frames_jump_at_the_cuts_and_nowhere_else() -> None:
    truth = _truth()
    jumps = np.abs(np.diff(_small_frames().astype(np.int16), axis=0)).mean(axis=(1, 2, 3))
    cuts = {round(cut * truth["fps"]) for cut in truth["cuts"]}
    assert len(cuts) >= 5
    assert {int(n) + 1 for n in np.flatnonzero(jumps > CUTTING)} == cuts
    assert {int(n) + 1 for n in np.flatnonzero(jumps > MOVING)} == cuts


def test_the_fade_passes_through_black() -> None:
    (fade,) = _transitions("fade")
    middle = _frame_at((fade["start"] + fade["end"]) / 2)
    assert middle.max() <= 4
    assert min(_frame_at(fade["start"] - 0.04).mean(), _frame_at(fade["end"] + 0.04).mean()) > 40


def test_the_dissolve_is_half_of_each_shot_in_its_middle() -> None:
    (dissolve,) = _transitions("dissolve")
    before, after = _frame_at(dissolve["start"] - 0.04), _frame_at(dissolve["end"] + 0.04)
    middle = _frame_at((dissolve["start"] + dissolve["end"]) / 2)
    blend = (before.astype(float) + after) / 2
    assert np.abs(middle - blend).mean() < 0.4 * np.abs(before.astype(float) - after).mean()


def test_shots_tile_the_film_and_meet_at_cuts_and_transitions() -> None:
    truth = _truth()
    shots = truth["shots"]
    assert shots[0]["start"] == 0
    assert shots[-1]["end"] == truth["duration"]
    boundaries = [shot["start"] for shot in shots[1:]]
    assert boundaries == [shot["end"] for shot in shots[:-1]]
    middles = [round((t["start"] + t["end"]) / 2, 3) for t in truth["transitions"]]
    assert sorted(truth["cuts"] + middles) == boundaries


def test_shots_are_described_in_both_languages() -> None:
    for shot in _truth()["shots"]:
        assert shot["labels"]
        assert set(shot["description"]) == {"en", "zh"}


def test_the_cat_appears_twice() -> None:
    assert [shot["id"] for shot in _truth()["shots"] if "cat" in shot["labels"]] == [2, 9]


def test_the_horse_moves_from_left_to_right() -> None:
    boxes = [
        seen["box"] for shot in _truth()["shots"] for seen in shot["objects"] if seen["label"] == "horse"
    ]
    assert len(boxes) == 3
    assert boxes[0][0] + 0.1 < boxes[1][0] < boxes[2][0] - 0.1


def test_the_horse_is_dark_inside_its_box() -> None:
    for shot in _truth()["shots"]:
        for seen in shot["objects"]:
            if seen["label"] == "horse":
                x, y, w, h = seen["box"]
                frame = _frame_at(seen["time"])
                rows, columns = frame.shape[:2]
                heart = frame[round((y + h * 0.4) * rows), round((x + w * 0.5) * columns)]
                assert heart.max() < 60


def test_boxes_lie_inside_the_frame_and_their_shot() -> None:
    for shot in _truth()["shots"]:
        for seen in shot["objects"]:
            x, y, w, h = seen["box"]
            assert shot["start"] <= seen["time"] < shot["end"]
            assert min(x, y) >= 0
            assert min(w, h) > 0.02
            assert max(x + w, y + h) <= 1.0002


def test_silence_is_silent() -> None:
    silences = _truth()["silences"]
    assert max(span["end"] - span["start"] for span in silences) >= 4
    for span in silences:
        # AAC smears an edge over its 21 ms frames; between the edges nothing may be left.
        assert np.abs(_sound(span["start"] + 0.05, span["end"] - 0.05)).max() < HEARD


def test_words_and_sounds_are_heard_when_the_truth_says() -> None:
    truth = _truth()
    for span in [*truth["narration"], *truth["sounds"]]:
        assert np.sqrt(np.mean(_sound(span["start"], span["end"]) ** 2)) > 0.02
        assert np.abs(_sound(span["start"], span["start"] + 0.1)).max() > HEARD
        assert np.abs(_sound(span["start"] - 0.2, span["start"] - 0.05)).max(initial=0) < HEARD


def test_words_and_sounds_never_overlap() -> None:
    truth = _truth()
    spans = sorted((span["start"], span["end"]) for span in [*truth["narration"], *truth["sounds"]])
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(spans))


def test_english_and_chinese_are_spoken_and_written() -> None:
    truth = _truth()
    assert {line["language"] for line in truth["narration"]} == {"en", "zh"}
    assert {text["language"] for text in truth["on_screen_text"]} == {"en", "zh"}


def test_lettering_changes_the_picture_while_it_is_up() -> None:
    caption = next(text for text in _truth()["on_screen_text"] if text["text"] == "Chelsea the cat")
    corner = np.s_[-14:-6, :40]  # where a lower third stands in a small frame
    before, during = _frame_at(caption["start"] - 0.1)[corner], _frame_at(caption["start"] + 0.5)[corner]
    assert before.mean() - during.mean() > 30


def test_every_picture_is_credited_with_its_licence() -> None:
    truth = _truth()
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    credited = {credit["picture"] for credit in truth["credits"]} | {"meadow", "card"}  # drawn for the film
    assert {shot["picture"] for shot in truth["shots"]} <= credited
    for credit in truth["credits"]:
        assert f"`{credit['file']}`" in readme
        assert credit["author"] in readme


def _transitions(kind: str) -> list[Transition]:
    return [transition for transition in _truth()["transitions"] if transition["type"] == kind]


@cache
def _truth() -> Truth:
    truth: Truth = json.loads(FILM.with_suffix(".json").read_text(encoding="utf-8"))
    return truth


@cache
def _small_frames() -> NDArray[np.uint8]:  # (N, 90, 160, 3) RGB
    with av.open(str(FILM)) as container:
        return np.stack([_shrink(frame) for frame in container.decode(video=0)])


def _shrink(frame: av.VideoFrame) -> NDArray[np.uint8]:
    small = cv2.resize(frame.to_ndarray(format="rgb24"), (160, 90), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _frame_at(time: float) -> NDArray[np.uint8]:
    return np.asarray(_small_frames()[round(time * _truth()["fps"])], np.uint8)


@cache
def _track() -> tuple[NDArray[np.float32], int]:
    with av.open(str(FILM)) as container:
        rate = container.streams.audio[0].rate
        pieces = [(frame.pts or 0, frame.to_ndarray()[0]) for frame in container.decode(audio=0)]
    track = np.zeros(pieces[-1][0] + pieces[-1][1].size, np.float32)
    for start, piece in pieces:
        track[start : start + piece.size] = piece
    return track, rate


def _sound(start: float, end: float) -> NDArray[np.float32]:
    track, rate = _track()
    return track[max(0, round(start * rate)) : round(end * rate)]
