"""Names of speakers: from captions with a job beside them, and from what people say of themselves."""

from __future__ import annotations

import pytest

from vidence.queries.notes.names import captioned_people, name_voices
from vidence.queries.notes.screen import MergedLine
from vidence.schema.perception import Box
from vidence.schema.speech import Utterance


def block(*texts: str, at: float = 0.8, start: float = 10.0, end: float = 15.0) -> list[MergedLine]:
    return [
        MergedLine(start, end, Box(0.1, at + 0.06 * i, 0.3, 0.05), [(text, 0.95)])
        for i, text in enumerate(texts)
    ]


def said(start: float, text: str = "We go on.", speaker: str | None = None) -> Utterance:
    return Utterance(start_time=start, end_time=start + 3, text=text, speaker=speaker)


@pytest.mark.parametrize(
    ("lines", "name", "role"),
    [
        (("Anna Berg", "Marine biologist"), "Anna Berg", "Marine biologist"),
        (("JOHN VAN DYKE", "Director, Harbour Museum"), "JOHN VAN DYKE", "Director"),
        (("Anna Berg, marine biologist",), "Anna Berg", "marine biologist"),
        (("陈晓明", "海洋研究所研究员"), "陈晓明", "海洋研究所研究员"),
    ],
)
def test_a_name_with_a_job_under_a_person_is_theirs(lines: tuple[str, ...], name: str, role: str) -> None:
    [person] = captioned_people([block(*lines)])
    assert (person.name, person.role) == (name, role)


@pytest.mark.parametrize(
    "lines", [("Open Browser", "Save as"), ("New York",), ("Managing Director",), ("登录", "注册")]
)
def test_other_text_names_nobody(lines: tuple[str, ...]) -> None:
    assert captioned_people([block(*lines)]) == []


def test_a_title_at_the_top_names_nobody() -> None:
    assert captioned_people([block("Anna Berg", "Marine biologist", at=0.1)]) == []


def test_the_caption_names_the_voice_everywhere() -> None:
    people = captioned_people([block("Anna Berg", "Marine biologist")])
    lines = [said(0, speaker="speaker_1"), said(5, speaker="speaker_2"), said(11, speaker="speaker_1")]
    assert name_voices(lines, people) == ["Anna Berg", None, "Anna Berg"]


def test_without_voices_only_who_speaks_meanwhile_is_named() -> None:
    people = captioned_people([block("Anna Berg", "Marine biologist")])
    assert name_voices([said(0), said(12), said(40)], people) == [None, "Anna Berg", None]


def test_two_captions_at_once_name_nobody() -> None:
    people = captioned_people([block("Anna Berg", "Biologist"), block("Tom Lee", "Pilot")])
    assert name_voices([said(11)], people) == [None]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Hello, my name is Anna and I study reefs.", "Anna"),
        ("I'm Anna Berg, a biologist.", "Anna Berg"),
        ("I'm Happy to be here.", None),
        ("I am very tired.", None),
        ("大家好，我叫陈晓明，今天讲珊瑚。", "陈晓明"),
        ("我是王芳。", "王芳"),
        ("我是说这个。", None),
    ],
)
def test_who_introduces_themselves_is_named(text: str, name: str | None) -> None:
    assert name_voices([said(0, text)], []) == [name]


def test_a_subtitle_file_names_its_speakers() -> None:
    assert name_voices([said(0, speaker="Ann")], []) == ["Ann"]
