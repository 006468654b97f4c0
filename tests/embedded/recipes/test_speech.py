"""What is said: phrases completed, sentences found, and an honest nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.embedded.recipes.seen import ask, prove
from tests.embedded.recipes.told import Told, line
from vidence.embedded.recipes.speech import mentions, prefixes
from vidence.language.question import read_question

_TALK = Told(
    said=[
        line(0, 4, "Welcome, I am truly delighted to open the new harbour museum."),
        line(5, 9, "It holds a wealth of ship models and old charts."),
        line(10, 14, "The oldest chart was drawn by Johanna Petersen in 1731."),
    ]
)


def test_a_phrase_is_completed_with_the_words_that_follow_it() -> None:
    finding = ask('The speaker says he is "truly ..." to open the museum. Which word?', _TALK)
    assert finding.answer.startswith("“delighted”")
    assert finding.claims[0].citations[0].quote is not None


def test_the_beginning_may_be_misheard_by_a_letter() -> None:
    assert "ship" in ask("Complete the phrase he uses: it holds a welth of ...", _TALK).answer


def test_a_chinese_question_about_english_words_is_answered_with_them() -> None:
    finding = ask("演讲者说“It holds a wealth of ...”，后面是哪个词？", _TALK)
    assert "ship" in finding.answer


def test_the_sentence_that_speaks_of_the_matter_is_chosen_and_its_name_put_first() -> None:
    finding = ask("The voice speaks about the oldest chart. Who drew it, according to the speaker?", _TALK)
    assert "Johanna Petersen" in finding.answer


def test_without_speech_it_says_so() -> None:
    finding = ask("What does the speaker say about the harbour?", Told())
    assert "nothing is said" in finding.answer.lower()


def test_asked_for_everything_each_sentence_is_quoted_and_proven() -> None:
    finding = ask("What is said?", _TALK)
    assert finding.answer.count("“") == 3
    assert len(finding.claims) == 3


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the last word said?", "“again”, in “Here it is again.”"),
        ("What is the first sentence that is spoken?", "“We begin with a very long way home.”"),
        ("What is the second thing he says?", "“It rains.”"),
        ("What is the fifth sentence he says?", "Only 3 sentences are said."),
        ("最后一句话说了什么？", "“Here it is again.”"),
        ("倒数第二句话是什么？", "“It rains.”"),
    ],
)
def test_words_and_sentences_are_counted_to(question: str, answer: str) -> None:
    lines = [
        line(0, 2, "We begin with a very long"),
        line(2, 4, "way home. It rains."),
        line(9, 11, "Here it is again."),
    ]
    assert ask(question, Told(said=lines)).answer == answer


SPEECH = Told(
    said=[
        line(1, 3, "This is a cat with green eyes."),
        line(4, 6, "It is looking at the camera."),
        line(7, 9, "今天我们去北京。"),
    ]
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is said at 5 seconds?", "“It is looking at the camera.” (4.0–6.0 s)."),
        ("5秒时说了什么？", "“It is looking at the camera.”（4.0–6.0 秒）。"),
        ("What is said about the cat?", "“This is a cat with green eyes.”"),
        ("关于北京说了什么？", "“今天我们去北京。”"),
        (
            'Complete: "This is a cat with ..."',
            "“green eyes”: the words are “This is a cat with green eyes.”",
        ),
        ("What was the tenth sentence said?", "Only 3 sentences are said."),
    ],
)
def test_what_is_said_is_quoted_from_its_line(question: str, answer: str) -> None:
    finding = prove(question, SPEECH)
    assert finding.answer == answer
    assert finding.claims[0].citations[0].quote


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ('Complete the phrase "to be or ..."', "to be or"),
        ('What fills the gap: "a tall ___ under the sky"?', "a tall"),
        ("补全：“在晚上，一枚高高的……”", "在晚上，一枚高高的"),
    ],
)
def test_the_words_before_a_gap_are_read(question: str, words: str) -> None:
    quoted = read_question(question).form.quoted
    assert words in [before.strip('“" ') for before in prefixes(question, quoted)]


def test_a_question_without_a_gap_has_no_prefix() -> None:
    assert prefixes("What is said about the cat?", ()) == []


def test_lines_are_ranked_by_the_words_they_share() -> None:
    lines = [line(0, 1, "Nothing here."), line(1, 2, "The bridge is closed."), line(2, 3, "A bridge.")]
    ranked = mentions("Is the bridge closed?", lines, lambda texts: np.ones((len(texts), 2)) / 2)
    assert ranked[0].segment.text == "The bridge is closed."
    assert ranked[0].score > ranked[1].score > ranked[2].score
    assert mentions("Is the bridge closed?", [], lambda texts: None) == []


_LINES = [
    line(1, 3, "I grew up on a farm near the sea."),
    line(4, 6, "My wife teaches music, and he said so about it."),
    line(7, 9, "我的妻子是一位医生。"),
    line(10, 12, "Then we moved to the harbour."),
]


def _unlike(texts: Sequence[str]) -> object:
    """Return vectors of which none is like another: only words count."""
    return np.eye(len(texts))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What does he say about his wife?", "My wife"),
        ("What does the farmer say about the sea at the beginning of the video?", "near the sea"),
        ("What does she say about the harbour when she sits down?", "to the harbour"),
        ("他怎么说他的妻子？", "我的妻子"),
        ("关于他的妻子，他说了什么？", "我的妻子"),
        ("他提到妻子时说了什么？", "我的妻子"),
    ],
)
def test_what_is_said_about_a_matter_is_the_line_that_names_it(question: str, words: str) -> None:
    best = mentions(question, _LINES, _unlike)[0]
    assert best.is_near
    assert words in best.segment.text


@pytest.mark.parametrize(
    "question",
    [
        "What does he say about the weather?",
        "What does my wife say about her brother?",
        "What does he say about taxes in the second part?",
        "关于天气他说了什么？",
        "他怎么说他的弟弟？",
        "我的妻子提到北京时说了什么？",
    ],
)
def test_no_line_is_about_a_matter_that_none_names(question: str) -> None:
    assert not mentions(question, _LINES, _unlike)[0].is_near


def test_a_line_about_a_matter_may_name_it_in_other_words() -> None:
    def alike(texts: Sequence[str]) -> object:
        return np.array([[1.0, 0.0] if "卖" in one or "farm" in one else [0.0, 1.0] for one in texts])

    assert "farm" in mentions("关于买卖他说了什么？", _LINES, alike)[0].segment.text
