"""How long a file lasts, whatever it states."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av.audio.frame import AudioFrame
from av.video.frame import VideoFrame

from tests.media.clips import TICKS, add_sound, add_video, even_ticks, make_clip, numbered
from vidence.errors import MediaError
from vidence.media import probe

_RATE, _SIZE = 48_000, 1024


def _film(path: Path, *, picture_s: float, sound_s: float, start_s: float = 0.0) -> Path:
    """Write pictures and sound in turns, as recorders do."""
    with av.open(path, "w") as output:
        pictures, sound = add_video(output, b_frames=0), add_sound(output, "aac")
        frames = round(picture_s * 25)
        pieces = round(sound_s * _RATE) // _SIZE
        number = 0
        for piece in range(pieces):
            while number < frames and number / 25 <= piece * _SIZE / _RATE:
                shown = VideoFrame.from_ndarray(numbered(number), format="rgb24")
                shown.pts = round((start_s + number / 25) * TICKS)
                shown.time_base = Fraction(1, TICKS)
                output.mux(pictures.encode(shown))
                number += 1
            heard = AudioFrame.from_ndarray(np.zeros((1, _SIZE), np.float32), format="fltp", layout="mono")
            heard.sample_rate, heard.time_base = _RATE, Fraction(1, _RATE)
            heard.pts = round(start_s * _RATE) + piece * _SIZE
            output.mux(sound.encode(heard))
        output.mux(pictures.encode(None))
        output.mux(sound.encode(None))
    return path


@pytest.mark.parametrize("name", ["film.mkv", "film.flv"])
def test_half_a_download_lasts_as_long_as_what_came(tmp_path: Path, name: str) -> None:
    film = _film(tmp_path / name, picture_s=10, sound_s=10)
    whole = probe(film)
    assert whole.duration_s == pytest.approx(10, abs=0.1)
    assert whole.warnings == ()
    film.write_bytes(film.read_bytes()[: film.stat().st_size // 2])
    half = probe(film)
    assert half.duration_s == pytest.approx(half.video.duration_s, abs=0.1)
    assert half.duration_s < 7
    assert any("truncated: the file states 10.0 s" in warning for warning in half.warnings)


def test_sound_that_runs_on_counts(tmp_path: Path) -> None:
    info = probe(_film(tmp_path / "album.mp4", picture_s=2, sound_s=100))
    assert info.video.duration_s == pytest.approx(2)
    assert info.duration_s == pytest.approx(100, abs=0.1)
    (warning,) = info.warnings
    assert "sound runs on to 100.0 s" in warning


def test_a_file_that_begins_late_lasts_no_longer_for_it(tmp_path: Path) -> None:
    info = probe(_film(tmp_path / "late.mkv", picture_s=4, sound_s=4, start_s=30))
    assert info.duration_s == pytest.approx(4, abs=0.1)
    assert info.warnings == ()
    silent = probe(make_clip(tmp_path / "silent.mkv", ticks=even_ticks(50, start_s=3600)))
    assert (silent.duration_s, silent.warnings) == (2.0, ())


def test_one_long_pause_does_not_change_the_frame_rate(tmp_path: Path) -> None:
    info = probe(make_clip(tmp_path / "pause.mp4", ticks=even_ticks(30) + even_ticks(30, start_s=600)))
    assert float(info.video.fps) == pytest.approx(25)
    assert not info.video.variable_frame_rate
    assert info.duration_s == pytest.approx(601.2)


def test_an_animated_webp_is_called_one(tmp_path: Path) -> None:
    chunks = [(b"VP8X", bytes([2, 0, 0, 0]) + bytes(6)), (b"ANIM", bytes(6)), (b"ANMF", bytes(64))]
    body = b"WEBP" + b"".join(name + struct.pack("<I", len(data)) + data for name, data in chunks)
    path = tmp_path / "moving.webp"
    path.write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    with pytest.raises(MediaError, match=r"animated WebP.*Convert it"):
        probe(path)
