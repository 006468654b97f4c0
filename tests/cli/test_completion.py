"""What Tab offers."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from tests.cli.conftest import RunCli
from vidence.cli.main import cli


def _offers(monkeypatch: pytest.MonkeyPatch, words: str) -> list[str]:
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    return BashComplete(cli, {}, "vidence", "_VIDENCE_COMPLETE").complete().splitlines()


def test_commands_choices_and_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _offers(monkeypatch, "vidence tra") == ["plain,transcript", "plain,trace"]
    assert "plain,get_video_info" in _offers(monkeypatch, "vidence ops get_v")
    assert _offers(monkeypatch, "vidence op get_temporal_structure --granularity f") == ["plain,fine"]
    assert _offers(monkeypatch, "vidence index --stage sou") == ["plain,sounds"]


def test_files_and_known_videos(run_cli: RunCli, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _offers(monkeypatch, "vidence add /tm") == ["file,/tm"]
    assert _offers(monkeypatch, "vidence info vid") == ["file,vid"]
    video_id = run_cli("add", sample).out.split()[0]
    assert _offers(monkeypatch, f"vidence info {video_id[:7]}") == [f"plain,{video_id}"]
    assert _offers(monkeypatch, "vidence op get_video_info vidence_s") == [f"plain,{sample.name}"]
    assert _offers(monkeypatch, "vidence index other") == ["file,other"]
