from __future__ import annotations

from typing import Any

import pytest

from vidence.runs.brief import evidence_line, short_time
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
    assert evidence_line(SEEN, cite(), "zh") == "[00:07] 物体: 2 × 人；杯子（红色）"


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
