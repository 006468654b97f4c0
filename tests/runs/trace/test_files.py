from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from vidence.errors import FileProblem, UnknownName
from vidence.runs.trace import TraceFolder
from vidence.schema.engine import EngineCard
from vidence.schema.trace import Trace, WorldCard


def a_trace(question: str = "What?", started_at: float = 1_700_000_000.0) -> Trace:
    card = EngineCard(name="scripted")
    return Trace(
        vidence="0",
        started_at=started_at,
        loop="solver_checker",
        given={"question": question, "language": "en"},
        engines={"solver": card},
        world=WorldCard(),
    )


@pytest.fixture
def folder(tmp_path: Path) -> TraceFolder:
    return TraceFolder(tmp_path)


def test_a_trace_comes_back_as_it_was_written(folder: TraceFolder) -> None:
    trace = a_trace("几个人？ \x1b[31m 😀")
    trace_id = folder.save(trace)
    assert trace_id.startswith("20231114T221320Z-")
    assert folder.find(trace_id).load() == trace


def test_a_trace_is_found_by_its_beginning_its_hash_or_as_the_last(folder: TraceFolder) -> None:
    first, second = folder.save(a_trace("one", 1_600_000_000)), folder.save(a_trace("two"))
    os.utime(folder.folder / f"{first}.json", (1, 1))
    assert folder.find(first[:10]).trace_id == first
    assert folder.find(second.rpartition("-")[2]).trace_id == second
    assert folder.find("last").trace_id == second


@pytest.mark.parametrize("reference", ["", "nothing", "last"])
def test_an_unknown_trace_is_named(folder: TraceFolder, reference: str) -> None:
    with pytest.raises(UnknownName, match="vidence trace list"):
        folder.find(reference)


def test_an_ambiguous_beginning_says_so(folder: TraceFolder) -> None:
    folder.save(a_trace("one"))
    folder.save(a_trace("two"))
    with pytest.raises(UnknownName, match="2 traces"):
        folder.find("2023")


def test_old_traces_are_removed_and_no_others(folder: TraceFolder) -> None:
    old, new = folder.save(a_trace("old")), folder.save(a_trace("new"))
    os.utime(folder.folder / f"{old}.json", (time.time() - 1000, time.time() - 1000))
    assert folder.remove(older_than_s=500) == [old]
    assert [file.trace_id for file in folder.all()] == [new]


def test_nothing_half_written_is_left(folder: TraceFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(Exception, match="No space left"):
        folder.save(a_trace())
    assert list(folder.folder.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"version": "x"}'])
def test_what_is_no_trace_is_said_to_be_none(folder: TraceFolder, text: str) -> None:
    folder.folder.mkdir()
    (folder.folder / "20200101T000000Z-0.json").write_text(text)
    with pytest.raises(FileProblem, match="is not a trace"):
        folder.all()[0].load()


def test_a_trace_of_another_version_says_so(folder: TraceFolder) -> None:
    path = folder.find(folder.save(a_trace())).path
    path.write_text(path.read_text("utf-8").replace('"version": 2', '"version": 1'), "utf-8")
    with pytest.raises(FileProblem, match="trace format 1; this one reads 2"):
        folder.all()[0].read()
