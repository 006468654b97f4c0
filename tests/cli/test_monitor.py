"""`vidence monitor` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from vidence.cli.main import cli


@pytest.fixture
def news(tmp_path: Path) -> Path:
    folder = tmp_path / "news"
    folder.mkdir()
    (folder / "a.md").write_text(
        "# DeepSeek R1\n\nDeepSeek released its R1 model on 20 January 2025 under the MIT licence."
    )
    return folder


def run(home: Path, *words: str) -> tuple[int, str]:
    home.mkdir(exist_ok=True)
    (home / "vidence.toml").write_text('[llm.tasks]\nreader = "embedded"\n')
    result = CliRunner().invoke(cli, ["--home", str(home), "-q", *words])
    return result.exit_code, result.stdout


def test_a_command_is_run_listed_shown_compared_and_stopped(tmp_path: Path, news: Path) -> None:
    home = tmp_path / "home"
    page = tmp_path / "briefing.html"
    code, text = run(home, "monitor", "Monitor DeepSeek", "--sources", str(news), "--html", str(page))
    assert code == 0
    assert "MIT licence" in text
    assert page.read_text("utf-8").startswith("<!doctype html>")
    [row] = json.loads(run(home, "monitor", "list", "--json")[1])
    assert (row["command"], row["runs"]) == ("Monitor DeepSeek", 1)
    name = row["monitor_id"]
    assert "MIT licence" in run(home, "monitor", "show", name)[1]
    assert run(home, "monitor", "diff", name)[0] == 1
    (news / "b.md").write_text("DeepSeek announced its next model, DeepSeek V4, on 1 March 2026.")
    shown = json.loads(run(home, "monitor", "run", "Monitor DeepSeek", "-s", str(news), "--json")[1])
    assert any("V4" in change["text"] for change in shown["changes"])
    assert "+ DeepSeek announced" in run(home, "monitor", "diff", name)[1]
    assert run(home, "monitor", "stop", name)[0] == 0


@pytest.mark.parametrize(
    "words",
    [
        ("monitor", "x", "--since", "soon"),
        ("monitor", "x", "--every", "often", "--sources", "."),
        ("monitor", "tool", "platform_search", "--params", "{"),
    ],
)
def test_wrong_options_are_explained(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert run(tmp_path / "home", *words)[0] == 2
