"""What frames say together, and answers in Chinese."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.queries.search.material import FrameSpan
from vidence.queries.visual import FrameReply, Relevance, VisualReply, answer_words, pool, times_to_look
from vidence.schema.perception import VisualAnswer


def answers(**chances: float) -> tuple[VisualAnswer, ...]:
    return tuple(VisualAnswer(text, chance) for text, chance in chances.items())


def test_a_sure_frame_outweighs_an_unsure_one() -> None:
    found = pool([answers(dog=0.2, cat=0.15), answers(cat=0.8, dog=0.1)])
    assert [one.text for one in found] == ["cat", "dog"]
    assert 0.5 < found[0].probability < 0.8


def test_frames_that_agree_keep_their_chance() -> None:
    [found] = pool([answers(red=0.6)] * 3)
    assert found.text == "red"
    assert found.probability == pytest.approx(0.6)


def test_yes_and_no_exclude_each_other() -> None:
    yes, no = pool([answers(yes=0.7, no=0.6)])
    assert (yes.text, no.text) == ("yes", "no")
    assert yes.probability == pytest.approx(0.7 / 1.3)
    assert yes.probability + no.probability == pytest.approx(1)
    [alone] = pool([answers(yes=0.7)])
    assert alone.probability == pytest.approx(0.7)


def test_no_frames_say_nothing() -> None:
    assert pool([]) == ()
    assert pool([(), ()]) == ()


def test_a_reply_knows_its_kind_and_which_frames_say_so() -> None:
    frames = (FrameReply(1.0, answers(yes=0.7, no=0.3)), FrameReply(2.0, answers(no=0.6, yes=0.4)))
    reply = VisualReply(pool([frame.answers for frame in frames]), frames)
    assert reply.kind == "yes/no"
    assert reply.times_of("yes") == [1.0]
    assert VisualReply((VisualAnswer("3", 0.5), VisualAnswer("red", 0.1)), ()).kind == "number"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("red", "红色"),
        ("red and white", "红色和白色"),
        ("3", "3"),
        ("skateboarding", "玩滑板"),
        ("xyzzy", None),
    ],
)
def test_answers_in_chinese(text: str, words: str | None) -> None:
    assert answer_words(text, "zh") == words
    assert answer_words(text, "en") == text


def test_a_frame_that_the_question_is_about_outweighs_a_surer_one() -> None:
    frames = [answers(dog=0.3, cat=0.2), answers(cat=0.6, dog=0.1)]
    assert pool(frames)[0].text == "cat"
    assert pool(frames, [40.0, 1.0])[0].text == "dog"
    assert pool(frames, [0.5, 0.5]) == pool(frames)


def relevance(*odds: float) -> Relevance:
    spans = [FrameSpan(float(index), index + 1.0) for index in range(len(odds))]
    return Relevance(spans, np.array(odds))


def test_a_time_takes_the_odds_of_the_frame_that_stands_for_it() -> None:
    assert [relevance(0.1, 4.0).at(time_s) for time_s in (0.2, 1.7, 9.0)] == [0.1, 4.0, 4.0]


def test_the_likeliest_frames_are_looked_at_beside_those_spread_out() -> None:
    about = relevance(0.1, 0.9, 0.5, 0.2, 0.3, 0.4, 0.8)
    assert times_to_look([2.4, 6.4], about) == [1.5, 2.4, 3.5, 4.5, 5.5, 6.4]
    assert times_to_look([2.4], None) == [2.4]
