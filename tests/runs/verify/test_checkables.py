from __future__ import annotations

import pytest

from vidence.runs.verify.checkables import checkables_in, named_frames


@pytest.mark.parametrize("text", ["the one on the left", "one of them walks", "一个人走过", "他拿着一本书"])
def test_one_as_an_article_is_no_number(text: str) -> None:
    assert [one for one in checkables_in(text) if one.kind == "number"] == []


@pytest.mark.parametrize("text", ["One", "one.", "一", "1"])
def test_one_as_the_whole_answer_is_a_number(text: str) -> None:
    assert [one.value for one in checkables_in(text)] == [1]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("At 18 s he sits", [18]),
        ("from 00:18 to 00:20", [18, 20]),
        ("between 18 and 20 seconds", [18, 20]),
        ("18–20 s", [18, 20]),
        ("at 1:02:03.5", [3723.5]),
        ("第18秒", [18]),
        ("从12秒到15.5秒", [12, 15.5]),
        ("1分05秒时", [65]),
        ("after 2 minutes and 5 seconds", [125]),
        ("at 3.4s", [3.4]),
    ],
)
def test_times_are_told_from_counts(text: str, times: list[float]) -> None:
    found = checkables_in(text)
    assert sorted(one.value for one in found if one.kind == "time") == times
    assert [one for one in found if one.kind == "number"] == []


def test_what_is_counted_stands_after_the_number() -> None:
    (people,) = checkables_in("There are three young people at the table")
    assert people.value == 3
    assert people.noun.startswith("young people")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Then Anna meets Tom.", ["Anna", "Tom"]),
        ("Anna Karenina waits.", ["Anna", "Karenina"]),
        ("People walk. Nobody sits.", []),
        ("The sign of NASA hangs there", ["NASA"]),
        ("It is Tom's car", ["Tom"]),
    ],
)
def test_names_are_capitals_that_do_not_open_a_sentence(text: str, names: list[str]) -> None:
    assert [one.text for one in checkables_in(text) if one.kind == "name"] == names


def test_names_the_question_gives_are_no_news() -> None:
    assert checkables_in("Then Anna cooks", given="What does Anna do?") == []


def test_quotations_are_looked_up_as_a_whole() -> None:
    (quote,) = checkables_in("The sign reads “EXIT 42”")
    assert (quote.kind, quote.text) == ("quote", "EXIT 42")
    assert checkables_in("don't can't it's") == []


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("In Frame 6 he sits", [6]),
        ("frames 3 and 4 show it", [3, 4]),
        ("Frames 2-5", [2, 3, 4, 5]),
        ("see [Frame 7] and frame_9", [7, 9]),
        ("第6帧和第8帧", [6, 8]),
        ("第3到5帧", [3, 4, 5]),
        ("no frames at all", []),
    ],
)
def test_frames_that_a_text_names_are_found(text: str, frames: list[int]) -> None:
    assert named_frames(text) == frames


def test_frame_numbers_are_no_claims_about_the_video() -> None:
    assert checkables_in("Frame 12 shows it, as do frames 3 and 4; 第6帧也是") == []
