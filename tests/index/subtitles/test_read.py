"""Subtitle files as people have them: which one is taken, and what is read from an untidy one."""

from __future__ import annotations

from pathlib import Path

import pytest

from vidence.index.subtitles.read import find_sidecars, read_subtitle_file


def cue(text: str, start: str = "00:00:01,000", end: str = "00:00:02,000") -> str:
    return f"1\n{start} --> {end}\n{text}\n\n"


def texts(folder: Path, content: str | bytes, name: str = "a.srt") -> list[str]:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [one.text for one in read_subtitle_file(path).utterances]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Il était une fois"),
        ("latin-1", "Où êtes-vous allé hier ? Déjà vu !"),
        ("latin-1", "Ärger über Öl"),
        ("latin-1", "¿Qué tal, señor? Mañana será otro día."),
        ("gb18030", "我们明天去北京，你要不要来？"),
        ("gbk", "测试"),
        ("big5", "我們明天去台北，你要不要來？"),
        ("shift_jis", "これはテストです。"),
        ("euc_kr", "안녕하세요. 이것은 자막입니다."),
        ("cp1251", "Это русский текст, и он не очень длинный."),
        ("utf-32", "你好，世界"),
    ],
)
def test_text_is_read_in_the_encoding_it_was_written_in(tmp_path: Path, encoding: str, text: str) -> None:
    assert texts(tmp_path, cue(text).encode(encoding)) == [text]


def test_one_bad_byte_does_not_spoil_a_file_in_utf8(tmp_path: Path) -> None:
    read = texts(tmp_path, cue("你好，世界。" * 10).encode() + cue("再见").encode()[:-4] + b"\xff\n")
    assert read[0] == "你好，世界。" * 10


def test_smaller_and_greater_signs_are_words_and_tags_are_not(tmp_path: Path) -> None:
    said = '{\\an8}<font color="#ff0">If x < y</font> and z > 3, <b>I <3 it</b>{y:i} <00:00:01.500>now'
    assert texts(tmp_path, cue(said)) == ["If x < y and z > 3, I <3 it now"]


def test_line_breaks_in_markup_break_lines(tmp_path: Path) -> None:
    assert texts(tmp_path, cue("one<br/>two\\NThree")) == ["one\ntwo\nThree"]


def test_odd_times_are_read(tmp_path: Path) -> None:
    content = (
        cue("no fraction", "00:00:01", "00:00:02")
        + cue("dot", "00:00:03.5", "00:00:04.5000")
        + cue("long", "123:00:00,000", "123:00:01,000")
    )
    path = tmp_path / "a.srt"
    path.write_text(content, encoding="utf-8")
    found = read_subtitle_file(path).utterances
    assert [(one.text, one.start_time) for one in found] == [
        ("no fraction", 1.0),
        ("dot", 3.5),
        ("long", 442_800.0),
    ]


def test_unordered_and_overlapping_cues_come_in_order_of_time(tmp_path: Path) -> None:
    content = (
        cue("late", "00:00:05,000", "00:00:09,000")
        + cue("early")
        + cue("over", "00:00:06,000", "00:00:07,000")
    )
    assert texts(tmp_path, content) == ["early", "late", "over"]


def test_an_empty_cue_is_no_words_and_no_complaint(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text(cue("") + cue("<i></i>") + cue("said"), encoding="utf-8")
    read = read_subtitle_file(path)
    assert ([one.text for one in read.utterances], read.warnings) == (["said"], ())


def test_an_empty_line_within_a_subtitle_does_not_cost_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text(cue("first") + "second half\n\n" + cue("next", "00:00:03,000", "00:00:04,000"))
    read = read_subtitle_file(path)
    assert [one.text for one in read.utterances] == ["first\nsecond half", "next"]
    assert read.warnings == ()


def test_a_header_without_an_empty_line_costs_no_cue(tmp_path: Path) -> None:
    content = "WEBVTT\nKind: captions\n00:01.000 --> 00:02.000 line:90%\nfirst\n\nnot a cue\n"
    assert texts(tmp_path, content, "a.vtt") == ["first"]


def test_the_file_named_like_the_video_is_taken_first(tmp_path: Path) -> None:
    for name in ("film.zh.srt", "film.en.srt", "film.srt", "film.en.forced.srt", "film.de.sdh.vtt"):
        (tmp_path / name).write_text("x")
    found = [one.path.name for one in find_sidecars(tmp_path / "film.mp4")]
    assert found == ["film.srt", "film.en.srt", "film.zh.srt", "film.de.sdh.vtt"]


def test_the_spoken_language_comes_before_others(tmp_path: Path) -> None:
    for name in ("film.en.srt", "film.zh-CN.srt", "film.zh-CN.sdh.srt"):
        (tmp_path / name).write_text("x")
    found = [one.path.name for one in find_sidecars(tmp_path / "film.mp4", language="zh")]
    assert found == ["film.zh-CN.srt", "film.zh-CN.sdh.srt", "film.en.srt"]


def test_subtitles_of_the_video_next_to_it_are_not_taken(tmp_path: Path) -> None:
    for name in ("trip.mp4", "trip.day2.mp4", "trip.day2.srt", "trip.day2.en.srt", "trip.en.srt"):
        (tmp_path / name).write_text("x")
    assert [one.path.name for one in find_sidecars(tmp_path / "trip.mp4")] == ["trip.en.srt"]
    assert [one.path.name for one in find_sidecars(tmp_path / "trip.day2.mp4")] == [
        "trip.day2.srt",
        "trip.day2.en.srt",
    ]
