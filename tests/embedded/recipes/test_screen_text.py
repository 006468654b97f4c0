"""Lines of text in several frames, put together and searched for names."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.embedded.recipes.told import text
from vidence.embedded.recipes.screen_text import gather_lines, person_named
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.schema.evidence import EvidenceRecord


def _frames(*frames: Sequence[DetectedObject]) -> list[EvidenceRecord | None]:
    """Return one record a second that holds these lines."""
    return [
        EvidenceRecord(
            record_id=f"rec_{second:03d}",
            kind="operation",
            source="detect_objects",
            result=DetectObjectsResult(timestamp=float(second), objects=list(objects)).model_dump(
                mode="json"
            ),
        )
        for second, objects in enumerate(frames)
    ]


def test_a_line_seen_in_several_frames_is_one_line() -> None:
    (line,) = gather_lines(_frames([text("HELLO WORLD")], [text("HELLO W0RLD", confidence=0.7)], []))
    assert line.text == "HELLO WORLD"
    assert len(line.readings) == 2
    assert line.source.record.record_id == "rec_000"


def test_different_lines_of_one_frame_stay_apart() -> None:
    lines = gather_lines(_frames([text("CHAPTER ONE"), text("CHAPTER ONE", y=0.8)]))
    assert len(lines) == 2
    assert {line.y for line in lines} == {0.4, 0.8}


def test_a_correction_that_frames_agree_on_is_taken() -> None:
    read = text("TEASEI'S RETURN", confidence=0.8, may_read="TEASER'S RETURN")
    (line,) = gather_lines(_frames([read], [read]))
    assert line.text == "TEASER'S RETURN"
    assert line.confidence == 0.8


def test_a_sure_reading_is_not_corrected() -> None:
    (line,) = gather_lines(_frames([text("GRAPHIC", confidence=0.99, may_read="GRAPHICS")]))
    assert line.text == "GRAPHIC"


def test_failed_calls_and_single_letters_are_left_out() -> None:
    assert gather_lines([None]) == []
    assert gather_lines(_frames([text("x", confidence=0.5)])) == []
    assert len(gather_lines(_frames([text("X", confidence=0.99)]))) == 1


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["Jane Miller"], "Jane Miller"),
        (["Jane Miller", "CEO"], "Jane Miller"),
        (["Dr Jane Miller"], "Jane Miller"),
        (["Anne-Marie de Vries"], "Anne-Marie de Vries"),
        (["WELCOME", "Room 12"], None),
        (["Main Street 42"], None),
    ],
)
def test_a_persons_name_is_found_among_lines(lines: list[str], name: str | None) -> None:
    objects = [text(words, y=0.1 * place) for place, words in enumerate(lines)]
    found = person_named(gather_lines(_frames(objects)))
    assert (found[0] if found else None) == name
