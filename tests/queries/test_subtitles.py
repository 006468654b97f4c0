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


def written(text: str, start_s: float = 1.0, end_s: float = 3.0, speaker: str | None = None) -> Utterance:
    return Utterance(start_time=start_s, end_time=end_s, text=text, speaker=speaker)


@pytest.mark.parametrize(
    ("seconds", "stamp"),
    [
        (0.0, "00:00:00,000"),
        (1.0004, "00:00:01,000"),
        (1.9996, "00:00:02,000"),
        (59.9996, "00:01:00,000"),
        (3599.9999, "01:00:00,000"),
        (3661.25, "01:01:01,250"),
        (360_000.5, "100:00:00,500"),
    ],
)
def test_times_are_rounded_to_milliseconds_and_carried_over(seconds: float, stamp: str) -> None:
    assert to_srt([written("x", seconds, seconds + 2)]).startswith(f"1\n{stamp} --> ")
    assert to_vtt([written("x", seconds, seconds + 2)]).startswith(
        f"WEBVTT\n\n{stamp.replace(',', '.')} --> "
    )


def test_cues_are_numbered_from_one_and_separated_by_a_blank_line() -> None:
    assert to_srt([written("Hello."), written("你好。", 4.0, 5.5)]) == (
        "1\n00:00:01,000 --> 00:00:03,000\nHello.\n\n2\n00:00:04,000 --> 00:00:05,500\n你好。\n"
    )


def test_a_speaker_becomes_a_voice_tag_in_vtt_only() -> None:
    said = [written("Hello.", speaker="speaker_1"), written("Bye.", 4, 5, speaker="A & <B>")]
    assert "<v speaker_1>Hello." in to_vtt(said)
    assert "<v A &amp; &lt;B&gt;>Bye." in to_vtt(said)
    assert "speaker" not in to_srt(said)


@pytest.mark.parametrize("writer", [to_srt, to_vtt])
def test_utterances_without_words_leave_no_cue(writer: Writer) -> None:
    assert writer([written(""), written("  \n ", 4, 5)]) == writer([])
    assert writer([written("One."), written(" ", 4, 5), written("Two.", 6, 7)]).count("-->") == 2


def test_a_short_cue_is_shown_long_enough_to_read_but_not_into_the_next(tmp_path: Path) -> None:
    said = [written("Oh.", 1.0, 1.1), written("No.", 1.3, 1.4), written("Yes.", 9.0, 9.1)]
    ends = [round(one.end_time, 3) for one in read_back(tmp_path, to_srt, said)]
    assert ends == [1.3, 1.8, 9.5]


def test_speech_that_overlaps_keeps_its_own_end(tmp_path: Path) -> None:
    said = [written("First.", 1.0, 5.0), written("Second.", 2.0, 3.0)]
    assert [one.end_time for one in read_back(tmp_path, to_vtt, said)] == [5.0, 3.0]


def test_a_slow_speaker_s_cues_last_seven_seconds_at_most(tmp_path: Path) -> None:
    text = "one two three four five six seven eight"
    cues = read_back(tmp_path, to_srt, [spoken(text, text.split(), each_s=2.0)])
    assert len(cues) == 3
    assert all(one.end_time - one.start_time <= 7.001 for one in cues)


def test_a_word_longer_than_a_line_is_kept_whole(tmp_path: Path) -> None:
    text = "see " + "x" * 60 + " there"
    cues = read_back(tmp_path, to_srt, [spoken(text, text.split())])
    assert " ".join(" ".join(one.text.split()) for one in cues) == text


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("The whole house was painted white in spring before they came", None),
        ("他们在春天把整座房子刷成白色然后沿着小路种了苹果树", "characters"),
    ],
)
def test_two_lines_of_a_cue_are_about_equally_long(text: str, pieces: str | None) -> None:
    words = list(text) if pieces else text.split()
    block = to_srt([spoken(text, words, each_s=0.2)]).split("\n")
    first, second = block[2], block[3]
    assert abs(columns(first) - columns(second)) <= 10


def test_a_pause_ends_a_cue_where_no_sentence_does() -> None:
    text = (
        "we walked along the river for a very long time indeed, and then we took the boat over to the "
        "other side"
    )
    first = to_srt([spoken(text, text.split(), each_s=0.3)]).split("\n\n")[0]
    assert first.endswith("indeed,")


def test_mixed_scripts_break_between_words_and_characters(tmp_path: Path) -> None:
    text = "今天我们去看 Hubble Space Telescope 拍摄的照片，它们真的非常漂亮，大家都很喜欢"
    said = Utterance(
        start_time=1.0,
        end_time=5.0,
        text=text,
        words=(Word(text=text, start_time=1.0, end_time=5.0, confidence=0.9),),
    )
    [cue] = read_back(tmp_path, to_srt, [said])
    lines = cue.text.split("\n")
    assert len(lines) == 2
    assert any("Telescope" in line for line in lines)
    assert all(columns(line) <= 42 for line in lines)
