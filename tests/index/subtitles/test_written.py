"""Where a video's words come from."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from vidence.errors import FileProblem, UserError
from vidence.index.subtitles.identify import guess_language, language_code
from vidence.index.subtitles.read import find_sidecars, read_subtitle_file
from vidence.index.subtitles.written import find_written
from vidence.media import probe
from vidence.queries.subtitles import to_srt, to_vtt
from vidence.schema.speech import Utterance

SRT = """1
00:00:01,000 --> 00:00:02,500
Hello <i>there</i>, &amp; welcome.

2
00:00:03,000 --> 00:00:04,000
{\\an8}Second line
goes on
"""
CHINESE = "1\n00:00:01,000 --> 00:00:03,000\n你好，世界\n\n2\n00:01:00,250 --> 00:01:02,000\n第二句\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
def test_every_common_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.srt"
    path.write_bytes(CHINESE.encode(encoding))
    read = read_subtitle_file(path)
    assert [u.text for u in read.utterances] == ["你好，世界", "第二句"]
    assert read.utterances[1].start_time == 60.25
    assert read.utterances[0].language == "zh"
    assert read.warnings == ()


def test_tags_and_entities_are_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text(SRT.replace("\n", "\r\n"), encoding="utf-8", newline="")
    first, second = read_subtitle_file(path, language="en").utterances
    assert first.text == "Hello there, & welcome."
    assert second.text == "Second line\ngoes on"
    assert (first.start_time, first.end_time, first.language) == (1.0, 2.5, "en")


def test_webvtt_with_notes_settings_and_voices(tmp_path: Path) -> None:
    path = tmp_path / "a.vtt"
    path.write_text(
        "WEBVTT - title\n\nNOTE a comment\n\nSTYLE\n::cue{}\n\nintro\n00:01.500 --> 00:02.000 align:start\n"
        "<v Ann>Hi &lt;you&gt;\n\n1:00:00.000 --> 1:00:01.000\nlate\n",
        encoding="utf-8",
    )
    first, late = read_subtitle_file(path).utterances
    assert (first.text, first.speaker, first.start_time) == ("Hi <you>", "Ann", 1.5)
    assert late.start_time == 3600


def test_malformed_blocks_are_left_out_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    broken = "3\nnot a time --> at all\nlost\n\n4\n00:00:09,000 --> 00:00:08,000\nbackwards\n"
    path.write_text(SRT + "\n" + broken, encoding="utf-8")
    read = read_subtitle_file(path)
    assert len(read.utterances) == 2
    assert "2 malformed blocks" in read.warnings[0]


def test_missing_blank_lines_do_not_glue_cues_together(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text(SRT.replace("\n\n", "\n"), encoding="utf-8")
    assert [u.text for u in read_subtitle_file(path).utterances] == [
        "Hello there, & welcome.",
        "Second line\ngoes on",
    ]


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4, b"just some words"])
def test_a_file_without_subtitles_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.srt"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"a\.srt"):
        read_subtitle_file(path)


def test_a_file_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="cannot be read"):
        read_subtitle_file(tmp_path / "gone.srt")


def test_sidecars_are_found_with_their_language(tmp_path: Path) -> None:
    for name in ("movie.srt", "movie.zh-CN.srt", "movie.eng.VTT", "movie2.srt", "movie.txt", "movie.v2.srt"):
        (tmp_path / name).write_text("x")
    found = {s.path.name: s.language for s in find_sidecars(tmp_path / "movie.mp4")}
    assert found == {"movie.srt": None, "movie.zh-CN.srt": "zh", "movie.eng.VTT": "en", "movie.v2.srt": None}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("这是一段中文", "zh"),
        ("the cat is in it", "en"),
        ("これはテストです", "ja"),
        ("안녕하세요", "ko"),
        ("123", None),
    ],
)
def test_language_is_told_by_script(text: str, language: str | None) -> None:
    assert guess_language(text) == language


def test_language_codes() -> None:
    assert [language_code(t) for t in ("chs", "zh_TW", "en.forced", "", "v2")] == [
        "zh",
        "zh",
        "en",
        None,
        None,
    ]


@pytest.mark.parametrize("suffix", ["srt", "vtt"])
def test_what_is_written_reads_back_the_same(tmp_path: Path, suffix: str) -> None:
    said = [
        Utterance(start_time=0.0, end_time=1.0015, text="a --> b & <i>"),
        Utterance(start_time=3661.5, end_time=3662.0, text="两行\n\n文字"),
    ]
    path = tmp_path / f"x.{suffix}"
    path.write_text(to_srt(said) if suffix == "srt" else to_vtt(said), encoding="utf-8")
    first, second = read_subtitle_file(path).utterances
    assert first.text in ("a → b & <i>", "a → b & ‹i›")
    assert (second.start_time, second.end_time, second.text) == (3661.5, 3662.0, "两行\n文字")


def test_written_words_beat_speech_and_broken_files_are_named(tmp_path: Path, sample: Path) -> None:
    video = tmp_path / "film.mp4"
    shutil.copy(sample, video)
    (tmp_path / "film.srt").write_bytes(b"")
    (tmp_path / "film.zh.srt").write_text(CHINESE, encoding="utf-8")
    found = find_written([video], probe(video))
    assert [(one.name, len(one.utterances)) for one in found] == [("film.zh.srt", 1), ("film.srt", 0)]
    assert "1 subtitles after the end" in found[0].warnings[0]
    assert "film.srt" in found[1].warnings[0]
