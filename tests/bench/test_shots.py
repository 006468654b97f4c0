"""The shot benchmark: scoring, ground truth, and the stress suite's own honesty."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from vidence.bench import shots
from vidence.bench.report import Counts, Timing
from vidence.bench.shots import Truth, load_truth, methods, score
from vidence.bench.stress import draw_picture, make_clip, write_clip
from vidence.bench.stress_cases import CASES
from vidence.media import open_video


def _truth(*, boundaries: tuple[float, ...], widths: tuple[float, ...] | None = None) -> Truth:
    widths = widths if widths is not None else (0.0,) * len(boundaries)
    return Truth(Path("x.mp4"), boundaries, widths, ((8.0, 9.0),), 0.15, 10.0, 180)


def test_a_find_within_tolerance_counts_once() -> None:
    counts, wrong, missed = score([1.1, 1.12, 5.0], _truth(boundaries=(1.0, 3.0)))
    assert counts == Counts(hits=1, false_alarms=2, misses=1)
    assert (wrong, missed) == ((1.12, 5.0), (3.0,))


def test_nobody_is_judged_in_dont_care_spans() -> None:
    assert score([8.5], _truth(boundaries=()))[0].f1 == 1.0


def test_a_gradual_transition_is_found_anywhere_inside() -> None:
    truth = _truth(boundaries=(4.0,), widths=(2.0,))
    assert score([4.9], truth)[0].f1 == 1.0
    assert score([5.2], truth)[0].hits == 0


def test_nothing_to_find_and_nothing_found_is_perfect() -> None:
    assert Counts().f1 == Counts().precision == Counts().recall == 1.0
    assert Counts(false_alarms=1).f1 == 0.0


def test_timings_add_up() -> None:
    both = Timing(10, 1, 2) + Timing(20, 1, 1)
    assert (both.times_real_time, both.times_real_time_per_core) == (15.0, 10.0)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_stress_truth_lies_inside_its_clip(case: object) -> None:
    chosen = next(one for one in CASES if one is case)
    clip = make_clip(chosen, photos=[draw_picture(seed) for seed in range(6)])
    times = np.array(clip.times)
    assert (np.diff(times) > 0).all()
    assert all(0 < boundary < clip.duration_s for boundary in clip.truth.boundaries)
    hard = [b for b, width in zip(clip.truth.boundaries, clip.truth.widths, strict=True) if width == 0]
    assert all(np.abs(times - boundary).min() < 1e-9 for boundary in hard)


def test_the_same_seed_renders_the_same_frames_and_times(tmp_path: Path) -> None:
    photos = [draw_picture(seed) for seed in range(4)]
    case = next(case for case in CASES if case.name == "cuts, variable frame rate")
    first, again = make_clip(case, photos=photos), make_clip(case, photos=photos)
    assert all((a == b).all() for a, b in zip(first.frames, again.frames, strict=True))
    write_clip(first, tmp_path / "a.mp4")
    with open_video(tmp_path / "a.mp4") as reader:
        times = [picture.time_s for picture in reader.frames()]
    assert times == pytest.approx(first.times, abs=1e-4)


def test_ground_truth_is_read_with_each_clips_tolerance(shared_dir: Path) -> None:
    truths = {truth.path.name: truth for truth in load_truth(shared_dir / "media")}
    assert truths["composite.mp4"].tolerance_s == 0.2
    assert truths["bikes.mp4"].tolerance_s == 0.15
    assert len(truths["bikes.mp4"].boundaries) == 5


def test_the_command_says_what_it_leaves_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scenedetect", reason="PySceneDetect is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shots, "shared_folder", _absent)
    result = CliRunner().invoke(shots.command, ["--json", "--no-synthetic"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == []
    assert "left out" in result.stderr


def _absent() -> Path:
    from vidence.errors import FileProblem

    raise FileProblem("The shared media are not here.")


def test_every_method_takes_a_file_and_gives_times(tmp_path: Path) -> None:
    pytest.importorskip("scenedetect", reason="PySceneDetect is not installed")
    case = next(case for case in CASES if case.name == "cuts")
    clip = make_clip(case, photos=[draw_picture(seed) for seed in range(6)])
    write_clip(clip, tmp_path / "cuts.mp4")
    truth = Truth(
        tmp_path / "cuts.mp4", clip.truth.boundaries, clip.truth.widths, (), 0.15, clip.duration_s, 180
    )
    f1 = {name: score(method(truth.path), truth)[0].f1 for name, method in methods().items()}
    assert f1["vidence"] == f1["vidence, one pass"] == 1.0
    assert 0.0 <= f1["ContentDetector"] <= 1.0
