"""`vidence summarise` on a short film of one plain colour."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import RunCli


@pytest.fixture(autouse=True)
def _plain_extraction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIDENCE_LLM__TASKS", '{"reader": "embedded"}')


def test_a_summary_names_the_video_and_is_in_the_language_asked(run_cli: RunCli, plain: Path) -> None:
    ran = run_cli("summarise", plain)
    assert ran.code == 0
    assert "plain [1].mp4" in ran.out
    found = run_cli("summarise", plain, "--language", "zh", "--json").json()
    assert found[0]["summary"]["language"] == "zh"
    assert found[0]["video"]["name"] == "plain [1].mp4"
    assert found[0]["summary"]["chapters"]


def test_all_summarises_what_is_indexed(run_cli: RunCli, plain: Path) -> None:
    run_cli("summarise", plain)
    assert len(run_cli("summarise", "--all", "--json").json()) == 1


@pytest.mark.parametrize("arguments", [(), ("x.mp4", "--all")])
def test_either_videos_or_all_are_named(run_cli: RunCli, arguments: tuple[str, ...]) -> None:
    ran = run_cli("summarise", *arguments)
    assert ran.code == 2
    assert "--all" in ran.err
