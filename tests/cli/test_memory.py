"""`vidence memory` from adding to forgetting."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import RunCli


def test_add_search_correct_forget(run_cli: RunCli) -> None:
    assert run_cli("memory", "add", "Anna is allergic to nuts").out.split() == ["mem_001", "added"]
    assert "known already" in run_cli("memory", "add", "anna is allergic to nuts").out
    run_cli("memory", "add", "Tom flew to Paris on Friday")
    assert "allergic" in run_cli("memory", "search", "What is Anna allergic to?").out.splitlines()[0]
    assert "replaces mem_001" in run_cli("memory", "correct", "mem_001", "Anna is allergic to eggs").out
    shown = run_cli("memory", "show", "mem_003").out
    assert "supersedes: mem_001" in shown
    assert "Anna is allergic to nuts" in shown
    assert run_cli("memory", "forget", "mem_002").code == 0
    assert [row["memory_id"] for row in run_cli("memory", "list", "--json").json()] == ["mem_003"]
    assert len(run_cli("memory", "list", "--history", "--json").json()) == 3
    stats = run_cli("memory", "stats", "--json").json()
    assert (stats["memories"], stats["superseded"], stats["forgotten"]) == (1, 1, 1)


def test_export_and_import(run_cli: RunCli, tmp_path: Path) -> None:
    run_cli("memory", "add", "我对花生过敏", "--pin")
    target = tmp_path / "memories.jsonl"
    assert run_cli("memory", "export", target).code == 0
    run_cli("memory", "forget", "mem_001")
    assert "1 added" in run_cli("memory", "import", target).out
    assert run_cli("memory", "search", "对什么过敏", "--json").json()[0]["pinned"] is True


def test_memories_of_a_video_are_kept_apart(run_cli: RunCli, sample: Path) -> None:
    run_cli("add", sample)
    run_cli("memory", "add", "A ball rolls", "--video", sample.name)
    assert run_cli("memory", "list", "--json").json() == []
    assert len(run_cli("memory", "list", "--video", sample.name, "--json").json()) == 1


def test_nothing_found_says_so(run_cli: RunCli) -> None:
    ran = run_cli("memory", "search", "anything at all")
    assert (ran.code, ran.out) == (0, "")
    assert "Nothing remembered" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "   "),
        ("show", "mem_999"),
        ("correct", "mem_1", "x"),
        ("forget", "what"),
        ("import", "missing.jsonl"),
    ],
)
def test_mistakes_give_one_line(run_cli: RunCli, arguments: tuple[str, ...]) -> None:
    ran = run_cli("memory", *arguments)
    assert ran.code == 1
    assert "Traceback" not in ran.err
    assert "error:" in ran.err


def test_a_file_that_is_no_export_changes_nothing(run_cli: RunCli, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"\xff\xfe\x00")
    assert run_cli("memory", "import", bad).code == 1
    assert run_cli("memory", "list", "--json").json() == []
