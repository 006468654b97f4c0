"""The tracks stage: resumed after a stop it ends with the same rows, and never sees double."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from vidence.app import Workspace, open_workspace
from vidence.bench.tracking import count_distinct
from vidence.errors import BackendError
from vidence.index.tracking.lane import Pace
from vidence.queries.entities.identities import load_identities
from vidence.schema.entities import IdentitySeen, TrackSeen

STAGE = "tracks"
STEP_S = 0.02


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path / "home") as workspace:
        for capability in ("objects", "image_vectors", "image_labels"):
            try:
                workspace.indexer.shelf.get(capability)
            except BackendError as exc:
                pytest.skip(f"no model for {capability}: {exc}")
        yield workspace


class _Stop(Exception):
    pass


@pytest.mark.parametrize("share", [0.35, 0.6, 0.9])
def test_a_stopped_stage_resumes_and_ends_the_same(
    workspace: Workspace, sample: Path, tmp_path: Path, share: float
) -> None:
    video_id = workspace.add(sample).video.video_id
    workspace.index(video_id, stages=[STAGE])
    expected = _tracked(workspace, video_id)
    assert expected[0]

    def stop_late(stage: str, fraction: float) -> None:
        if stage == STAGE and fraction > share:
            raise _Stop

    with open_workspace(home=tmp_path / "stopped") as stopped:
        stopped.add(sample)
        with pytest.raises(_Stop):
            stopped.index(video_id, stages=[STAGE], progress=stop_late)
        row = stopped.store.stages.get(video_id, STAGE)
        assert row is not None
        assert isinstance(row.cursor, float), "something was committed before the stop"
        assert row.cursor > 0
        stopped.index(video_id, stages=[STAGE])
        assert _tracked(stopped, video_id) == expected


def _tracked(workspace: Workspace, video_id: str) -> tuple[object, ...]:
    """Return the tracks, the identities, and the vectors to the bit."""
    load, vectors = workspace.store.observations.load, workspace.store.vectors.load(video_id, STAGE)
    return (
        load(video_id, STAGE, TrackSeen),
        load(video_id, "identities", IdentitySeen),
        [(one.start_time, one.end_time, one.label, one.vector.tobytes()) for one in vectors],
    )


@pytest.mark.slow
def test_a_real_clip_tells_who_leaves_and_returns(workspace: Workspace, shared_dir: Path) -> None:
    video_id = workspace.add(shared_dir / "media" / "videos" / "sam2_dog.mp4").video.video_id
    workspace.index(video_id, stages=[STAGE])
    found = {one.category: one for one in load_identities(workspace.store, video_id)}
    assert set(found) == {"dog", "person"}
    shots = workspace.store.segments.load(video_id, "fine")
    first, second = found["dog"].appearances(shots)
    assert first.end_s < 2.5
    assert second.start_s > 3.3
    assert len(found["person"].appearances(shots)) == 1


@pytest.mark.slow
def test_a_real_clip_is_counted_right(workspace: Workspace, shared_dir: Path) -> None:
    video_id = workspace.add(shared_dir / "media" / "videos" / "intel_bottle.mp4").video.video_id
    workspace.index(video_id, stages=[STAGE])
    bottles = [one for one in load_identities(workspace.store, video_id) if one.category == "bottle"]
    there = [sum(one.box_at(time_s) is not None for one in bottles) for time_s in (2.0, 20.0, 38.0)]
    assert there == [3, 1, 3]
    assert count_distinct(workspace.store, video_id, {"bottle"}) == 3


def analysed(pace: Pace, *, until_s: float, top_speed: float) -> list[float]:
    """Run over frames that all differ, and return the times of those it chose."""
    rng = np.random.default_rng(0)
    found = []
    for number in range(round(until_s / STEP_S)):
        time_s = number * STEP_S
        if pace.is_time(time_s) and pace.is_new(time_s, rng.integers(0, 255, (36, 64), dtype=np.uint8)):
            found.append(round(time_s, 2))
            pace.analysed(time_s, top_speed=top_speed, is_idle=top_speed == 0)
    return found


def test_frames_with_fast_things_are_chosen_often_and_with_still_ones_seldom() -> None:
    fast = analysed(Pace(fast_s=0.25, slow_s=0.75, meet_s=1.0), until_s=6, top_speed=10)
    slow = analysed(Pace(fast_s=0.25, slow_s=0.75, meet_s=1.0), until_s=6, top_speed=0)
    assert max(np.diff(fast)) <= 0.27
    assert 0.7 <= np.mean(np.diff(slow)) <= 0.8


@pytest.mark.parametrize(("top_speed", "shared"), [(10.0, 6), (0.0, 2)])
def test_chosen_frames_align_with_those_of_other_lanes(top_speed: float, shared: int) -> None:
    pace = Pace(fast_s=0.25, slow_s=0.75, meet_s=1.0, start_s=0.13)
    found = analysed(pace, until_s=8.5, top_speed=top_speed)
    met = [time_s for time_s in found if abs(time_s - round(time_s)) < STEP_S]
    assert len(met) >= shared
    assert max(np.diff(found)) <= 0.75 * 1.15 + STEP_S
    assert min(np.diff(found)) >= 0.25 * 0.8 - STEP_S


def test_no_frame_is_moved_far_to_align() -> None:
    pace = Pace(fast_s=0.5, slow_s=0.5, meet_s=10.0)
    assert analysed(pace, until_s=4, top_speed=1) == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]
