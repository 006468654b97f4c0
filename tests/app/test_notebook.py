"""What a notebook shows: live steps of a run, and results as tables; the example runs as written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import need_models
from tests.conftest import REPOSITORY
from vidence.app import Workspace, open_workspace
from vidence.app.notebook import live_listener
from vidence.app.story import Story

EXAMPLES = sorted((REPOSITORY / "examples").glob("*.ipynb"))
SHOWN = {"ask_a_video": "rocket", "ask_a_story": "Silas Grimm", "watch_a_topic": "tide mill"}
"""What each example shows in the end."""


def test_outside_a_notebook_nothing_is_shown() -> None:
    assert live_listener() is None


def test_reports_and_transcripts_are_tables_of_escaped_text(town: Workspace) -> None:
    report = town.report(town.videos()[0].video_id)
    named = report.model_copy(update={"name": "<b>x</b>"})
    assert "&lt;b&gt;x&lt;/b&gt;" in named._repr_html_()
    assert "BAKERY" in named._repr_html_()
    assert "<table>" in town.transcript(town.videos()[0].video_id)._repr_html_()


def test_an_answer_about_a_story_shows_its_quotations(tmp_path: Path) -> None:
    with open_workspace(home=tmp_path) as workspace:
        story = Story("Ferry Rock", workspace=workspace)
        story.add(REPOSITORY / "samples" / "story" / "ferry_rock.txt")
        answer = story.ask("Who is the father of Daniel?")
    assert "Silas Grimm" in str(answer)
    shown = answer.model_copy(update={"answer": "<b>x</b>"})._repr_html_()
    assert "&lt;b&gt;x&lt;/b&gt;" in shown
    assert "Silas Grimm was the father of Daniel" in shown
    assert "Chapter 3 ¶3" in shown


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_was_executed_without_errors(path: Path) -> None:
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in cells)
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert outputs
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert SHOWN[path.stem] in json.dumps(outputs)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning")
def test_an_example_runs_as_written(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_models()
    nbformat: Any = pytest.importorskip("nbformat")
    nbclient: Any = pytest.importorskip("nbclient")
    monkeypatch.setenv("VIDENCE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VIDENCE_LLM__TASKS__READER", "embedded")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    book = nbformat.read(path, as_version=4)
    context = {"metadata": {"path": str(REPOSITORY)}}
    nbclient.NotebookClient(book, timeout=900, kernel_name="python3", resources=context).execute()
    shown = json.dumps(book.cells)
    assert "text/html" in shown
    assert SHOWN[path.stem] in shown
