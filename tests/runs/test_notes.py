"""Which notes a reader is given: within the budget, by relevance, in an order that serves a prompt cache."""

from __future__ import annotations

from pydantic import JsonValue

from tests.embedded.test_solver import embed
from vidence.runs.notes import choose_notes, relevance, token_count
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


def test_notes_that_fit_are_all_given_whatever_the_question() -> None:
    one, other = (choose_notes(record(), asked, embed, language="en") for asked in ("harbour?", "engine?"))
    assert one == other
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
    assert 166 in {note.number for note in one}
    assert 64 in {note.number for note in other}
    shared = 0
    while one[shared] == other[shared]:
        shared += 1
    assert shared >= len(one) // 3
    for notes in (one, other):
        assert sum(token_count(note.text) + 9 for note in notes) <= 1500


def test_notes_outside_the_time_asked_about_are_left_out() -> None:
    span = TimeRange(start_time=12.0, end_time=14.0)
    assert [note.number for note in choose_notes(record(), "?", embed, language="en", span=span)] == [2]


def test_further_notes_come_last_with_new_numbers() -> None:
    more = [Note(number=1, text="The coat is red.", kind="seen")]
    notes = choose_notes(record(), "What colour is the coat?", embed, language="en", more=more)
    assert [note.number for note in notes] == [1, 2, 3, 4]
    assert notes[-1].text == "The coat is red."


def test_rare_shared_words_weigh_more_than_common_ones() -> None:
    texts = ["the reef is large", "the reef is old", "the reef has a lighthouse"]
    scores = relevance("Is there a lighthouse on the reef?", texts, embed)
    assert max(scores) == scores[2]
