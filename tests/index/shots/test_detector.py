"""Shot detection: what must be cut, what must not, and where exactly."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.timelines import case_clip, detect, find, flat, look
from vidence.bench.shots import find_shots, load_truth, score
from vidence.bench.stress import write_clip
from vidence.bench.stress_cases import CASES
from vidence.index.shots.detector import ShotDetector, settle
from vidence.index.shots.sample import ShotChange

HARD = [case.name for case in CASES if case.name.startswith(("cuts", "quick"))]
GRADUAL = [case.name for case in CASES if case.name.startswith(("dissolves", "fades"))]
NOTHING = [case.name for case in CASES if case.name not in (*HARD, *GRADUAL)]


@pytest.mark.parametrize("name", HARD)
def test_hard_cuts_are_found_on_their_very_frame(name: str) -> None:
    clip = case_clip(name)
    found = [shot.start_time for shot in detect(clip).shots[1:]]
    assert found == pytest.approx(clip.truth.boundaries, abs=1e-6)


@pytest.mark.parametrize("name", GRADUAL)
def test_gradual_transitions_are_found_in_their_middle(name: str) -> None:
    clip = case_clip(name)
    found = detect(clip).shots[1:]
    assert len(found) == len(clip.truth.boundaries)
    for shot, middle, width in zip(found, clip.truth.boundaries, clip.truth.widths, strict=True):
        assert shot.start_time == pytest.approx(middle, abs=max(0.15, width / 4))
        assert shot.transition == ("fade" if name.startswith("fades") else "dissolve")


@pytest.mark.parametrize("name", NOTHING)
def test_light_and_motion_do_not_cut(name: str) -> None:
    assert [shot.start_time for shot in detect(case_clip(name)).shots] == [0.0]


@pytest.mark.parametrize(
    "name", ["cuts", "cuts in letterbox", "cuts with flashes", "cuts, variable frame rate"]
)
def test_the_stage_over_a_file_is_as_exact(name: str, tmp_path: Path) -> None:
    clip = case_clip(name)
    write_clip(clip, tmp_path / "clip.mp4")
    assert find_shots(tmp_path / "clip.mp4") == pytest.approx(clip.truth.boundaries, abs=1e-3)


def test_a_fade_through_black_is_cut_at_the_darkest_point() -> None:
    ramp = np.concatenate([np.linspace(1, 0, 13), np.zeros(10), np.linspace(0, 1, 13)])
    thumbs = [look(0)] * 30
    thumbs += [(look(0 if k < 18 else 1) * share).astype(np.uint8) for k, share in enumerate(ramp)]
    shots = find(thumbs + [look(1)] * 30).shots
    assert [shot.transition for shot in shots] == ["start", "fade"]
    assert shots[1].start_time == pytest.approx((30 + 18) / 25, abs=0.08)


def test_a_short_black_leader_is_part_of_the_first_shot() -> None:
    fading_in = [(look(0) * share).astype(np.uint8) for share in np.linspace(0, 1, 15)]
    assert len(find([flat(0)] * 10 + fading_in + [look(0)] * 40).shots) == 1


def test_a_long_black_hold_between_hard_cuts_is_a_shot_of_its_own() -> None:
    shots = find([look(0)] * 40 + [flat(0)] * 30 + [look(1)] * 40).shots
    assert [shot.start_time for shot in shots] == pytest.approx([0, 40 / 25, 70 / 25])


def test_blank_cards_of_different_colours_are_cut() -> None:
    shots = find([flat(30)] * 40 + [flat(160)] * 40).shots
    assert [shot.start_time for shot in shots] == pytest.approx([0, 40 / 25])


def test_repeated_frames_do_not_make_motion_look_sudden() -> None:
    clip = case_clip("fast pan")
    thumbs = [frame for frame in clip.frames for _ in range(2)]
    detector = ShotDetector(fps=50)
    for index, frame in enumerate(thumbs):
        detector.feed_thumb(np.ascontiguousarray(frame[::5, ::5]), time=index / 50)
    assert len(detector.finish(len(thumbs) / 50)) == 1


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_tiny_videos_are_one_shot(count: int) -> None:
    found = find([look(0)] * count) if count else ShotDetector(fps=25).finish_list(0.04)
    assert [shot.segment_id for shot in found.shots] == ["seg_001"]
    assert len(found.scenes) == 1


def test_memory_does_not_grow_with_the_number_of_frames() -> None:
    rng = np.random.default_rng(1)
    grain = [np.clip(look(2) + rng.normal(0, 3, look(2).shape), 0, 255).astype(np.uint8) for _ in range(50)]
    detector = ShotDetector(fps=25)
    tracemalloc.start()
    for index in range(400):
        detector.feed_thumb(grain[index % 50], time=index / 25)
    early = tracemalloc.get_traced_memory()[0]
    for index in range(400, 1600):
        detector.feed_thumb(grain[index % 50], time=index / 25)
    late = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert late < early + 1_000_000


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-1, 8), st.integers(1, 30)), min_size=1, max_size=10),
    st.sampled_from([5.0, 12.5, 25.0, 60.0]),
)
def test_shots_and_scenes_cover_the_video_in_order(plan: list[tuple[int, int]], fps: float) -> None:
    thumbs = [flat(0) if which < 0 else look(which) for which, count in plan for _ in range(count)]
    found = find(thumbs, fps=fps)
    duration = len(thumbs) / fps
    for segments in (found.shots, found.scenes):
        assert segments[0].start_time == 0.0
        assert segments[-1].end_time == duration
        assert all(one.start_time < one.end_time for one in segments)
        assert all(a.end_time == b.start_time for a, b in pairwise(segments))
        assert [one.segment_id for one in segments] == [f"seg_{n:03d}" for n in range(1, len(segments) + 1)]
        assert segments[0].transition == "start"
    assert {scene.start_time for scene in found.scenes} <= {shot.start_time for shot in found.shots}
    assert len(found.signatures) == len(found.shots)


_EVENTS = st.builds(
    lambda time, kind, before, after, strength: ShotChange(time, kind, time - before, time + after, strength),
    st.floats(0.2, 19.8),
    st.sampled_from(["cut", "fade", "dissolve"]),
    st.floats(0, 2),
    st.floats(0, 2),
    st.floats(0.1, 1, exclude_min=True),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(_EVENTS, max_size=30, unique_by=lambda event: event.strength))
def test_of_changes_that_clash_the_strongest_stands(events: list[ShotChange]) -> None:
    def rank(event: ShotChange) -> tuple[bool, float]:
        return event.kind == "dissolve", -event.strength

    def clash(event: ShotChange, other: ShotChange) -> bool:
        overlap = event.start < other.end and other.start < event.end
        return abs(event.time - other.time) < 0.2 or (event.kind == "dissolve" and overlap)

    kept = settle(events, 20.0)
    for event in events:
        stronger = [other for other in kept if rank(other) < rank(event)]
        assert (event in kept) != any(clash(event, other) for other in stronger)


@pytest.mark.slow
def test_real_clips_score_full_marks(shared_dir: Path) -> None:
    for truth in load_truth(shared_dir / "media"):
        counts, wrong, missed = score(find_shots(truth.path), truth)
        assert (counts.f1, wrong, missed) == (1.0, (), ()), truth.path.name


def test_the_sample_video_is_cut_where_its_truth_says(sample: Path, truth: dict[str, Any]) -> None:
    fades = [(one["start"] + one["end"]) / 2 for one in truth["transitions"]]
    assert find_shots(sample) == pytest.approx(sorted([*truth["cuts"], *fades]), abs=0.15)
