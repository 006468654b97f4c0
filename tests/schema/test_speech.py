"""Parts of an utterance keep their words, times and punctuation."""

from __future__ import annotations

from vidence.schema.speech import Utterance, Word

SAID = Utterance(
    start_time=1,
    end_time=4,
    text="Well, good morning!",
    words=tuple(
        Word(text=text, start_time=1 + n, end_time=1.9 + n, confidence=0.9)
        for n, text in enumerate(("Well,", "good", "morning!"))
    ),
)


def test_some_words_are_an_utterance_of_their_own() -> None:
    part = SAID.between(1, 3)
    assert (part.text, part.start_time, part.end_time) == ("good morning!", 2, 3.9)
    assert [word.text for word in part.words] == ["good", "morning!"]
    assert SAID.between(0, 3) is SAID
    assert SAID.between(2, 2) is SAID, "no words are no utterance, so nothing is cut"


def test_words_that_do_not_stand_in_the_text_are_joined() -> None:
    assert SAID.model_copy(update={"text": "..."}).between(0, 2).text == "Well, good"


def test_a_later_utterance_has_later_words() -> None:
    later = SAID.shifted(10)
    assert (later.start_time, later.end_time, later.words[0].start_time) == (11, 14, 11)
