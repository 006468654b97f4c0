"""`vidence bench ask` over a small set of our own: figures, floors, going on after a stop, comparing runs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from vidence.bench.ask import command
from vidence.bench.ask_metrics import Bin
from vidence.bench.ask_report import reliability_svg
from vidence.bench.ask_rows import AskRow, RowFile
from vidence.bench.ask_sets import CaptionedVideo, ChoiceItem
from vidence.schema.agent import VideoCard

_VIDEO = {
    "video": "v1",
    "duration": 8,
    "captions": [
        [0.0, "A boy sits on a red bicycle."],
        [2.0, "The boy rides his bicycle along the road."],
        [4.0, "The boy falls on the ground."],
        [6.0, "A woman lifts the boy up."],
    ],
    "questions": [
        {
            "id": "q1",
            "type": "DO",
            "question": "what does the boy ride",
            "options": ["a horse", "a bicycle", "a train"],
            "answer": 1,
            "spans": [[1.0, 4.0]],
        },
        {
            "id": "q2",
            "type": "TN",
            "question": "what does the woman do at the end",
            "options": ["lifts the boy", "sings a song", "buys bread"],
            "answer": 0,
            "spans": None,
        },
    ],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VIDENCE_HOME", str(tmp_path / "home"))
    # The local model, where it is fetched, would read for seconds.
    monkeypatch.setenv("VIDENCE_LLM", '{"tasks": {"reader": "embedded"}}')
    with gzip.open(tmp_path / "nextqa.json.gz", "wt", encoding="utf-8") as file:
        json.dump([_VIDEO], file)
    return tmp_path


def _run(folder: Path, *more: str) -> list[dict[str, Any]]:
    return _told(folder, *more)[0]


def _told(folder: Path, *more: str) -> tuple[list[dict[str, Any]], str]:
    done = CliRunner().invoke(command, ["nextqa", "--eval", str(folder), "--json", *more])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout), done.stderr


def _row(item_id: str, *, right: bool) -> AskRow:
    return AskRow(
        item_id=item_id, kind="x", right=right, status="answered", answer="a", probability=0.5, score=3
    )


def test_a_run_reports_accuracy_floors_and_grounding(folder: Path) -> None:
    (summary,) = _run(folder)
    assert summary["questions"] == 2
    assert summary["accuracy"]["share"] == 1.0
    assert summary["llm_calls"] == 0
    assert summary["grounding"]["number"] == 1
    assert {rival["name"] for rival in summary["rivals"]} == {
        "random",
        "longest",
        "bm25",
        "question-blind",
        "video-blind",
    }
    assert summary["verified_citations"] == 1.0


def test_a_second_run_goes_on_where_the_first_stopped(folder: Path) -> None:
    _run(folder, "--limit", "1")
    rows = next((folder / "home" / "bench" / "ask").glob("*.jsonl"))
    first = rows.read_text(encoding="utf-8")
    rows.write_text(first + '{"item_id": "q2", "ri', encoding="utf-8")
    (summary,), told = _told(folder)
    assert summary["questions"] == 2
    assert rows.read_text(encoding="utf-8").startswith(first)
    assert "1 of 2 answers are from an earlier run" in told
    assert "earlier run" not in _told(folder, "--fresh")[1]


def test_rows_of_another_run_are_compared_with(folder: Path) -> None:
    other = RowFile(folder / "other.jsonl")
    other.add(_row("q1", right=False))
    other.add(_row("q2", right=True))
    (summary,) = _run(folder, "--against", str(other.path))
    rival = next(one for one in summary["rivals"] if one["name"] == "other")
    assert (rival["paired"]["ours_only"], rival["paired"]["theirs_only"]) == (1, 0)


def test_a_frames_budget_is_kept_and_has_rows_of_its_own(folder: Path) -> None:
    (summary,) = _run(folder, "--frames-budget", "3")
    assert summary["frames"] == 3
    assert list((folder / "home" / "bench" / "ask").glob("*3frames.jsonl"))


def test_an_option_given_twice_is_offered_once() -> None:
    card = VideoCard(video_id="v", name="v", duration_s=1.0)
    video = CaptionedVideo(card, ())
    item = ChoiceItem("q", video, "what", ("resting", "a walk", "Resting", "sleep"), 2, "x")
    assert item.distinct == ("resting", "a walk", "sleep")
    assert item.is_right("resting")
    assert not item.is_right("sleep")


def test_the_plot_is_valid_svg_with_a_dot_per_step() -> None:
    svg = reliability_svg([Bin(3, 0.3, 0.5), Bin(9, 0.8, 0.7)], "a < b")
    root = ElementTree.fromstring(svg)
    assert len(root.findall("{http://www.w3.org/2000/svg}circle")) == 2


def test_half_a_line_on_disk_is_asked_again(tmp_path: Path) -> None:
    file = RowFile(tmp_path / "rows.jsonl")
    file.add(_row("a", right=True))
    with file.path.open("a", encoding="utf-8") as handle:
        handle.write('\n{"item_id":"b","kin')
    again = RowFile(file.path)
    assert again.get("a") == _row("a", right=True)
    assert again.get("b") is None
    again.add(_row("b", right=False))
    assert RowFile(file.path).get("b") == _row("b", right=False)
