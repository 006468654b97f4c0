"""Which lines of found passages answer a question, and whether they bear on it at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from vidence.embedded.story_lines import (
    BEARING_FEATURES,
    FEATURES,
    bearing,
    bearing_features,
    line_features,
    score_lines,
    story_lines_of,
)

SCRIPT = "Anna: Where were you?\nBen: At the station. All night.\n[They sit down]\nAnna: I see."
PROSE = "The mill burned down in March. Anna wept for a week, because she had loved it."


def _no_meaning(texts: Sequence[str]) -> np.ndarray:
    return np.zeros((len(texts), 4), np.float32)


def _best(question: str, *passages: str) -> str:
    lines = [story_lines_of(one) for one in passages]
    texts = [line for held in lines for line in held]
    return texts[int(np.argmax(score_lines(question, lines, _no_meaning)))]


def test_a_script_is_cut_at_speeches_and_prose_at_sentences() -> None:
    assert story_lines_of(SCRIPT)[1] == "Ben: At the station. All night."
    assert len(story_lines_of(SCRIPT)) == 4
    assert story_lines_of(PROSE)[0] == "The mill burned down in March."


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("When did the mill burn down?", "in March"),
        ("Why did Anna weep?", "because she had loved it"),
        ("Where was Ben?", "At the station"),
    ],
)
def test_the_line_that_speaks_of_the_matter_wins(question: str, words: str) -> None:
    assert words in _best(question, PROSE, SCRIPT)


def test_a_chinese_passage_is_read_too() -> None:
    text = "李小川笑道：“我要读书。”李长水病故，李小川回家葬父。春儿去江边洗衣。"
    assert "病故" in _best("李长水是怎么死的？病故了吗？", text)


def test_every_line_has_every_feature() -> None:
    rows = line_features("Who wept?", [story_lines_of(PROSE), story_lines_of(SCRIPT)], _no_meaning)
    assert rows.shape == (6, len(FEATURES))
    assert line_features("Who?", [], _no_meaning).shape == (0, len(FEATURES))


def test_prose_with_chinese_speech_is_no_script() -> None:
    prose = "李小川笑道：“我要读书。”李长水道：“好。”\n赵先生问道：“你是谁家的孩子？”李小川不答。"
    assert len(story_lines_of(prose)) > 2
    assert story_lines_of("小川：我要读书。\n长水：好。去吧。") == ["小川：我要读书。", "长水：好。去吧。"]


def test_a_question_in_the_words_of_one_line_bears_on_the_story() -> None:
    assert bearing("When did the mill burn down?", [PROSE], (), 0.9) > 0.5


def test_a_question_of_people_whom_the_story_never_names_does_not() -> None:
    question = "Why did Captain Nemo leave the Nautilus?"
    assert bearing(question, [PROSE], ("captain", "nemo", "nautilus", "leav"), 0.2) < 0.3


def test_a_name_that_the_story_lacks_counts_more_than_another_word() -> None:
    name = bearing("Did Nemo weep?", [PROSE], ("nemo",), 0.5)
    assert name < bearing("Did Anna sneeze?", [PROSE], ("sneez",), 0.5)


def test_nothing_found_has_every_feature() -> None:
    values = bearing_features("Who wept?", (), (), 0.0)
    assert len(values) == len(BEARING_FEATURES)
    assert values[3:] == [0.0, 0.0]
