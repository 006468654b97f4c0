"""Probing says what players show, for every awkward kind of file."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av.stream import Disposition

from tests.media.clips import (
    add_sound,
    add_video,
    beep,
    even_ticks,
    make_clip,
    numbered,
    write_frames,
    write_sound,
)
from vidence.media import open_video, probe


def test_plain_clip_with_b_frames(tmp_path: Path) -> None:
    info = probe(make_clip(tmp_path / "a.mp4"))
    video = info.video
    assert (video.width, video.height, video.num_frames) == (96, 64, 48)
    assert video.fps == Fraction(25)
    assert video.duration_s == info.duration_s == pytest.approx(48 / 25)
    assert video.codec == "h264"
    assert (video.rotation, video.bit_depth) == (0, 8)
    assert video.pixel_aspect == Fraction(1)
    assert not video.variable_frame_rate
    assert info.exact
    assert info.warnings == ()


@pytest.mark.parametrize("name", ["v.mp4", "v.mkv"])
@pytest.mark.parametrize("b_frames", [0, 2])
def test_variable_frame_rate(tmp_path: Path, name: str, b_frames: int) -> None:
    gaps = [1800, 9000, 3600, 18000] * 8
    ticks = [0, *np.cumsum(gaps).tolist()]
    video = probe(make_clip(tmp_path / name, ticks=ticks, b_frames=b_frames, fps=50)).video
    assert video.variable_frame_rate
    assert video.num_frames == len(ticks)
    assert float(video.fps) == pytest.approx(len(ticks) / video.duration_s)
    assert video.duration_s == pytest.approx(ticks[-1] / 90000, abs=0.25)


@pytest.mark.parametrize(
    ("name", "container", "format"),
    [
        ("live.mkv", {"live": "1"}, None),
        ("live.webm", {"live": "1"}, "matroska"),
        ("fragmented.mp4", {"movflags": "frag_keyframe+empty_moov"}, None),
        ("bare.flv", {"flvflags": "no_duration_filesize"}, None),
        ("stream.ts", {}, None),
        ("plain.avi", {}, None),
    ],
)
def test_duration_is_found_where_none_is_stated(
    tmp_path: Path, name: str, container: dict[str, str], format: str | None
) -> None:
    info = probe(make_clip(tmp_path / name, container=container, format=format, b_frames=0))
    assert info.video.num_frames == 48
    assert info.duration_s == pytest.approx(48 / 25, abs=0.002)
    assert info.video.fps == pytest.approx(25, rel=0.01)
    assert info.exact


def test_raw_stream_without_timestamps_is_estimated(tmp_path: Path) -> None:
    info = probe(make_clip(tmp_path / "raw.h264", format="h264"))
    assert info.video.num_frames == 48
    assert info.duration_s == pytest.approx(48 / 25, abs=0.05)
    with open_video(info.path) as reader:
        assert len(list(reader.frames())) == 48


@pytest.mark.parametrize(("degrees", "clockwise"), [(-90, 90), (90, 270), (180, 180), (0, 0)])
@pytest.mark.parametrize("name", ["r.mp4", "r.mkv"])
def test_rotation_is_read_and_size_is_as_shown(
    tmp_path: Path, name: str, degrees: float, clockwise: int
) -> None:
    video = probe(make_clip(tmp_path / name, rotation=degrees)).video
    assert video.rotation == clockwise
    assert (video.width, video.height) == ((64, 96) if clockwise in (90, 270) else (96, 64))
    assert (video.coded_width, video.coded_height) == (96, 64)


def test_edit_list_hides_the_first_frames(tmp_path: Path) -> None:
    path = edited(make_clip(tmp_path / "e.mp4", b_frames=0, gop=48), skip_frames=5)
    info = probe(path)
    assert info.video.num_frames == 43
    assert info.duration_s == pytest.approx(43 / 25, abs=0.002)


def edited(path: Path, *, skip_frames: int, fps: int = 25) -> Path:
    """Make the clip's edit list begin `skip_frames` late."""
    data = bytearray(path.read_bytes())
    at = data.index(b"elst") + 8
    count, duration, media_time = struct.unpack(">IIi", data[at : at + 12])
    assert count == 1
    timescale = struct.unpack(">I", data[data.index(b"mdhd") + 16 :][:4])[0]
    movie_scale = struct.unpack(">I", data[data.index(b"mvhd") + 16 :][:4])[0]
    duration -= skip_frames * movie_scale // fps
    media_time += skip_frames * timescale // fps
    data[at + 4 : at + 12] = struct.pack(">Ii", duration, media_time)
    path.write_bytes(data)
    return path


def test_non_zero_start_becomes_zero(tmp_path: Path) -> None:
    info = probe(make_clip(tmp_path / "s.ts", ticks=even_ticks(48, start_s=10)))
    assert info.video.start_time >= 10
    assert info.video.num_frames == 48
    assert info.duration_s == pytest.approx(48 / 25, abs=0.002)


def test_ten_bit(tmp_path: Path) -> None:
    video = probe(make_clip(tmp_path / "t.mkv", codec="ffv1", pixel_format="yuv420p10le")).video
    assert (video.bit_depth, video.pixel_format) == (10, "yuv420p10le")


def test_greyscale(tmp_path: Path) -> None:
    assert (
        probe(make_clip(tmp_path / "g.mkv", codec="ffv1", pixel_format="gray")).video.pixel_format == "gray"
    )


def test_odd_size(tmp_path: Path) -> None:
    video = probe(make_clip(tmp_path / "o.mkv", codec="ffv1", size=(97, 65))).video
    assert (video.width, video.height) == (97, 65)


@pytest.mark.parametrize("rotation", [None, -90])
def test_anamorphic_pixels_are_shown_square(tmp_path: Path, rotation: float | None) -> None:
    video = probe(make_clip(tmp_path / "w.mp4", aspect=Fraction(4, 3), rotation=rotation)).video
    assert video.pixel_aspect == Fraction(4, 3)
    assert {video.width, video.height} == {128, 64}
    assert (video.width > video.height) == (rotation is None)


def test_several_streams_and_a_cover(tmp_path: Path) -> None:
    path = tmp_path / "many.mp4"
    with av.open(path, "w") as output:
        cover = add_video(output, codec="mjpeg", pixel_format="yuvj420p", size=(32, 32), b_frames=0)
        cover.disposition = Disposition.attached_pic
        first, second = (add_video(output, size=size) for size in ((96, 64), (48, 32)))
        sounds = [add_sound(output, "aac"), add_sound(output, "flac")]
        for sound in sounds:
            write_sound(output, sound, beep(1, 0.5))
        write_frames(output, first, even_ticks(25))
        write_frames(output, second, even_ticks(25))
        write_frames(output, cover, [0], [numbered(0, 32, 32)])
    info = probe(path)
    assert info.video.width == 96
    assert [stream.codec for stream in info.audio] == ["aac", "flac"]
    assert info.audio[0].sample_rate == 48_000
    assert any("2 video streams" in warning for warning in info.warnings)


def test_one_frame_video(tmp_path: Path) -> None:
    info = probe(make_clip(tmp_path / "one.mp4", ticks=[0]))
    assert info.video.num_frames == 1
    assert 0 < info.duration_s < 1


@pytest.mark.parametrize("name", ["t.mp4", "t.mkv", "t.avi"])
def test_truncated_file_is_named_and_still_read(tmp_path: Path, name: str) -> None:
    container = {"movflags": "faststart"} if name == "t.mp4" else {}
    path = make_clip(tmp_path / name, ticks=even_ticks(200), b_frames=0, gop=25, container=container)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    info = probe(path)
    assert any("truncated" in warning for warning in info.warnings), info
    assert 40 < info.video.num_frames < 160
    with open_video(path) as reader:
        assert len(list(reader.frames())) == pytest.approx(info.video.num_frames, abs=2)


def test_invisible_reference_frames_are_not_counted(tmp_path: Path) -> None:
    path = make_clip(
        tmp_path / "alt.webm",
        codec="libvpx",
        b_frames=0,
        ticks=even_ticks(60),
        options={"auto-alt-ref": "1", "lag-in-frames": "16", "b": "200k", "cpu-used": "4"},
    )
    with open_video(path) as reader:
        assert reader.info.video.num_frames == 60 == len(list(reader.frames()))


def test_probing_real_clips_agrees_with_decoding(shared_dir: Path) -> None:
    for name in ("TUD-Campus.avi", "bikes.mp4", "sam2_dog.mp4"):
        with open_video(shared_dir / "media" / "videos" / name) as reader:
            frames = [(picture.index, picture.time) for picture in reader.frames()]
            assert [index for index, _ in frames] == list(range(reader.info.video.num_frames))
            assert frames[0][1] == 0
