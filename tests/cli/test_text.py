"""Printing what came from outside."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import RunCli
from vidence.app.narration import Narrator
from vidence.cli.options import GlobalOptions
from vidence.cli.terminal import Terminal
from vidence.cli.text import json_text, visible
from vidence.schema.agent import AnswerPayload
from vidence.schema.events import AnswerProposed

CONTROL = "a\nb\x1b[31mc\x9bd\u2028e"


def test_controls_are_shown_and_languages_kept() -> None:
    assert visible(CONTROL) == r"a\nb\x1b[31mc\x9bd\u2028e"
    assert visible("视频 🎬 é") == "视频 🎬 é"


def test_json_survives_names_that_are_no_utf_8() -> None:
    text = json_text({"path": os.fsdecode(b"bad\xff.mp4"), "title": "视频"})
    assert text.encode()
    assert json.loads(text) == {"path": "bad\udcff.mp4", "title": "视频"}


@pytest.mark.parametrize("name", ["new\nline.mp4", "esc\x1b[31m.mp4", "[bold]x[red].mp4", "a b 视频 🎬.mp4"])
def test_any_file_name_is_one_line(run_cli: RunCli, sample: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    shutil.copy(sample, path)
    added = run_cli("add", path)
    assert added.out.count("\n") == 1
    assert visible(path) in added.out
    assert visible(path) in run_cli("list").out
    assert visible(path) in run_cli("info", path).out


def test_an_error_about_a_file_named_like_markup_is_one_line(run_cli: RunCli, tmp_path: Path) -> None:
    path = tmp_path / "x[" / ("long " * 30 + "b].mp4")
    path.parent.mkdir()
    path.touch()
    for command in ("add", "index", "info"):
        ran = run_cli(command, path)
        assert (ran.code, ran.err.count("\n")) == (1, 1)
        assert str(path) in ran.err


def test_an_ascii_terminal_gets_escapes_instead_of_a_traceback(sample: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "VIDENCE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", "from vidence.cli import main; main()"]
    for arguments in (["add", sample], ["list"]):
        ran = subprocess.run([*command, *arguments], env=environment, capture_output=True, check=True)
        assert ran.stderr == b""
    assert rb"960\xd7540" in ran.stdout


def test_what_a_video_says_cannot_speak_to_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = Terminal(GlobalOptions())
    Narrator(terminal.note, terminal.progress)(
        AnswerProposed(answer=AnswerPayload(final_answer="\x1b[2J[red]x[/red]\nfake"))
    )
    assert capsys.readouterr().err.splitlines() == [r"  answer: \x1b[2J[red]x[/red]\nfake"]
