"""Embedded subtitles come out as plain text in video time."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import pytest
from av.subtitles.stream import SubtitleStream
from av.subtitles.subtitle import SubtitleSet

from tests.media.clips import add_video, even_ticks, make_clip, write_frames
from vidence.errors import UserError
from vidence.media import probe, read_subtitles
from vidence.media.subtitles import plain_text

SRT = """1
00:00:00,500 --> 00:00:01,250
<i>Hello</i>, world

2
00:00:01,500 --> 00:00:02,000
两行
字幕
"""
VTT = "WEBVTT\n\n00:00.500 --> 00:01.250\n<b>Hello</b>, world\n\n00:01.500 --> 00:02.000\n两行\n字幕\n"
ASS = """[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize
Style: Default,Arial,20

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.50,0:00:01.25,Default,,0,0,0,,{\\\\an8\\\\b1}Hello{\\\\b0}, world
Dialogue: 0,0:00:01.50,0:00:02.00,Default,,0,0,0,,两行\\N字幕
""".replace("\\\\\\\\", "\\\\")


def subtitled(path: Path, text: str, suffix: str, *, video_start_s: float = 0) -> Path:
    source = path.with_suffix(suffix)
    source.write_text(text, encoding="utf-8")
    with av.open(source) as lines, av.open(path, "w") as output:
        video = add_video(output)
        stream = output.add_stream_from_template(lines.streams.subtitles[0])
        for packet in lines.demux(lines.streams.subtitles[0]):
            if packet.size:
                packet.stream = stream
                output.mux(packet)
        write_frames(output, video, even_ticks(60, start_s=video_start_s))
    return path


@pytest.mark.parametrize(("text", "suffix"), [(SRT, ".srt"), (VTT, ".vtt"), (ASS, ".ass")])
def test_text_subtitles_lose_their_markup(tmp_path: Path, text: str, suffix: str) -> None:
    path = subtitled(tmp_path / "s.mkv", text, suffix)
    (stream,) = probe(path).subtitles
    assert stream.is_text
    first, second = read_subtitles(path)
    assert (first.start_time, first.end_time, first.text) == pytest.approx((0.5, 1.25, "Hello, world"))
    assert (second.start_time, second.end_time) == pytest.approx((1.5, 2.0))
    assert second.text == "两行\n字幕"
    assert read_subtitles(path, stream.index) == [first, second]


def test_mp4_text_subtitles(tmp_path: Path) -> None:
    path = tmp_path / "m.mp4"
    with av.open(path, "w") as output:
        video = add_video(output)
        stream = output.add_stream("mov_text")
        assert isinstance(stream, SubtitleStream)
        context = stream.codec_context
        context.time_base = Fraction(1, 1000)
        context.subtitle_header = ASS.encode()
        for start, end, text in ((500, 1250, "Hello, world"), (1500, 2000, "两行\\N字幕")):
            event = f"0,0,Default,,0,0,0,,{text}".encode()
            packet = context.encode_subtitle(SubtitleSet.create(event, 0, end - start, pts=start * 1000))
            packet.stream, packet.time_base = stream, Fraction(1, 1000)
            packet.pts = packet.dts = start
            packet.duration = end - start
            output.mux(packet)
        write_frames(output, video, even_ticks(60))
    assert probe(path).subtitles[0].language is None
    lines = [(line.start_time, line.end_time, line.text) for line in read_subtitles(path)]
    assert lines == [(0.5, 1.25, "Hello, world"), (1.5, 2.0, "两行\n字幕")]


def test_times_follow_the_pictures(tmp_path: Path) -> None:
    path = subtitled(tmp_path / "s.mkv", SRT, ".srt", video_start_s=0.25)
    assert [line.start_time for line in read_subtitles(path)] == pytest.approx([0.25, 1.25])


def test_a_video_without_subtitles_has_no_lines(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "a.mp4")
    assert read_subtitles(path) == []
    with pytest.raises(UserError, match="not subtitles"):
        read_subtitles(path, 0)


def test_bitmap_subtitles_are_refused(tmp_path: Path) -> None:
    path = subtitled(tmp_path / "b.mkv", SRT, ".srt")
    # No encoder for these ships with libav, so a text stream is relabelled.
    path.write_bytes(path.read_bytes().replace(b"S_TEXT/UTF8", b"S_HDMV/PGS\0"))
    assert not probe(path).subtitles[0].is_text
    with pytest.raises(UserError, match="pictures"):
        read_subtitles(path)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (b"0,0,Default,,0,0,0,,{\\an8}Up, and\\Ndown", "Up, and\ndown"),
        (b"0,0,Default,,0,0,0,,a\\hb <font color='red'>c</font>", "a b c"),
        (b"0,0,Default,,0,0,0,,3 < 4 > 2", "3 < 4 > 2"),
        (b"0,0,Default,,0,0,0,,\xff\xfe", "��"),
        (b"", ""),
    ],
)
def test_markup_is_stripped(event: bytes, text: str) -> None:
    assert plain_text(event) == text
