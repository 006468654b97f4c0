"""A run that is killed while it looks for shots: the next one goes on, and finds the very same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from tests.index.pipeline.test_pipeline import _write
from tests.index.timelines import case_clip, flat, look
from tests.models import tiny
from vidence.app import Workspace, open_workspace
from vidence.bench.stress import write_clip
from vidence.index.pipeline.detections import DetectionCache
from vidence.index.pipeline.job import Job
from vidence.index.pipeline.lanes import PassResources
from vidence.index.pipeline.profile import PROFILES
from vidence.index.shots.detector import ShotDetector, ShotList
from vidence.index.shots.lane import ShotsLane, may_skip
from vidence.index.shots.memo import DetectorMemo, ShotLog, ShotsMemo, ShotsNote, StoredFrames
from vidence.index.thumbnails import THUMB, Thumb
from vidence.media import open_video
from vidence.schema.observations import Segment
from vidence.schema.time import TimeRange
from vidence.settings import load_settings

GRADUAL = ["dissolves 0.3 s", "dissolves 2 s", "fades through black", "fades through white"]
SUDDEN = ["quick cuts", "cuts with flashes", "cuts to black and back", "cuts, variable frame rate"]


@dataclass(frozen=True)
class _Left:
    """What a killed run leaves: a cursor and rows, as text."""

    cursor: str
    rows: tuple[str, ...]


def _leave(detector: ShotDetector, rows: Sequence[str]) -> _Left:
    memo = detector.memo()
    assert memo is not None
    signatures = detector.log.signatures
    cursor = ShotsMemo(
        start_s=memo.first_s, recent=(), detector=memo, opened=StoredFrames.of(signatures.opened),
        spacing_s=signatures.spacing_s,
    )  # fmt: skip
    news = detector.log.news(0.0, memo.fed_s).model_dump_json()
    return _Left(cursor.model_dump_json(), (*rows, news))


def _resume(left: _Left, *, fps: float) -> ShotDetector:
    memo = ShotsMemo.model_validate_json(left.cursor)
    assert isinstance(memo.detector, DetectorMemo)
    notes = [ShotsNote.model_validate_json(row) for row in left.rows]
    return ShotDetector(fps=fps, log=ShotLog.restore(notes, memo), memo=memo.detector)


def _feed(detector: ShotDetector, looks: Sequence[tuple[float, Thumb]]) -> None:
    for time, thumb in looks:
        detector.feed_thumb(thumb, time=time)


def _again(left: _Left, looks: Sequence[tuple[float, Thumb]], *, fps: float) -> ShotDetector:
    """Take up what was left, and show the pictures from where it says."""
    detector = _resume(left, fps=fps)
    first_s = ShotsMemo.model_validate_json(left.cursor).start_s
    _feed(detector, [one for one in looks if one[0] >= first_s])
    return detector


def _killed(looks: Sequence[tuple[float, Thumb]], *, fps: float, every: int) -> tuple[ShotList, list[_Left]]:
    """Detect shots without a break, and return also what kills along the way would have left."""
    detector, left = ShotDetector(fps=fps), []
    rows: tuple[str, ...] = ()
    for start in range(0, len(looks), every):
        _feed(detector, looks[start : start + every])
        left.append(_leave(detector, rows))
        rows = left[-1].rows
    return detector.finish_list(looks[-1][0] + 1 / fps), left


def _facts(found: ShotList) -> tuple[object, ...]:
    looks = [(one.times, one.colours.tobytes(), one.layouts.tobytes()) for one in found.signatures]
    return found.shots, found.scenes, looks


def _looks(name: str) -> tuple[list[tuple[float, Thumb]], float]:
    clip = case_clip(name)
    thumbs = [np.ascontiguousarray(frame[::5, ::5]) for frame in clip.frames]
    assert thumbs[0].shape == (THUMB[1], THUMB[0], 3)
    return list(zip(clip.times, thumbs, strict=True)), len(clip.times) / clip.duration_s


@pytest.mark.parametrize(
    ("name", "every"),
    [
        *((name, 37) for name in ("cuts to black and back", "dissolves 0.3 s", "quick cuts")),
        *(pytest.param(name, 5, marks=pytest.mark.slow) for name in (*GRADUAL, *SUDDEN)),
    ],
)
def test_a_killed_detector_goes_on_to_the_same_shots(name: str, every: int) -> None:
    looks, fps = _looks(name)
    whole, left = _killed(looks, fps=fps, every=every)
    for one in left:
        found = _again(one, looks, fps=fps).finish_list(looks[-1][0] + 1 / fps)
        assert _facts(found) == _facts(whole), f"killed after {len(one.rows)} times {every} pictures"


def test_being_killed_again_and_again_changes_nothing() -> None:
    looks, fps = _looks("dissolves 0.6 to 1 s")
    whole, _ = _killed(looks, fps=fps, every=len(looks))
    detector, rows = ShotDetector(fps=fps), tuple[str, ...]()
    _feed(detector, looks[:40])
    for reached in range(65, len(looks), 25):
        left = _leave(detector, rows)
        rows = left.rows
        detector = _again(left, looks[:reached], fps=fps)
    left = _leave(detector, rows)
    found = _again(left, looks, fps=fps).finish_list(looks[-1][0] + 1 / fps)
    assert _facts(found) == _facts(whole)


def test_a_run_killed_in_a_long_blank_stretch_still_knows_what_came_before() -> None:
    ramp = [(look(0) * share).astype(np.uint8) for share in np.linspace(1, 0, 13)]
    thumbs = [look(0)] * 50 + ramp + [flat(0)] * 300 + ramp[::-1] + [look(1)] * 80
    looks = [(number / 25, thumb) for number, thumb in enumerate(thumbs)]
    whole, left = _killed(looks, fps=25, every=30)
    assert [shot.transition for shot in whole.shots] == ["start", "fade", "cut"]
    for one in left:
        assert _facts(_again(one, looks, fps=25).finish_list(len(looks) / 25)) == _facts(whole)


def test_what_is_left_behind_does_not_grow_with_the_video() -> None:
    rng = np.random.default_rng(1)
    grain = [np.clip(look(2) + rng.normal(0, 3, look(2).shape), 0, 255).astype(np.uint8) for _ in range(20)]
    detector, sizes = ShotDetector(fps=10), []
    for number in range(1200):
        detector.feed_thumb(grain[number % 20], time=number / 10)
        if number % 100 == 99:
            sizes.append(len(_leave(detector, ()).cursor))
    assert max(sizes) < 64_000


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path / "home") as workspace:
        yield workspace


def _job(workspace: Workspace, path: Path) -> Job:
    video = workspace.add(path).video
    return Job(
        video.video_id, path, (path,), video.info, workspace.store, workspace.indexer.shelf,
        workspace.settings, PROFILES["default"], report=lambda stage, fraction: None,
    )  # fmt: skip


def _segments(job: Job) -> tuple[tuple[Segment, ...], ...]:
    load = job.store.segments.load
    return load(job.video_id, "fine"), load(job.video_id, "coarse")


def _run(job: Job, pictures: int | None = None) -> ShotsLane:
    """Run the stage over so many pictures and drop everything then, as a kill does; over all without."""
    with open_video(job.path, threads=1) as reader, reader.reopen() as second:
        lane = ShotsLane(
            job, job.writer("shots"), PassResources(second, DetectionCache(lambda: job.shelf.detector))
        )
        span = TimeRange(start_time=lane.resume_s, end_time=job.duration_s) if lane.resume_s else None
        shown = reader.frames(span=span, skip_non_reference=may_skip(job, reader))
        for picture in islice(shown, pictures):
            lane.feed(picture)
        if pictures is None:
            lane.finish()
    return lane


def _left_rows(job: Job) -> int:
    return len(job.store.observations.load(job.video_id, "shots", ShotsNote))


def _check(job: Job, *, step: int) -> list[float]:
    """Kill the stage after every `step` pictures until it is through; return where each run began."""
    _run(job)
    whole = _segments(job)
    job.store.stages.reset(job.video_id, "shots")
    job.store.segments.replace(job.video_id, "fine", ())
    began = []
    for _ in range(200):
        began.append(_run(job, step).resume_s)
        assert not job.store.segments.load(job.video_id, "fine"), "half the shots are not to be read"
        if len(began) > 2 and began[-1] == began[-2]:
            break
    _run(job)
    assert _segments(job) == whole
    assert _left_rows(job) == 0
    return began


@pytest.mark.slow
def test_a_killed_stage_goes_on_from_what_was_committed(workspace: Workspace, sample: Path) -> None:
    began = _check(_job(workspace, sample), step=330)
    assert began == sorted(began)
    assert began[-1] > 10.0


@pytest.mark.parametrize("name", ["fades through black", "cuts, variable frame rate"])
def test_shots_left_in_a_file_are_taken_up_again(workspace: Workspace, name: str, tmp_path: Path) -> None:
    write_clip(case_clip(name), tmp_path / "clip.mp4")
    began = _check(_job(workspace, tmp_path / "clip.mp4"), step=260)
    assert began == sorted(began)


@pytest.mark.parametrize("profile", ["fast", "default", "thorough"])
@pytest.mark.parametrize("name", ["dissolves 2 s", "fades through black"])
def test_shots_do_not_depend_on_what_else_is_computed(name: str, profile: str, tmp_path: Path) -> None:
    write_clip(case_clip(name), tmp_path / "clip.mp4")
    found = []
    for stages in (["shots"], ["shots", "motion"]):
        with open_workspace(home=tmp_path / stages[-1]) as workspace:
            video_id = workspace.add(tmp_path / "clip.mp4").video.video_id
            workspace.index(video_id, stages=stages, profile=profile)
            found.append([workspace.store.segments.load(video_id, kind) for kind in ("fine", "coarse")])
    assert found[0] == found[1]
    assert len(found[0][0]) > 2


@pytest.mark.slow
def test_few_reference_frames_are_not_enough_for_either_pass(shared_dir: Path, tmp_path: Path) -> None:
    path = shared_dir / "media" / "videos" / "psd_fades.mp4"
    found = []
    for stages in (["shots"], ["shots", "motion"]):
        with open_workspace(home=tmp_path / stages[-1]) as workspace:
            video_id = workspace.add(path).video.video_id
            workspace.index(video_id, stages=stages)
            found.append(workspace.store.segments.load(video_id, "fine"))
    assert found[0] == found[1]


def test_what_cannot_be_read_is_looked_for_anew(workspace: Workspace, tmp_path: Path) -> None:
    write_clip(case_clip("quick cuts"), tmp_path / "clip.mp4")
    job = _job(workspace, tmp_path / "clip.mp4")
    _run(job)
    whole = _segments(job)
    job.store.stages.reset(job.video_id, "shots")
    _run(job, 150)
    job.writer("shots").commit(upto_s=5.0, cursor="from another time")
    assert _run(job).resume_s == 0.0
    assert _segments(job) == whole
    assert _left_rows(job) == 0


def test_a_killed_network_goes_on_to_the_same_shots(tmp_path: Path) -> None:
    shades = [20] * 420
    for bright in (40, 95, 96, 200, 299, 300, 301, 302, 303, 304, 350):
        shades[bright] = 230
    video = _write(tmp_path / "made.mp4", [np.full((54, 96, 3), shade, np.uint8) for shade in shades])
    settings = load_settings(
        home=tmp_path / "home",
        models={"shots": "transnet-onnx"},
        model_options={"shots": {"path": str(tiny.transnet(tmp_path / "t.onnx"))}},
    )
    with open_workspace(settings) as workspace:
        job = _job(workspace, video)
        began = _check(job, step=130)
        assert began[-1] > 10.0
        kinds = [shot.transition for shot in job.store.segments.load(job.video_id, "fine")]
    assert kinds == ["start", "cut", "cut", "cut", "dissolve", "cut"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bikes.mp4", "psd_fades.mp4", "composite.mp4", "vtest.avi"])
def test_real_clips_are_taken_up_again(workspace: Workspace, shared_dir: Path, name: str) -> None:
    began = _check(_job(workspace, shared_dir / "media" / "videos" / name), step=300)
    assert began == sorted(began)
