"""Results as a person sees them."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from vidence.app import open_workspace
from vidence.cli.library import _table
from vidence.cli.op import render


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
        text = _shown(_table(workspace.videos()), width=70)
    assert "…" not in text
    column = text.splitlines()[0].index("file")
    assert "".join(line[column:].strip() for line in text.splitlines()[1:]) == str(sample)
