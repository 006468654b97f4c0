"""Times as people write them."""

from __future__ import annotations

import pytest

from vidence.language.times import find_times, without_times


@pytest.mark.parametrize(
    ("text", "value_s"),
    [
        ("at 5 s", 5.0),
        ("75.5 seconds in", 75.5),
        ("after five seconds", 5.0),
        ("at 1:15", 75.0),
        ("at 1:02:03.5", 3723.5),
        ("1 minute and 15 seconds", 75.0),
        ("at 2 minutes", 120.0),
        ("the 10-second mark", 10.0),
        ("at second 7", 7.0),
        ("第3秒", 3.0),
        ("第十秒之后", 10.0),
        ("2分3秒", 123.0),
        ("十分钟", 600.0),
    ],
)
def test_a_moment_is_read(text: str, value_s: float) -> None:
    (mention,) = find_times(text)
    assert mention.start_s == mention.end_s == value_s
    assert not mention.is_span


@pytest.mark.parametrize(
    ("text", "start_s", "end_s"),
    [
        ("between 10 and 12 seconds", 10.0, 12.0),
        ("10-12 s", 10.0, 12.0),
        ("from 1:05 to 1:10", 65.0, 70.0),
        ("3到5秒", 3.0, 5.0),
        ("在3秒到第5秒之间", 3.0, 5.0),
    ],
)
def test_two_points_are_one_span(text: str, start_s: float, end_s: float) -> None:
    (mention,) = find_times(text)
    assert (mention.start_s, mention.end_s) == (start_s, end_s)


@pytest.mark.parametrize("text", ["哪一秒", "10 m away", "得了3分", "a 10-second clip", "wait one second"])
def test_other_numbers_are_no_moments(text: str) -> None:
    assert find_times(text) == []


def test_lengths_are_found_where_they_are_wanted() -> None:
    (length,) = find_times("a 10-second clip", moments_only=False)
    assert length.start_s == 10.0
    assert not length.points[0].is_moment


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("What happens after 20 seconds?", "What happens ?"),
        ("Three people stand there in the first 40 seconds.", "Three people stand there ."),
        ("worn at about 1.3-1.8 s", "worn"),
        ("在3秒到5秒之后有什么", "有什么"),
        ("前5秒有什么", "有什么"),
        ("a dog", "a dog"),
    ],
)
def test_words_that_only_say_when_are_left_out(text: str, rest: str) -> None:
    assert " ".join(without_times(text).split()) == rest
