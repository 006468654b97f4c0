"""`vidence story` on the command line: add, show, ask, tool, export, and clear words for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import RunCli
from tests.knowledge.stories import MILL


@pytest.fixture
def mill(tmp_path: Path, run_cli: RunCli, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VIDENCE_LLM__TASKS__READER", "embedded")
    path = tmp_path / "mill.txt"
    path.write_text(MILL)
    assert run_cli("story", "add", path, "--story", "mill").code == 0
    return path


def test_a_story_is_shown_asked_and_listed(mill: Path, run_cli: RunCli) -> None:
    assert "Captain Robert Grey" in run_cli("story", "show", "mill").out
    assert "Chapter 2" in run_cli("story", "show", "mill", "--chapters").out
    said = run_cli("story", "ask", "mill", "How is Robert related to Anne?").out
    assert "brother" in said
    assert "mill.txt › Chapter 1 ¶2" in said
    cards = json.loads(run_cli("story", "list", "--json").out)
    assert [card["name"] for card in cards] == ["mill"]
    assert "0 new or changed" in run_cli("story", "add", mill, "--story", "mill").out


def test_tools_and_exports_print_results(mill: Path, run_cli: RunCli, tmp_path: Path) -> None:
    found = json.loads(run_cli("story", "tool", "mill", "search_memory", "query=mill", "limit=1").out)
    assert len(found["passages"]) == 1
    picture = tmp_path / "anne.svg"
    assert run_cli("story", "export", "mill", "--around", "Anne", "-o", picture).code == 0
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_bad_input_gets_a_clear_word(mill: Path, run_cli: RunCli, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    assert "holds no words" in run_cli("story", "add", empty, "--story", "mill").err
    assert "Did you mean 'mill'" in run_cli("story", "ask", "mil", "Who?").err
    assert "Nobody called" in run_cli("story", "tool", "mill", "lookup_knowledge", "entity=Zorro").err
    assert "is empty" in run_cli("story", "ask", "mill", "  ").err
    assert "does not tell" in run_cli("story", "ask", "mill", "Who invented the rocket?").out
    assert len(json.loads(run_cli("story", "list", "--json").out)) == 1


def test_a_removed_story_is_gone_and_its_file_stays(mill: Path, run_cli: RunCli) -> None:
    assert run_cli("story", "remove", "mill").code == 0
    assert json.loads(run_cli("story", "list", "--json").out) == []
    assert mill.exists()
