"""Files that are not readable videos are refused in one line that says what to do."""

from __future__ import annotations

import os
import random
import socket
import struct
import time
from pathlib import Path

import av
import numpy as np
import pytest
from av.video.frame import VideoFrame

from tests.media.clips import add_sound, beep, even_ticks, make_clip, numbered, write_sound
from vidence.errors import DamagedMedia, FileProblem, MediaError, NotAVideo, VidenceError
from vidence.media import open_video, probe, read_audio, read_subtitles


def complaint(path: Path, kind: type[VidenceError]) -> str:
    """Return the one line every way of opening `path` answers with."""
    for refuse in (probe, open_video, read_audio, read_subtitles):
        with pytest.raises(kind) as caught:
            refuse(path)
        assert "\n" not in str(caught.value)
    return str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    assert "does not exist" in complaint(tmp_path / "none.mp4", FileProblem)
    assert "does not exist" in complaint(make_clip(tmp_path / "a.mp4") / "under.mp4", FileProblem)
    assert "File name too long" in complaint(tmp_path / ("x" * 5000), FileProblem)
    assert "not a usable path" in complaint(Path("nul\0byte.mp4"), FileProblem)


def test_folder(tmp_path: Path) -> None:
    assert "folder" in complaint(tmp_path, FileProblem)


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.mp4"
    path.touch()
    assert "0 bytes" in complaint(path, NotAVideo)


@pytest.mark.parametrize(
    "text",
    [
        "just some words\n" * 300,
        "\x1b[31mred\x1b[0m terminal\n" * 300,
        "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nhttp://localhost:1/a.ts\n",
        "ffconcat version 1.0\nfile a.mp4\n",
        "v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n",
        "<html><body>Not found</body></html>",
    ],
)
def test_text_renamed_to_mp4(tmp_path: Path, text: str) -> None:
    path = tmp_path / "text.mp4"
    path.write_text(text)
    make_clip(tmp_path / "a.mp4")
    assert "is not a video file, whatever its name says" in complaint(path, NotAVideo)


def test_subtitles_renamed_to_mp4(tmp_path: Path) -> None:
    path = tmp_path / "text.mp4"
    path.write_text("1\n00:00:01,000 --> 00:00:02,000\nHello\n")
    assert "holds no video, only subtitle" in complaint(path, NotAVideo)


def test_random_bytes(tmp_path: Path) -> None:
    path = tmp_path / "noise.mp4"
    path.write_bytes(random.Random(3).randbytes(50_000))
    assert "is not a video file" in complaint(path, NotAVideo)


def test_mp4_cut_before_its_index(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "cut.mp4", ticks=even_ticks(100))
    path.write_bytes(path.read_bytes()[:4000])
    assert "truncated or corrupt" in complaint(path, DamagedMedia)


def test_sound_alone(tmp_path: Path) -> None:
    path = tmp_path / "sound.m4a"
    with av.open(path, "w", format="mp4") as output:
        write_sound(output, add_sound(output, "aac"), beep(1, 0.5))
    assert "only audio" in complaint(path, NotAVideo)


@pytest.mark.parametrize("name", ["still.png", "still.jpg", "still.gif"])
def test_still_image(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "still.gif":
        make_clip(path, ticks=[0], codec="gif", pixel_format="rgb8", b_frames=0)
    else:
        VideoFrame.from_ndarray(numbered(1), format="rgb24").save(path)
        path = path.rename(tmp_path / f"{name}.mp4")
    assert "still image" in complaint(path, NotAVideo)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "locked.mp4")
    path.chmod(0)
    assert "permission" in complaint(path, FileProblem)


def test_pipes_sockets_and_devices_do_not_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.mp4")
    (tmp_path / "link.mp4").symlink_to(tmp_path / "pipe.mp4")
    monkeypatch.chdir(tmp_path)  # A socket's path may have 108 bytes.
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.mp4")
        for path in (
            tmp_path / "pipe.mp4",
            tmp_path / "link.mp4",
            tmp_path / "socket.mp4",
            Path("/dev/zero"),
        ):
            assert "plain file" in complaint(path, FileProblem)


@pytest.mark.parametrize(
    "name", ["with spaces.mp4", "视频 🎬.mp4", "http:x.mp4", "100%03d.mp4", "-i.mp4", "a'\"b.mp4"]
)
def test_odd_names_are_read(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make_clip(tmp_path / "plain.mp4").rename(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert probe(name).video.num_frames == 48
    assert probe(tmp_path / name).path.name == name


def test_frames_over_the_limit_are_refused(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "a.mp4")
    with pytest.raises(MediaError, match="96x64"):
        probe(path, max_pixels=96 * 64 - 1)
    assert probe(path, max_pixels=96 * 64).video.num_frames == 48


def test_claimed_size_beyond_all_bounds_is_refused_quickly(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "bomb.mkv", codec="ffv1", b_frames=0)
    data = bytearray(path.read_bytes())
    # PixelWidth and PixelHeight: one byte each in this small file.
    for code in (b"\xb0\x81", b"\xba\x81"):
        at = data.index(code)
        data[at + 2] = 0xFF
    path.write_bytes(data)
    with pytest.raises(MediaError):
        probe(path, max_pixels=96 * 64)


def test_an_index_that_claims_a_thousand_million_frames_is_refused_at_once(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "bomb.mp4", b_frames=0)
    data = bytearray(path.read_bytes())
    claim = struct.pack(">I", 1_000_000_000)
    for box, offset in ((b"stsz", 12), (b"stts", 12), (b"stsc", 16)):
        at = data.index(box) + offset
        data[at : at + 4] = claim
    path.write_bytes(data)
    began = time.thread_time()
    assert "claims more frames" in complaint(path, DamagedMedia)
    assert time.thread_time() - began < 1


def test_a_stream_without_a_single_frame(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "z.mkv")
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"\x1f\x43\xb6\x75")])
    assert "truncated or corrupt" in complaint(path, DamagedMedia)


def test_nothing_decodable_is_damage(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "n.mp4", container={"movflags": "faststart"})
    data = bytearray(path.read_bytes())
    at = data.index(b"mdat") + 4
    data[at:] = random.Random(1).randbytes(len(data) - at)
    path.write_bytes(data)
    assert "no frame that can be decoded" in complaint(path, DamagedMedia)


def test_a_corrupt_middle_is_stepped_over(tmp_path: Path) -> None:
    path = make_clip(
        tmp_path / "m.mp4", ticks=even_ticks(100), b_frames=0, container={"movflags": "faststart"}
    )
    data = bytearray(path.read_bytes())
    begin = data.index(b"mdat")
    middle = begin + (len(data) - begin) // 2
    data[middle : middle + 600] = bytes(600)
    path.write_bytes(data)
    with open_video(path) as reader:
        seen = [picture.index for picture in reader.frames()]
        assert 60 < len(seen) <= 100
        assert seen[-1] == 99
        assert reader.skipped_packets > 0


def test_a_file_that_vanishes(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "v.mp4")
    with open_video(path) as reader:
        frames = reader.frames()
        next(frames)
        path.unlink()
        assert len(list(frames)) == 47
        with pytest.raises(FileProblem, match="does not exist"):
            list(reader.frames())


def test_a_file_that_shrinks(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (60, 240, 320, 3), dtype=np.uint8)
    path = make_clip(
        tmp_path / "s.mkv", ticks=even_ticks(60), images=list(noise), size=(320, 240), codec="ffv1"
    )
    with open_video(path) as reader:
        frames = reader.frames()
        next(frames)
        os.truncate(path, path.stat().st_size // 3)
        with pytest.raises(FileProblem, match="shrank"):
            list(frames)


def test_libav_keeps_quiet(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = make_clip(tmp_path / "m.mp4", ticks=even_ticks(100), container={"movflags": "faststart"})
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :: 50] = bytes(len(data[len(data) // 2 :: 50]))
    path.write_bytes(data)
    with open_video(path) as reader:
        list(reader.frames())
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")
