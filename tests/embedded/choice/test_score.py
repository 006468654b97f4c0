"""Choosing between options: what the captions say decides, in English and in Chinese."""

from __future__ import annotations

import pytest

from vidence.embedded.choice import Embed, score_options
from vidence.schema.agent import MemoryUnit

Units = tuple[MemoryUnit, ...]
MEALS = ("bakes a cake", "grills a fish", "cooks an omelette", "makes a salad", "boils rice")


def test_the_option_the_captions_speak_of_is_chosen(kitchen: Units, embed: Embed) -> None:
    assert score_options("what does the person do in the kitchen", MEALS, kitchen, embed).best == 2


def test_whole_statements_are_weighed_over_the_whole_video(kitchen: Units, embed: Embed) -> None:
    options = (
        "C repairs a bicycle in the garage, cleans the chain and pumps the tyres.",
        "C breaks and beats eggs, fries them in a pan and then cleans the bowl.",
        "C paints a wall, waits until it is dry and hangs up a picture.",
    )
    assert score_options("What is the overall activity of c in the video?", options, kitchen, embed).best == 1


def test_chinese_options_are_weighed_by_chinese_captions(park: Units, embed: Embed) -> None:
    options = ("游泳", "骑自行车", "弹钢琴", "做饭")
    scores = score_options("男孩在公园里做什么？", options, park, embed)
    assert scores.best == 1
    assert scores.shares[1] > 0.5


def test_english_options_are_weighed_by_chinese_captions(park: Units, embed: Embed) -> None:
    options = ("plays the piano", "rides a bicycle", "swims in a pool")
    assert score_options("what does the boy do in the park", options, park, embed).best == 1


def test_probabilities_add_up_to_one(kitchen: Units, embed: Embed) -> None:
    scores = score_options("what happens", MEALS, kitchen, embed)
    assert sum(scores.shares) == pytest.approx(1, abs=1e-4)


def test_the_order_of_options_does_not_matter(kitchen: Units, embed: Embed) -> None:
    forwards = score_options("what is cooked", MEALS, kitchen, embed)
    backwards = score_options("what is cooked", MEALS[::-1], kitchen, embed)
    assert forwards.shares == pytest.approx(backwards.shares[::-1], abs=1e-4)


@pytest.mark.parametrize("caption", ["", "   ", "#C"])
def test_captions_that_say_nothing_leave_all_options_equal(caption: str, embed: Embed) -> None:
    scores = score_options("what", ("a", "b"), [MemoryUnit(frame_id=0, caption=caption)], embed)
    assert scores.shares == (0.5, 0.5)
    assert scores.span is None


def test_witnesses_are_captions_that_speak_for_the_choice(kitchen: Units, embed: Embed) -> None:
    scores = score_options(
        "what does c do with the bowl at the end", ("washes it", "sells it"), kitchen, embed
    )
    assert scores.witnesses
    assert all(witness.sentence in witness.unit.caption for witness in scores.witnesses)
