"""Results as a person sees them."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from vidence.app import open_workspace
from vidence.app.library import HEADINGS, row_of
from vidence.cli.op import render
from vidence.cli.options import GlobalOptions
from vidence.cli.terminal import Terminal


def _shown(renderable: object, *, width: int) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(renderable)
    return console.export_text()


def test_a_column_nobody_fills_is_left_out() -> None:
    rows = [{"text": "Hello [b]\\", "speaker_id": None}, {"text": "Bye", "speaker_id": None, "score": 0.5}]
    text = _shown(render({"transcript": rows}), width=80)
    assert "speaker_id" not in text
    assert "Hello [b]\\" in text
    assert "0.5" in text


def test_a_narrow_terminal_cuts_no_path(sample: Path, tmp_path: Path) -> None:
    with open_workspace(home=tmp_path) as workspace:
        workspace.add(sample)
        terminal = Terminal(GlobalOptions())
        terminal.out = Console(width=70, force_terminal=True, no_color=True, file=io.StringIO(), record=True)
        terminal.table(HEADINGS, map(row_of, workspace.videos()), right=("length", "fps"))
        text = terminal.out.export_text()
    assert "…" not in text
    column = text.splitlines()[0].index("file")
    assert "".join(line[column:].strip() for line in text.splitlines()[1:]) == str(sample)
