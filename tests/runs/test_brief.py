from __future__ import annotations

from typing import Any

import pytest

from vidence.ops.catalogue import all_operations
from vidence.runs.brief import brief_result, cited_span, evidence_line, short_time, source_name
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Citation, EvidenceRecord
from vidence.schema.time import TimeRange

LINES = [
    {"start_time": 3.0, "end_time": 5.0, "text": "Good morning.", "speaker_id": None, "confidence": 0.9},
    {"start_time": 18.0, "end_time": 20.2, "text": "Here is the cup.", "speaker_id": None, "confidence": 0.9},
]
OBJECTS = [
    {"object_id": "o1", "category": "person", "bbox": [0, 0, 1, 1], "confidence": 0.9, "attributes": {}},
    {"object_id": "o2", "category": "person", "bbox": [0, 0, 1, 1], "confidence": 0.9, "attributes": {}},
    {
        "object_id": "o3",
        "category": "cup",
        "bbox": [0, 0, 1, 1],
        "confidence": 0.9,
        "attributes": {"color": "red"},
    },
]


def record(source: str, result: Any, span: tuple[float, float] | None = None) -> EvidenceRecord:
    return EvidenceRecord(
        record_id="rec_1",
        kind="operation",
        source=source,
        span=TimeRange(start_time=span[0], end_time=span[1]) if span else None,
        result=result,
    )


def cite(start: float | None = None, end: float | None = None, quote: str | None = None) -> Citation:
    return Citation(record_id="rec_1", start_time=start, end_time=end, quote=quote)


SAID = record("get_transcript", {"transcript": LINES})
SEEN = record("detect_objects", {"timestamp": 7.4, "objects": OBJECTS})
TOLD = record("describe_visual", {"description": "A  cat."}, (3700, 3702))


@pytest.mark.parametrize(
    ("evidence", "citation", "line"),
    [
        (SAID, cite(18, 20), "[00:18–00:20] transcript: “Here is the cup.”"),
        (SAID, cite(18, quote="the cup"), "[00:18] transcript: “the cup”"),
        (SEEN, cite(), "[00:07] objects: 2 × person; cup (red)"),
        (record("detect_objects", {"timestamp": 7.4, "objects": []}), cite(), "[00:07] objects: nothing"),
        (TOLD, cite(), "[1:01:40–1:01:42] picture: A cat."),
        (record("frame", "a dog", (1, 2)), cite(), "[00:01–00:02] picture: “a dog”"),
        (record("get_video_info", {"duration": 5.0, "fps": 25}), cite(), "video: duration 5.0, fps 25"),
    ],
)
def test_evidence_is_one_line(evidence: EvidenceRecord, citation: Citation, line: str) -> None:
    assert evidence_line(evidence, citation, "en") == line


def test_chinese_evidence_is_in_chinese() -> None:
    assert evidence_line(SEEN, cite(), "zh") == "[00:07] 物体: 两个人；杯子（红色）"


def test_a_detected_colour_is_told_with_its_thing() -> None:
    seen = record("detect_objects", {"timestamp": 4.0, "objects": OBJECTS[2:]})
    assert evidence_line(seen, cite(4.0, quote="red"), "en") == "[00:04] objects: cup (red)"
    assert evidence_line(seen, cite(4.0, quote="red"), "zh") == "[00:04] 物体: 杯子（红色）"


def test_text_read_in_the_picture_is_quoted() -> None:
    sign = {**OBJECTS[2], "category": "text", "attributes": {"text": "EXIT"}}
    seen = record("detect_objects", {"timestamp": 4.0, "objects": [sign]})
    assert evidence_line(seen, cite(4.0, quote="EXIT"), "en") == "[00:04] objects: “EXIT”"


def test_long_evidence_is_cut() -> None:
    assert len(evidence_line(record("frame", "word " * 500), cite(), "en")) < 200


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "00:00"), (59.6, "01:00"), (3661, "1:01:01"), (-1, "00:00")]
)
def test_times_are_short(seconds: float, text: str) -> None:
    assert short_time(seconds) == text


@pytest.mark.parametrize(
    ("source", "english", "chinese"),
    [
        ("get_transcript", "transcript", "语音"),
        ("detect_audio_events", "sounds", "声音"),
        ("spatial_relation", "places", "位置关系"),
        ("my_own_operation", "my_own_operation", "my_own_operation"),
    ],
)
def test_an_operation_is_called_by_a_person_s_word_for_it(source: str, english: str, chinese: str) -> None:
    assert (source_name(source, "en"), source_name(source, "zh")) == (english, chinese)


def test_every_operation_has_a_name_for_people_in_both_languages() -> None:
    named = {one.name: source_name(one.name, "zh") for one in all_operations() if one.name != "write_memory"}
    assert all(chinese != name for name, chinese in named.items()), named


@pytest.mark.parametrize(
    ("citation", "span"),
    [
        (cite(3, 5), (3, 5)),
        (cite(3), (3, 3)),
        (cite(None, 5), (5, 5)),
        (cite(0.0), (0.0, 0.0)),
        (cite(), (10.0, 12.0)),
    ],
)
def test_the_times_of_a_citation_come_before_those_of_its_record(
    citation: Citation, span: tuple[float, float]
) -> None:
    assert cited_span(record("frame", "a dog", (10.0, 12.0)), citation) == span


def test_without_a_span_the_time_in_the_result_counts() -> None:
    assert cited_span(SEEN, cite()) == (7.4, 7.4)
    assert cited_span(record("get_video_info", {"timestamp": "soon"}), cite()) is None
    assert cited_span(record("frame", "a dog"), cite()) is None


def test_a_span_in_which_nothing_is_told_shows_the_whole() -> None:
    assert brief_result(SAID, (40.0, 41.0)) == "Good morning.; Here is the cup."
    assert brief_result(SAID, (5.9, 6.0)) == "Good morning."


def test_more_than_six_things_end_in_dots() -> None:
    found = [{"category": f"thing {number}"} for number in range(9)]
    assert brief_result(record("detect_objects", {"objects": found})).endswith("; thing 5; …")


def test_segments_without_labels_are_listed_by_their_times() -> None:
    shots = [{"start_time": 0.0, "end_time": 4.0}, {"start_time": 4.0, "end_time": 65.0}]
    assert brief_result(record("get_temporal_structure", {"segments": shots})) == "00:00–00:04, 00:04–01:05"


@pytest.mark.parametrize(("language", "word"), [("en", "nothing"), ("zh", "没有")])
def test_an_empty_list_is_said_in_the_answer_s_language(language: AnswerLanguage, word: str) -> None:
    assert brief_result(record("detect_objects", {"objects": []}), None, language) == word


def test_a_quotation_stands_before_what_the_record_says() -> None:
    line = evidence_line(TOLD, cite(quote="one cat"), "zh")
    assert line == "[1:01:40–1:01:42] 画面: “one cat”"


def test_a_chinese_line_names_labels_in_chinese_with_measure_words() -> None:
    cars: Any = [{"category": "car"}, {"category": "car"}, {"category": "person"}]
    seen = EvidenceRecord(
        record_id="rec_1", kind="operation", source="detect_objects", result={"objects": cars}
    )
    assert brief_result(seen, language="zh") == "两辆汽车；人"
    acts: Any = [{"label": "having_a_meeting"}, {"label": "standing"}]
    done = EvidenceRecord(
        record_id="rec_2", kind="operation", source="recognize_activity", result={"activities": acts}
    )
    assert brief_result(done, language="zh") == "开会；站着"
    scene: Any = {"location": "indoor_kitchen", "camera_motion": "static"}
    told = EvidenceRecord(record_id="rec_3", kind="operation", source="get_scene_attributes", result=scene)
    assert brief_result(told, language="zh") == "地点：厨房里，镜头运动：静止"


def test_pages_are_told_by_their_titles() -> None:
    page = {"url": "file:///news/a.md", "title": "Mill opens", "text": "It opened."}
    assert brief_result(record("web_scrape", page)) == "Mill opens"
    assert brief_result(record("platform_search", {"results": [{"url": "u", "title": "Mill opens"}]})) == (
        "Mill opens"
    )
