"""Descriptions by a vision model: its prompt, the length of its answer and the confidence in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.index.narrate.made import make_thing, one_shot
from vidence.index.narrate.captioner import CAPTION_FRAMES, caption_times, captioned, fit, prompt_for
from vidence.index.narrate.chinese import Chinese
from vidence.index.narrate.english import English
from vidence.index.narrate.facts import Facts, ShotFacts
from vidence.index.narrate.voice import Detail, Language
from vidence.schema.perception import Rgb
from vidence.schema.time import TimeRange

IMAGE: Rgb = np.zeros((4, 4, 3), np.uint8)


class FixedCaptioner:
    """A vision model that always gives the same answer and keeps the prompts it was given."""

    model_id = "fixed"

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self.prompts: list[str] = []

    def caption(self, images: Sequence[Rgb], *, prompt: str) -> str:
        self.prompts.append(prompt)
        return self._answer


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_prompt_states_the_length_of_its_level(language: Language) -> None:
    prompts = {detail: prompt_for(detail, language, None) for detail in ("brief", "standard", "detailed")}
    assert len(set(prompts.values())) == 3
    for prompt in prompts.values():
        assert "{" not in prompt
        assert prompt == prompt.strip()
    assert ("fewer than 20 words" if language == "en" else "不超过三十个字") in prompts["brief"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_prompt_names_what_was_asked_for_only_when_something_was(language: Language) -> None:
    assert "the red car" in prompt_for("standard", language, "the red car")
    lead = "Speak about this above all" if language == "en" else "请重点描述"
    assert lead not in prompt_for("standard", language, None)


def test_an_answer_is_cut_to_three_sentences_at_the_standard_level() -> None:
    answer = "A dog runs.  It is fast!\nIs it a dog? Yes. It is."
    assert fit(answer, "standard", "en") == "A dog runs. It is fast! Is it a dog?"
    assert fit(answer, "detailed", "en") == "A dog runs. It is fast! Is it a dog? Yes. It is."
    assert fit("一只狗。它在跑！是狗吗？是的。", "standard", "zh") == "一只狗。它在跑！是狗吗？"


def test_a_brief_answer_is_one_sentence_short_enough_for_its_language() -> None:
    assert fit("A dog runs. It is fast.", "brief", "en") == "A dog runs."
    long = "A dog, " + "very " * 30 + "fast, runs."
    cut = fit(long, "brief", "en")
    assert English().fits(cut)
    assert cut.endswith("very…")
    chinese = fit("一只" + "很大的" * 20 + "狗。", "brief", "zh")
    assert Chinese().fits(chinese)
    assert chinese.endswith("…")


def test_a_cut_never_ends_in_a_comma() -> None:
    assert fit("word, " * 30 + "end.", "brief", "en").endswith("word…")


@pytest.mark.parametrize(
    ("answer", "confidence"),
    [
        ("A dog and a cat play.", 0.95),
        ("A Dog plays.", 0.775),
        ("Two animals play.", 0.6),
    ],
)
def test_confidence_grows_with_the_certain_things_that_are_named(answer: str, confidence: float) -> None:
    facts = one_shot(things=(make_thing("dog"), make_thing("cat"), make_thing("horse", sure=False)))
    found = captioned(FixedCaptioner(answer), [IMAGE], facts, detail="standard", language="en")
    assert found.text == answer
    assert found.confidence == pytest.approx(confidence)


def test_chinese_answers_are_compared_with_chinese_names() -> None:
    facts = one_shot(things=(make_thing("dog"),))
    named = captioned(FixedCaptioner("一只狗在跑。"), [IMAGE], facts, detail="brief", language="zh")
    other = captioned(FixedCaptioner("一只猫在跑。"), [IMAGE], facts, detail="brief", language="zh")
    assert named.confidence > other.confidence


def test_without_certain_things_confidence_is_in_between() -> None:
    captioner = FixedCaptioner("A lake.")
    found = captioned(captioner, [IMAGE], one_shot(), detail="brief", language="en", asked="the lake")
    assert 0.6 < found.confidence < 0.95
    assert captioner.prompts == [prompt_for("brief", "en", "the lake")]


def _facts(count: int) -> Facts:
    shots = tuple(ShotFacts(TimeRange(start_time=2 * at, end_time=2 * at + 2)) for at in range(count))
    return Facts(TimeRange(start_time=0, end_time=2 * count), shots, frames=count)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 40])
def test_frames_are_few_in_order_and_from_all_over_the_shots(count: int) -> None:
    facts = _facts(count)
    times = caption_times(facts)
    assert times == sorted(set(times))
    assert 4 <= len(times) <= CAPTION_FRAMES
    assert times[0] < 2
    assert times[-1] > facts.span.end_time - 2
    reached = {int(time // 2) for time in times}
    assert len(reached) == min(count, CAPTION_FRAMES)


def test_one_shot_gets_all_its_frames_evenly() -> None:
    times = caption_times(_facts(1))
    assert times == pytest.approx([0.125 + 0.25 * at for at in range(8)])


@pytest.mark.parametrize("detail", ["brief", "standard", "detailed"])
def test_an_answer_of_one_short_sentence_is_kept_as_it_is(detail: Detail) -> None:
    assert fit("A dog runs.", detail, "en") == "A dog runs."
    assert fit("一只狗在跑。", detail, "zh") == "一只狗在跑。"
