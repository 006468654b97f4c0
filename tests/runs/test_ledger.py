"""The ledger: records by id, found by the names a model writes."""

from __future__ import annotations

import pytest

from vidence.runs.ledger import Ledger, frame_record, record_name
from vidence.schema.agent import MemoryUnit, OperationCall
from vidence.schema.evidence import EvidenceRecord, hash_of


def operation(name: str, result: str = "x") -> EvidenceRecord:
    return EvidenceRecord(record_id=name, kind="operation", source="get_transcript", result=result)


def frame(number: int, caption: str = "a dog") -> EvidenceRecord:
    return frame_record(MemoryUnit(frame_id=number, caption=caption))


@pytest.mark.parametrize(
    "written",
    ["frame_3", "Frame 3", "frame #3", "FRAME-3", "3", " 3 ", "[frame_3]", "帧3", "第3帧", "第 3 帧"],
)
def test_a_frame_is_found_by_every_way_a_model_writes_it(written: str) -> None:
    ledger = Ledger()
    ledger.add_all([frame(2), frame(3)])
    found = ledger.find(written)
    assert found is not None
    assert found.record_id == "frame_3"


@pytest.mark.parametrize("written", ["frame_4", "frames 3", "3a", "rec_2", "", "frame 3.5", "-3 4"])
def test_a_name_that_means_no_record_finds_nothing(written: str) -> None:
    ledger = Ledger()
    ledger.add_all([frame(3), operation("rec_1")])
    assert ledger.find(written) is None


def test_an_operation_is_found_by_its_own_id_in_brackets_too() -> None:
    ledger = Ledger()
    ledger.add(operation("rec_1"))
    assert ledger.find("[rec_1]") == ledger.find(" rec_1 ") == operation("rec_1")


def test_a_known_record_keeps_its_place_and_its_first_content() -> None:
    ledger = Ledger()
    ledger.add_all([operation("rec_1", "first"), operation("rec_2"), operation("rec_1", "second")])
    assert [(one.record_id, one.result) for one in ledger] == [("rec_1", "first"), ("rec_2", "x")]
    assert len(ledger) == 2


def test_operations_are_listed_without_the_frames() -> None:
    memory = EvidenceRecord(record_id="mem_1", kind="memory", source="memory", result="told")
    ledger = Ledger()
    ledger.add_all([frame(1), operation("rec_1"), frame(2), memory])
    assert [one.record_id for one in ledger.operations] == ["rec_1", "mem_1"]


def test_failed_calls_are_kept_in_order_and_are_no_records() -> None:
    ledger = Ledger()
    first, second = OperationCall(operation="a"), OperationCall(operation="b", arguments={"x": 1})
    ledger.note_failure(first, "no such operation")
    ledger.note_failure(second, "x must be text")
    assert ledger.failed == ((first, "no such operation"), (second, "x must be text"))
    assert len(ledger) == 0


@pytest.mark.parametrize(
    ("text", "name"),
    [("007", "frame_7"), ("Frame_12", "frame_12"), ("rec_12", "rec_12"), ("9" * 30, "9" * 30), ("", "")],
)
def test_only_a_frame_s_number_becomes_a_frame_s_name(text: str, name: str) -> None:
    assert record_name(text) == name


def test_a_frame_speaks_of_the_second_around_it() -> None:
    record = frame_record(MemoryUnit(frame_id=4, caption="一只狗", timestamp_s=10.0, video_id="vid_1"))
    assert record.span is not None
    assert (record.span.start_time, record.span.end_time) == (9.5, 10.5)
    assert (record.record_id, record.kind, record.video_id) == ("frame_4", "frame", "vid_1")
    assert (record.result, record.result_hash) == ("一只狗", hash_of("一只狗"))


def test_the_first_frame_s_span_begins_with_the_video() -> None:
    record = frame_record(MemoryUnit(frame_id=1, caption="a", timestamp_s=0.1), half_s=2.0)
    assert record.span is not None
    assert (record.span.start_time, record.span.end_time) == (0.0, 2.1)


def test_a_frame_without_a_time_speaks_of_no_span() -> None:
    assert frame(1).span is None
