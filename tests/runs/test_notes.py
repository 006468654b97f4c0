"""Which notes a reader is given: within the budget, by relevance, in an order that serves a prompt cache."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pydantic import JsonValue

from tests.embedded.test_solver import embed
from vidence.runs.notes import NOTE_TOKENS, choose_notes, relevance, token_count
from vidence.runs.reading import note_line
from vidence.schema.evidence import EvidenceRecord, hash_of
from vidence.schema.reading import Note
from vidence.schema.time import TimeRange

WORDS = (
    "harbour",
    "engine",
    "market",
    "bridge",
    "garden",
    "library",
    "station",
    "museum",
    "factory",
    "school",
)

# What Qwen2.5's tokenizer makes of them.
LINES = (
    ("[12] 00:31 said: The harbour number 12 was opened by the mayor in the morning.", 27),
    ("[7] 00:45 屏幕文字: 第27号学校于1968年建成，投资3,158.4万元 | 占总数的36%", 44),
    ("[23] 01:08 written on screen: Tel. 022-7391846  Ref 418/B52  Budget 17,358,220 USD (63.4%)", 57),
    ("[31] 01:12 屏幕文字: 0pen N0. l2 前日收入0.44 ¥ ~ 创作中心 | www.exarnple/4Z1?q=7", 50),
)


def record(count: int = 3) -> EvidenceRecord:
    notes: list[JsonValue] = [
        {
            "kind": "said",
            "start_time": 10.0 * index,
            "end_time": 10.0 * index + 5,
            "text": f"The {WORDS[index % len(WORDS)]} number {index} was opened by the mayor in the morning.",
            "confidence": 0.9,
            "speaker": None,
            "name": "Anna Berg" if index == 0 else None,
        }
        for index in range(count)
    ]
    result: dict[str, JsonValue] = {"notes": notes}
    return EvidenceRecord(
        record_id="rec_1", kind="operation", source="get_notes", result=result, result_hash=hash_of(result)
    )


def counted(notes: Sequence[Note]) -> float:
    return sum(token_count(note_line(note, "en")) for note in notes)


def test_notes_that_fit_are_all_given_whatever_the_question() -> None:
    found, other = (choose_notes(record(), asked, embed, language="en") for asked in ("harbour?", "engine?"))
    assert found == other
    one = found.notes
    assert [note.number for note in one] == [1, 2, 3]
    assert one[0].text.startswith("Anna Berg: The harbour")
    assert (one[0].record_id, one[0].start_s, one[0].quote) == (
        "rec_1",
        0.0,
        "The harbour number 0 was opened by the mayor in the morning.",
    )


def test_a_long_video_keeps_its_numbers_and_its_beginning_for_the_cache() -> None:
    one = choose_notes(record(200), "When was the library number 165 opened?", embed, language="en")
    other = choose_notes(record(200), "When was the bridge number 63 opened?", embed, language="en")
    assert 166 in {note.number for note in one.notes}
    assert 64 in {note.number for note in other.notes}
    assert one.shared == other.shared >= len(one.notes) // 2
    assert one.notes[: one.shared] == other.notes[: other.shared]
    for found in (one, other):
        assert counted(found.notes) <= NOTE_TOKENS
        assert counted(found.notes[found.shared :]) <= 250
        assert len({note.number for note in found.notes}) == len(found.notes)


def test_what_is_looked_at_for_a_question_changes_nothing_that_is_shared() -> None:
    looked = [Note(number=1, text=f"Something is {word}.", kind="seen") for word in ("red", "large")]
    for count in (3, 38, 200):
        plain, more = (
            choose_notes(record(count), "Where?", embed, language="en", more=more) for more in ((), looked)
        )
        assert plain.shared == more.shared > 0
        assert plain.notes[: plain.shared] == more.notes[: more.shared]


def test_without_a_question_only_what_is_shared_is_chosen() -> None:
    asked = choose_notes(record(200), "When was the library number 165 opened?", embed, language="en")
    ahead = choose_notes(record(200), "", embed, language="en")
    assert ahead.notes == asked.notes[: asked.shared]


def test_a_part_of_a_long_video_is_read_in_bounds() -> None:
    span = TimeRange(start_time=0.0, end_time=1500.0)
    found = choose_notes(
        record(200), "When was the library number 95 opened?", embed, language="en", span=span
    )
    assert found.shared == 0
    assert 96 in {note.number for note in found.notes}
    assert counted(found.notes) <= 350


def test_a_small_budget_goes_to_what_bears_on_the_question() -> None:
    found = choose_notes(record(200), "Which library number 165?", embed, language="en", tokens=100)
    assert found.shared == 0
    assert 166 in {note.number for note in found.notes}


@pytest.mark.parametrize(("line", "tokens"), LINES)
def test_tokens_are_counted_as_the_model_does(line: str, tokens: int) -> None:
    assert token_count(line) == pytest.approx(tokens, rel=0.2)


def test_notes_outside_the_time_asked_about_are_left_out() -> None:
    span = TimeRange(start_time=12.0, end_time=14.0)
    assert [note.number for note in choose_notes(record(), "?", embed, language="en", span=span).notes] == [2]


def test_further_notes_come_last_with_new_numbers() -> None:
    more = [Note(number=1, text="The coat is red.", kind="seen")]
    notes = choose_notes(record(), "What colour is the coat?", embed, language="en", more=more).notes
    assert [note.number for note in notes] == [1, 2, 3, 4]
    assert notes[-1].text == "The coat is red."


def test_rare_shared_words_weigh_more_than_common_ones() -> None:
    texts = ["the reef is large", "the reef is old", "the reef has a lighthouse"]
    scores = relevance("Is there a lighthouse on the reef?", texts, embed)
    assert max(scores) == scores[2]
