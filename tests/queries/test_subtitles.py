"""Subtitle files we write: any player shows them, and reading them again gives the same words."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from vidence.index.subtitles.read import read_subtitle_file
from vidence.queries.subtitles import to_srt, to_vtt
from vidence.schema.speech import Utterance, Word

Writer = Callable[[Sequence[Utterance]], str]
ENGLISH = (
    "The house was large and stood by the river, where nobody had lived for years. It was sold in spring to "
    "a family from the north, who painted it white and planted apple trees along the path to the water, and "
    "that was how it all began."
)
CHINESE = (
    "那座房子很大，就在河边，很多年没有人住了。春天的时候卖给了一家从北方来的人，"
    "他们把它刷成白色，还沿着小路种了苹果树，故事就是这样开始的。"
)


def spoken(text: str, pieces: Sequence[str], *, start_s: float = 1.0, each_s: float = 0.4) -> Utterance:
    words = tuple(
        Word(text=one, start_time=start_s + i * each_s, end_time=start_s + (i + 1) * each_s, confidence=0.9)
        for i, one in enumerate(pieces)
    )
    return Utterance(start_time=start_s, end_time=words[-1].end_time, text=text, words=words)


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


def read_back(folder: Path, writer: Writer, said: Sequence[Utterance]) -> tuple[Utterance, ...]:
    path = folder / ("x.srt" if writer is to_srt else "x.vtt")
    path.write_text(writer(said), encoding="utf-8")
    read = read_subtitle_file(path)
    assert read.warnings == ()
    return read.utterances


@pytest.mark.parametrize("writer", [to_srt, to_vtt])
@pytest.mark.parametrize(("text", "pieces"), [(ENGLISH, ENGLISH.split()), (CHINESE, list(CHINESE))])
def test_long_speech_becomes_short_cues_with_every_word(
    tmp_path: Path, writer: Writer, text: str, pieces: list[str]
) -> None:
    cues = read_back(tmp_path, writer, [spoken(text, pieces)])
    joint = "" if text is CHINESE else " "
    assert joint.join(one.text.replace("\n", joint) for one in cues) == text
    for one in cues:
        assert len(one.text.split("\n")) <= 2
        assert all(columns(line) <= 42 for line in one.text.split("\n"))
        assert 0 < one.end_time - one.start_time <= 7.001
    assert all(a.end_time <= b.start_time + 0.001 for a, b in pairwise(cues))


def test_cues_end_with_sentences_where_they_can() -> None:
    text = "Nobody came to the house that day. And so they waited for a long time until the evening came."
    assert "that day.\n\n2\n" in to_srt([spoken(text, text.split(), each_s=0.3)])


@pytest.mark.parametrize("writer", [to_srt, to_vtt])
def test_no_cue_ends_as_it_begins(tmp_path: Path, writer: Writer) -> None:
    said = [
        Utterance(start_time=1.0, end_time=1.0, text="Oh."),
        Utterance(start_time=1.0002, end_time=1.0003, text="No."),
        Utterance(start_time=5.0, end_time=5.0, text="Yes."),
    ]
    assert [one.text for one in read_back(tmp_path, writer, said)] == ["Oh.", "No.", "Yes."]


@pytest.mark.parametrize("writer", [to_srt, to_vtt])
def test_arrows_tags_and_empty_lines_in_words_break_nothing(tmp_path: Path, writer: Writer) -> None:
    said = [
        Utterance(start_time=1.0, end_time=2.0, text="go --> there\n\n<i>really</i> & a < b"),
        Utterance(start_time=3.0, end_time=4.0, text="next"),
    ]
    first, second = read_back(tmp_path, writer, said)
    assert first.text.replace("‹", "<").replace("›", ">") == "go → there\n<i>really</i> & a < b"
    assert second.text == "next"


def test_what_somebody_wrote_keeps_its_lines(tmp_path: Path) -> None:
    line = "a subtitle somebody wrote in one single line that is longer than what we would write ourselves"
    said = [Utterance(start_time=100 * 3600, end_time=100 * 3600 + 20, text=line)]
    assert [(one.text, one.end_time) for one in read_back(tmp_path, to_srt, said)] == [(line, 360_020.0)]


def test_nothing_said_is_an_empty_file() -> None:
    assert to_srt([]) == ""
    assert to_vtt([]) == "WEBVTT\n"
