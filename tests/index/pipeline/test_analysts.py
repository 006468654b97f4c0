"""The analysts: what each keeps of one frame, and when the reader of text reads."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.index.pictures import textured
from vidence.errors import BackendError
from vidence.index.pipeline.analysts import TextAnalyst, _changed, frames_analyst, labels_row, objects_row
from vidence.index.pipeline.frame import AnalysedFrame
from vidence.index.pipeline.frames_lane import FrameRows
from vidence.index.pipeline.job import Job
from vidence.schema.observations import FrameSeen, TextSeen
from vidence.schema.perception import Box, Detection, ImageLabels, LabelScore, Rgb


def _frame(job: Job, image: Rgb, time_s: float = 0.0) -> AnalysedFrame:
    return AnalysedFrame(time_s, image, job.shelf)


def _seen(job: Job, image: Rgb, time_s: float = 0.0) -> FrameSeen:
    found = frames_analyst(job)(_frame(job, image, time_s))
    assert found is not None
    (row,) = found.rows
    assert isinstance(row, FrameSeen)
    return row


def _plain(*colour: int) -> Rgb:
    return np.full((180, 320, 3), colour, np.uint8)


def test_a_frame_is_stored_as_a_small_picture_named_by_its_time(job: Job) -> None:
    row = _seen(job, np.repeat(np.repeat(textured(), 2, axis=0), 2, axis=1), 12.345)
    assert row.thumbnail == "thumbs/0000012345.jpg"
    data = np.frombuffer(job.store.blobs.read(job.video_id, row.thumbnail), np.uint8)
    stored = cv2.imdecode(data, cv2.IMREAD_COLOR_RGB)
    assert stored is not None
    assert stored.shape == (180, 320, 3)
    assert (row.start_time, row.end_time) == (12.345, 12.345)


def test_light_and_colour_are_measured_from_nought_to_one(job: Job) -> None:
    black, white, red = (_seen(job, _plain(*colour)) for colour in ((0, 0, 0), (255, 255, 255), (230, 0, 0)))
    assert (black.brightness, white.brightness) == (0, 1)
    assert (black.saturation, red.saturation) == (0, 1)
    assert black.contrast == white.contrast == red.contrast == 0
    assert [(colour.label, colour.score) for colour in red.colours] == [("red", 1.0)]


def test_sharpness_falls_with_blur(job: Job) -> None:
    sharp = textured()
    blurred = np.asarray(cv2.GaussianBlur(sharp, (0, 0), 4), np.uint8)
    assert _seen(job, sharp).sharpness > 2 * _seen(job, blurred).sharpness


def test_colours_of_a_small_share_are_not_named(job: Job) -> None:
    image = _plain(0, 0, 230)
    image[:9] = (230, 0, 0)
    image[90:] = (0, 0, 0)
    row = _seen(job, image)
    assert {colour.label for colour in row.colours} == {"blue", "black"}
    assert len(row.colours) <= 4


def test_only_the_ten_likeliest_labels_above_the_least_are_kept(job: Job) -> None:
    scores = tuple(LabelScore(f"label {n}", 0.3 - 0.02 * n) for n in range(15))
    frame = _frame(job, _plain(0, 0, 0), 2.0)
    frame.labels = ImageLabels(scores, np.zeros(4, np.float32))
    row = labels_row(frame)
    assert [item.label for item in row.labels] == [f"label {n}" for n in range(10)]
    faint = _frame(job, _plain(0, 0, 0))
    faint.labels = ImageLabels((LabelScore("a", 0.5), LabelScore("b", 0.019)), np.zeros(4, np.float32))
    assert [item.label for item in labels_row(faint).labels] == ["a"]
    assert row.start_time == 2.0


def test_doubtful_objects_are_not_kept_and_colours_are_told(job: Job) -> None:
    image = _plain(255, 255, 255)
    image[40:140, 80:240] = (210, 20, 20)
    found = [
        Detection("car", 0.91234567, Box(0.25, 0.2222222, 0.5, 0.5555555)),
        Detection("dog", 0.29, Box(0.0, 0.0, 0.1, 0.1)),
    ]
    frame = AnalysedFrame(3.0, image, job.shelf, detect=lambda _: found)
    # There is nobody whose pose could be estimated.
    frame.poses = {}
    (car,) = objects_row(frame).objects
    assert (car.category, car.confidence) == ("car", 0.9123)
    assert car.bbox == (0.25, 0.2222, 0.5, 0.5556)
    assert car.attributes["color"] == "red"


def _titled(text: str, background: int = 20) -> Rgb:
    image = np.full((360, 640, 3), background, np.uint8)
    cv2.putText(image, text, (40, 200), cv2.FONT_HERSHEY_SIMPLEX, 2.4, (250, 250, 250), 6)
    return image


@pytest.fixture
def reader(job: Job) -> TextAnalyst:
    try:
        job.shelf.get("ocr")
    except BackendError as exc:
        pytest.skip(f"no model for text: {exc}")
    return TextAnalyst(job)


def _texts(found: FrameRows | None) -> list[str] | None:
    if found is None:
        return None
    return [line.text for row in found.rows if isinstance(row, TextSeen) for line in row.lines]


def test_text_is_read_at_once_and_then_at_its_interval(job: Job, reader: TextAnalyst) -> None:
    title = _titled("LAUNCH")
    assert _texts(reader(_frame(job, title, 0.0))) == ["LAUNCH"]
    assert reader(_frame(job, title, 1.0)) is None
    assert reader(_frame(job, title, 2.0)) is None
    assert _texts(reader(_frame(job, title, 3.0))) == ["LAUNCH"]


def test_other_letters_and_another_view_are_read_at_once(job: Job, reader: TextAnalyst) -> None:
    assert _texts(reader(_frame(job, _titled("LAUNCH"), 0.0))) == ["LAUNCH"]
    assert _texts(reader(_frame(job, _titled("WINTER"), 0.5))) == ["WINTER"]
    busy = np.asarray(cv2.resize(textured(), (640, 360)), np.uint8)
    assert reader(_frame(job, busy, 1.0)) is not None


def test_a_frame_without_text_gives_an_empty_row(job: Job, reader: TextAnalyst) -> None:
    assert _texts(reader(_frame(job, _plain(40, 40, 40)))) == []


def test_words_added_at_the_end_of_a_line_are_a_change_in_a_still_picture_only() -> None:
    before = np.full((90, 160), 240, np.uint8)
    place = Box(0.1, 0.4, 0.3, 0.08)
    added = before.copy()
    added[36:43, 66:76] = 20
    assert _changed(before, added, place)
    assert not _changed(before, before.copy(), place)
    moving = added.copy()
    moving[50:, :] = 100
    assert not _changed(before, moving, place)
