"""Long shots are cut into phases where their picture changes; short ones stay whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vidence.app import open_workspace
from vidence.index.narrate.phases import phases_of, shot_captions, shot_phases
from vidence.schema.observations import Caption
from vidence.schema.time import TimeRange
from vidence.store import VectorRow


def rows(kinds: list[int]) -> list[VectorRow]:
    axes = np.eye(4, dtype=np.float32)
    return [VectorRow(float(time), float(time + 1), "frame", axes[kind]) for time, kind in enumerate(kinds)]


def phases(tmp_path: Path, sample: Path, kinds: list[int]) -> list[tuple[float, float]]:
    with open_workspace(home=tmp_path / "home") as workspace:
        video = workspace.add(sample).video.video_id
        workspace.store.vectors.append(video, "image_vectors", rows(kinds))
        shot = TimeRange(start_time=0.0, end_time=float(len(kinds)))
        assert phases_of(workspace.store, "vid_0000000000000000", 3.0) == [
            TimeRange(start_time=0, end_time=3)
        ]
        return [(one.start_time, one.end_time) for one in shot_phases(workspace.store, video, shot)]


def test_a_change_of_the_picture_begins_a_phase(tmp_path: Path, sample: Path) -> None:
    assert phases(tmp_path, sample, [0] * 6 + [1] * 6) == [(0.0, 6.0), (6.0, 12.0)]


def test_a_short_shot_stays_whole(tmp_path: Path, sample: Path) -> None:
    assert phases(tmp_path, sample, [0] * 3 + [1] * 3) == [(0.0, 6.0)]


def test_a_long_shot_without_a_change_is_cut_all_the_same(tmp_path: Path, sample: Path) -> None:
    found = phases(tmp_path, sample, [0] * 120)
    assert all(end - start <= 20.0 for start, end in found)
    assert found[0][0] == 0.0
    assert found[-1][1] == 120.0


def test_a_shot_in_phases_has_one_caption_of_its_distinct_sentences() -> None:
    rows = [
        Caption(start_time=i, end_time=i + 1.0, segment_id="seg_001", en=en, zh=zh, confidence=0.5)
        for i, (en, zh) in enumerate([("A dog.", "一只狗。"), ("A dog.", "一只狗。"), ("A cat.", "一只猫。")])
    ]
    caption = shot_captions(rows)["seg_001"]
    assert (caption.en, caption.zh) == ("A dog. A cat.", "一只狗。一只猫。")
    assert (caption.start_time, caption.end_time) == (0.0, 3.0)
