from __future__ import annotations

import pytest

from vidence.language.question import read_question


@pytest.mark.parametrize(
    ("asked", "phrase"),
    [
        ("What colour is the mug?", "the mug"),
        ("At what time (seconds) does the bird first appear?", "the bird"),
        ("When does the grey screen with the wheel come on?", "the grey screen with the wheel"),
        ("When do the dogs first turn up?", "the dogs"),
        ("When does it change to the other view, the one with the towers?", "the towers"),
        ("什么时候能看到披萨？", "披萨"),
        ("什么时候换到港口的画面？", "港口"),
        ("视频中第一次出现猫是什么时候？", "猫"),
        ("person enters a room", "person enters a room"),
    ],
)
def test_questions_are_searched_for_what_they_are_about(asked: str, phrase: str) -> None:
    assert read_question(asked).search.phrase == phrase


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ('who says "I love you"', ("I love you",)),
        ("谁说了“你好”", ("你好",)),
        ("字幕「再见」", ("再见",)),
        ("it's a dog's life", ()),
    ],
)
def test_quoted_words_are_exact(asked: str, words: tuple[str, ...]) -> None:
    assert read_question(asked).search.exact == words


@pytest.mark.parametrize(
    ("asked", "span"),
    [
        ("what happens at about 20.5 seconds", (20.0, 21.0)),
        ("the aircraft at 30-35 seconds", (30.0, 35.0)),
        ("who speaks at 1:15", (74.0, 76.0)),
        ("how many bottles are there at the end", (90.0, 100.0)),
        ("a cat", None),
        ("2 dogs", None),
    ],
)
def test_times_named_in_the_words_point_into_the_video(asked: str, span: tuple[float, float] | None) -> None:
    hint = read_question(asked).search.hint
    assert (None if hint is None else hint.seconds(100.0)) == span


def test_changes_counts_and_cues_are_noticed() -> None:
    query = read_question("when are two bottles taken away").search
    assert (query.change, query.count) == ("vanish", 2)
    assert read_question("a dog barking").search.cues == {"sound"}
    assert read_question("有人走进房间").search.change == "appear"
    assert read_question("the maximum number of people").search.extreme == "most"
