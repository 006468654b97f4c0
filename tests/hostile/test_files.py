"""Damaged videos: never a crash, and no part is lost without a word."""

from __future__ import annotations

import random
from pathlib import Path

import av
import pytest

from tests.media.clips import add_sound, add_video, beep, even_ticks, write_frames, write_sound
from tests.media.damage_worker import damaged
from vidence.app import Workspace, open_workspace
from vidence.errors import MediaError
from vidence.media import open_video

COPIES = 60
"""Damaged copies of each container."""
FRAMES, FPS = 100, 25
LOST_FRAMES = 13
"""Half a second: that much may not be lost in silence."""
FORMS = {
    "d.mp4": ("libx264", "aac"),
    "d.webm": ("libvpx", "libopus"),
    "d.mkv": ("libx264", "aac"),
    "d.ts": ("libx264", "aac"),
}


def make(path: Path) -> Path:
    """Write a film of four seconds with a new picture in each frame."""
    codec, sound_codec = FORMS[path.name]
    with av.open(path, "w") as output:
        video = add_video(output, codec=codec, fps=FPS)
        sound = add_sound(output, sound_codec)
        write_frames(output, video, even_ticks(FRAMES))
        write_sound(output, sound, beep(FRAMES / FPS, 1.0))
    return path


def count_frames(path: Path) -> int:
    with open_video(path) as reader:
        return sum(1 for _ in reader.frames())


def told(workspace: Workspace, path: Path) -> tuple[int, float, tuple[str, ...]] | None:
    """Index a file; return its frames, its length and what is noted, or None where it is refused."""
    try:
        video_id = workspace.add(path).video.video_id
        outcomes = workspace.index(video_id, stages=["shots", "sounds"], profile="fast")
    except MediaError:
        return None
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    assert all("\n" not in str(error) for error in errors)
    info = workspace.store.catalogue.get(video_id).info
    noted = (*info.warnings, *map(str, errors))
    try:
        return count_frames(path), info.duration_s, noted
    except MediaError as exc:
        return 0, info.duration_s, (*noted, str(exc))


@pytest.mark.parametrize("name", FORMS)
def test_no_part_of_a_damaged_file_is_lost_without_a_word(name: str, tmp_path: Path) -> None:
    source = make(tmp_path / name)
    whole, length_s = count_frames(source), FRAMES / FPS
    data = source.read_bytes()
    silent: list[tuple[int, int, float]] = []
    with open_workspace(home=tmp_path / "home") as workspace:
        found = told(workspace, source)
        assert found is not None
        assert found[2] == (), "a good file gets no warning"
        for seed in range(COPIES):
            copy = tmp_path / f"{seed}-{name}"
            copy.write_bytes(damaged(data, seed))
            found = told(workspace, copy)
            copy.unlink()
            if found is None or found[2]:
                continue
            frames, seconds, _ = found
            if whole - frames > LOST_FRAMES or not 0.8 * length_s < seconds < 1.2 * length_s:
                silent.append((seed, frames, seconds))
    assert silent == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_answer_says_what_could_not_be_read(tmp_path: Path, language: str) -> None:
    source = make(tmp_path / "d.webm")
    data, rng = bytearray(source.read_bytes()), random.Random(5)
    data[len(data) // 3 : 2 * len(data) // 3] = rng.randbytes(2 * len(data) // 3 - len(data) // 3)
    source.write_bytes(data)
    question = "How many cuts are there?" if language == "en" else "有几次剪辑？"
    with open_workspace(home=tmp_path / "home") as workspace:
        answer = workspace.ask(str(source), question)
        (record,) = workspace.videos()
    assert record.info.warnings
    wanted = "no pictures could be read" if language == "en" else "没有可以读取的画面"
    assert any(wanted in gap for gap in answer.gaps), answer.gaps
