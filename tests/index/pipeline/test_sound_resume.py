"""A run that is killed while it listens: the next one goes on, and hears the very same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from tests.media.clips import add_sound, add_video, even_ticks, write_frames, write_sound
from vidence.app import Workspace, open_workspace
from vidence.errors import BackendError
from vidence.media import read_audio
from vidence.models.sounds.stream import SoundMemo
from vidence.schema.observations import Observation, SoundEvent
from vidence.schema.speech import SpeechMemo, Utterance
from vidence.schema.time import TimeRange

RATE = 44_100
"""Not a multiple of what the models hear, so that each jump into the sound would give other samples."""
ROWS: dict[str, type[Observation]] = {"sounds": SoundEvent, "transcript": Utterance}

Sound = NDArray[np.float32]


class Killed(Exception):
    """Ends a run as a kill would: nothing is written after it."""


@pytest.fixture
def open_home(tmp_path: Path) -> Iterator[Callable[[str], Workspace]]:
    opened: list[Workspace] = []

    def open_one(name: str) -> Workspace:
        opened.append(open_workspace(home=tmp_path / name))
        for capability in ("sounds", "speech"):
            try:
                opened[-1].indexer.shelf.get(capability)
            except BackendError as exc:
                pytest.skip(f"no model for {capability}: {exc}")
        return opened[-1]

    yield open_one
    for workspace in opened:
        workspace.close()


def _clip(path: Path, sound: Sound) -> Path:
    with av.open(path, "w") as output:
        video = add_video(output, fps=1, b_frames=0, options={"preset": "ultrafast"})
        write_sound(output, add_sound(output, "aac", rate=RATE), sound, rate=RATE)
        write_frames(output, video, even_ticks(len(sound) // RATE, fps=1))
    return path


def _seconds(length_s: float) -> Sound:
    return np.asarray(np.arange(round(length_s * RATE)) / RATE, np.float32)


def _silence(length_s: float) -> Sound:
    return np.zeros_like(_seconds(length_s))


def _noise(length_s: float, level: float) -> Sound:
    return np.random.default_rng(7).normal(0, level, len(_seconds(length_s))).astype(np.float32)


def _chords(length_s: float) -> Sound:
    t = _seconds(length_s)
    struck = np.exp(-3 * (t % 0.5)) * 0.2
    roots = np.asarray([220.0, 261.6, 293.7, 196.0])[(t // 0.5).astype(int) % 4]
    return np.asarray(struck * sum(np.sin(2 * np.pi * roots * k * t) for k in (1, 1.25, 1.5)), np.float32)


def _beeps(length_s: float) -> Sound:
    t = _seconds(length_s)
    return np.asarray(0.3 * np.sin(2 * np.pi * 1000 * t) * (t % 1 < 0.3), np.float32)


def _hum(length_s: float) -> Sound:
    return np.asarray(0.2 * np.sin(2 * np.pi * 120 * _seconds(length_s)), np.float32)


def _bangs(length_s: float) -> Sound:
    dying = np.exp(-30 * (_seconds(length_s) % 2.5))
    return np.asarray(_noise(length_s, 0.5) * dying, np.float32)


def _many_sounds() -> Sound:
    """Something sounds across every half minute, and a silence across two."""
    parts = [
        _noise(12, 0.1), _silence(8), _chords(25), _bangs(7), _hum(14), _silence(5), _beeps(24),
        _noise(10.5, 0.001), _chords(20.5), _silence(69), _noise(19, 0.1), _bangs(6.3),
    ]  # fmt: skip
    return np.concatenate(parts)


def _many_sentences(sample: Path) -> Sound:
    """Speech in more pieces than are heard together, some near each other and some far apart."""
    span = TimeRange(start_time=3.5, end_time=14.5)
    (chunk,) = read_audio(sample, span=span, rate=RATE)
    pauses = (11.3, 9.1, 0.7, 31.0, 12.2, 8.9, 10.4, 0.9, 17.7, 9.6)
    parts = [part for pause in pauses for part in (chunk.samples, _silence(pause))]
    return np.concatenate([*parts, chunk.samples])


def _rows(workspace: Workspace, video_id: str, stage: str) -> list[Observation]:
    return list(workspace.store.observations.load(video_id, stage, ROWS[stage]))


def _killed(workspace: Workspace, video_id: str, stage: str, *, every: int) -> list[float]:
    """Kill a run, and each that goes on, after so many commits; return how far each commit came."""
    reached: list[float] = []

    def kill(_: str, fraction: float) -> None:
        row = workspace.store.stages.get(video_id, stage)
        if row is not None and not row.is_done:
            reached.append(fraction)
            if len(reached) % every == 0:
                raise Killed

    for run in range(1, 30):
        try:
            workspace.index(video_id, stages=[stage], progress=kill)
        except Killed:
            assert len(reached) == run * every
        else:
            return reached
    pytest.fail(f"runs that are killed do not move on: {reached}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "media", "commits", "every"),
    [
        ("sounds", "sample", 2, 1),
        ("sounds", "many sounds", 8, 1),
        ("transcript", "sample", 2, 1),
        # Within those that are heard together, and between them.
        ("transcript", "many sentences", 9, 4),
    ],
)
def test_listening_killed_after_commits_goes_on_to_the_very_same_rows(
    open_home: Callable[[str], Workspace],
    sample: Path,
    tmp_path: Path,
    stage: str,
    media: str,
    commits: int,
    every: int,
) -> None:
    if media == "sample":
        video = sample
    else:
        sound = _many_sounds() if media == "many sounds" else _many_sentences(sample)
        video = _clip(tmp_path / "clip.mp4", sound)
    whole, broken = open_home("whole"), open_home("broken")
    video_id = whole.add(video).video.video_id
    whole.index(video_id, stages=[stage])
    expected = _rows(whole, video_id, stage)
    assert broken.add(video).video.video_id == video_id
    reached = _killed(broken, video_id, stage, every=every)
    assert len(reached) >= commits
    assert reached == sorted(reached)
    assert len(expected) >= commits
    assert _rows(broken, video_id, stage) == expected


@pytest.mark.slow
def test_something_sounds_across_every_border_of_the_many_sounds(
    open_home: Callable[[str], Workspace], tmp_path: Path
) -> None:
    """What the test above is about."""
    workspace = open_home("whole")
    video_id = workspace.add(_clip(tmp_path / "clip.mp4", _many_sounds())).video.video_id
    workspace.index(video_id, stages=["sounds"])
    found: Sequence[SoundEvent] = workspace.store.observations.load(video_id, "sounds", SoundEvent)
    for border_s in range(30, 211, 30):
        assert any(one.start_time < border_s - 1 and border_s + 1 < one.end_time for one in found), border_s


@pytest.mark.slow
def test_what_an_older_version_left_unfinished_is_made_anew(
    open_home: Callable[[str], Workspace], sample: Path
) -> None:
    whole, broken = open_home("whole"), open_home("broken")
    video_id = whole.add(sample).video.video_id
    whole.index(video_id, stages=["sounds"])
    broken.add(sample)
    with pytest.raises(Killed):
        broken.index(video_id, stages=["sounds"], progress=_kill_at_once)
    broken.store.stages.advance(video_id, "sounds", progress=0.5, cursor=27.0)
    broken.index(video_id, stages=["sounds"])
    assert _rows(broken, video_id, "sounds") == _rows(whole, video_id, "sounds")


def test_what_an_older_version_left_is_told_from_a_memo() -> None:
    for kind in (SoundMemo, SpeechMemo):
        with pytest.raises(ValidationError):
            kind.model_validate({"reached_s": 27.0, "language": "en"})


def _kill_at_once(_: str, __: float) -> None:
    raise Killed
