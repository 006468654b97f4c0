"""The content of a record: what counts as its words, numbers, things and times."""

from __future__ import annotations

from typing import Any

import pytest

from vidence.runs.verify.content import Content, overlaps, read_content, together
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.time import TimeRange

LINES = {
    "transcript": [
        {"start_time": 3.0, "end_time": 5.0, "text": "We have 3 cats.", "confidence": 0.9},
        {"start_time": 18.0, "end_time": 20.0, "text": "一共四十二人。", "confidence": 0.8},
    ]
}


def record(result: Any, span: tuple[float, float] | None = None, **arguments: Any) -> EvidenceRecord:
    return EvidenceRecord(
        record_id="rec_1",
        kind="operation",
        source="x",
        span=TimeRange(start_time=span[0], end_time=span[1]) if span else None,
        arguments=arguments,
        result=result,
    )


def thing(category: str, **attributes: str) -> dict[str, Any]:
    box = {"bbox": [0.1, 0.2, 0.3, 0.4], "object_id": "obj_7"}
    return {"category": category, "confidence": 0.75, "attributes": attributes, **box}


def test_numbers_in_words_count_in_both_languages() -> None:
    assert set(read_content(record(LINES)).numbers) == {3.0, 42.0}


def test_times_are_spans_and_never_counts() -> None:
    content = read_content(record({"timestamp": 21.0, "first_appearance": 4.0, "fps": 25}))
    assert {(21.0, 21.0), (4.0, 4.0)} <= set(content.spans)
    assert content.numbers == [25.0]


def test_boxes_scores_and_ids_are_no_content() -> None:
    content = read_content(record({"objects": [thing("cup")], "matched_bbox": [1, 2, 3, 4], "video_id": "v"}))
    assert content.texts == ["cup"]
    assert content.numbers == []
    assert content.sureness == [0.75]


def test_truth_values_are_no_numbers() -> None:
    assert read_content(record({"has_audio": True, "note": None, "count": 2})).numbers == [2.0]


def test_a_cited_span_holds_only_what_happens_in_it() -> None:
    content = read_content(record(LINES), 18, 20)
    assert content.texts == ["一共四十二人。"]
    assert content.counts == {1}


def test_a_span_reaches_a_second_beyond_its_ends() -> None:
    assert read_content(record(LINES), 6.0, 7.0).texts == ["We have 3 cats."]
    assert read_content(record(LINES), 6.1, 7.0).texts == []


@pytest.mark.parametrize(("start", "end"), [(4.0, None), (None, 4.0)])
def test_one_end_of_a_span_is_a_moment(start: float | None, end: float | None) -> None:
    assert read_content(record(LINES), start, end).texts == ["We have 3 cats."]


def test_parts_without_times_stay_in_every_span() -> None:
    assert read_content(record({"objects": [thing("cup")]}), 50, 51).texts == ["cup"]


def test_nested_times_place_a_part_too() -> None:
    parts = {"memories": [{"content": "a cat", "time_range": {"start_time": 40.0, "end_time": 41.0}}]}
    assert read_content(record(parts), 40, 41).texts == ["a cat"]
    assert read_content(record(parts), 1, 2).texts == []


def test_things_are_counted_by_every_short_label() -> None:
    found = {"objects": [thing("person", color="Red"), thing("person", color="blue"), thing("cup")]}
    content = read_content(record(found))
    assert dict(content.groups) == {"person": 2, "red": 1, "blue": 1, "cup": 1}
    assert {2, 3} <= content.counts


def test_a_long_text_is_no_label() -> None:
    content = read_content(record({"rows": [{"text": "word " * 40}, {"text": "short"}]}))
    assert [label for label, _ in content.groups] == ["short"]


def test_a_memory_that_was_inferred_or_answered_does_not_prove_itself() -> None:
    held = {
        "memories": [
            {"content": "seen", "memory_type": "observation"},
            {"content": "guessed", "memory_type": "inference"},
            {"content": "answered", "memory_type": "answer"},
        ]
    }
    content = read_content(record(held))
    assert "guessed" not in content.texts
    assert "answered" not in content.texts
    assert content.counts == {1}


def test_the_query_of_a_search_counts_only_where_something_was_found() -> None:
    hit = {"start_time": 1.0, "end_time": 2.0, "confidence": 0.8}
    found = read_content(record({"query": "红色的狗", "results": [hit]}))
    nothing = read_content(record({"query": "红色的狗", "results": []}, query="红色的狗"))
    assert "红色的狗" in found.text
    assert nothing.is_empty
    assert "红色的狗" not in nothing.text


def test_the_words_of_the_arguments_leave_out_ids() -> None:
    content = read_content(record({"answer": "yes"}, video_id="vid_1", aspects=["colour", {"of": "door"}]))
    assert content.asked == ["colour", "door"]
    assert content.text == "yes\ncolour\ndoor"


@pytest.mark.parametrize(
    ("result", "empty"),
    [({"objects": []}, True), ({"a": [], "b": [1]}, False), ({"description": ""}, False), ("text", False)],
)
def test_a_result_is_empty_when_all_its_lists_are(result: Any, empty: bool) -> None:
    assert read_content(record(result)).is_empty is empty


def test_a_record_s_own_span_is_one_of_its_times() -> None:
    assert read_content(record("a dog", (10.0, 12.0))).spans == [(10.0, 12.0)]


def test_several_records_together_count_distinct_entities() -> None:
    first = read_content(record({"tracks": [{"entity_id": "ent_1"}, {"entity_id": "ent_2"}]}))
    second = read_content(record({"tracks": [{"entity_id": "ent_2"}, {"entity_id": "ent_3"}]}))
    assert first.entities == {"ent_1", "ent_2"}
    assert together([first, second]).counts == {3}


def test_one_entity_or_none_adds_no_count() -> None:
    assert together([Content(entities={"ent_1"}), Content(entities={"ent_1"})]).counts == set()
    assert together([]).counts == set()


@pytest.mark.parametrize(
    ("start", "end", "meets"), [(4.0, 5.0, True), (3.0, 3.9, False), (20.9, 30, True), (21.5, 30, False)]
)
def test_spans_overlap_within_the_tolerance(start: float, end: float, meets: bool) -> None:
    assert overlaps(TimeRange(start_time=5, end_time=20), start, end) is meets
    assert not overlaps(TimeRange(start_time=5, end_time=20), 4.0, 4.5, leeway_s=0.0)
