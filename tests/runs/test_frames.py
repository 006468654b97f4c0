"""Frames of a video: the right picture, small enough, with boxes drawn on a copy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vidence.errors import FileProblem
from vidence.runs.frames import MAX_SIDE, read_frame, with_boxes
from vidence.schema.perception import Box


def test_a_frame_is_no_larger_than_asked(sample: Path) -> None:
    image = read_frame(sample, 6.0, max_side=160)
    assert max(image.shape[:2]) == 160
    assert image.shape[2] == 3
    assert max(read_frame(sample, 6.0).shape[:2]) <= MAX_SIDE


def test_a_small_frame_is_not_enlarged(plain: Path) -> None:
    assert read_frame(plain, 0.5).shape == (48, 64, 3)


def test_different_times_show_different_frames(sample: Path) -> None:
    early, late = read_frame(sample, 1.0, max_side=64), read_frame(sample, 6.0, max_side=64)
    difference = np.abs(early.astype(int) - late.astype(int)).mean()
    assert difference > 10


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"gone\.mp4"):
        read_frame(tmp_path / "gone.mp4", 0.0)


def test_a_box_is_drawn_on_its_edges_and_leaves_the_image_itself_alone() -> None:
    image = np.zeros((100, 200, 3), np.uint8)
    drawn = with_boxes(image, [(Box(0.25, 0.5, 0.75, 0.9), "cup")])
    assert image.max() == 0, "the given image is unchanged"
    assert drawn[50, 100].max() > 0, "the upper edge"
    assert drawn[70, 100].max() == 0, "the inside"
    assert drawn[10, 10].max() == 0, "the outside"


def test_boxes_side_by_side_have_different_colours() -> None:
    image = np.zeros((100, 200, 3), np.uint8)
    drawn = with_boxes(image, [(Box(0.1, 0.5, 0.3, 0.9), ""), (Box(0.6, 0.5, 0.8, 0.9), "")])
    first, second = drawn[70, 20], drawn[70, 120]
    assert first.max() > 0
    assert second.max() > 0
    assert tuple(first) != tuple(second)


def test_a_chinese_label_draws_the_box_without_text() -> None:
    image, box = np.zeros((100, 200, 3), np.uint8), Box(0.25, 0.5, 0.75, 0.9)
    bare, chinese, english = (with_boxes(image, [(box, label)]) for label in ("", "杯子", "cup"))
    assert np.array_equal(bare, chinese)
    assert not np.array_equal(bare, english)


def test_without_boxes_a_copy_is_returned() -> None:
    image = np.full((10, 10, 3), 7, np.uint8)
    drawn = with_boxes(image, [])
    drawn[0, 0] = 0
    assert image[0, 0].tolist() == [7, 7, 7]
