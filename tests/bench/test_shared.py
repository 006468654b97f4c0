"""What the benchmarks share: where the media are, the sets, and the rules by which spans and scenes count."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from vidence.bench.scene import Told, load_scenes, shares
from vidence.bench.shared import load_set_file, require, scratch_workspace, shared_folder
from vidence.bench.videosearch import FoundSpans, TimedQuestion, half_of, load_questions
from vidence.errors import FileProblem, MissingExtra


def test_the_folder_named_by_the_variable_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "media").mkdir()
    monkeypatch.setenv("VIDENCE_SHARED", str(tmp_path))
    assert shared_folder() == tmp_path


def test_a_set_that_is_missing_is_named(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "mine.json.gz", "wt", encoding="utf-8") as file:
        json.dump([{"id": 1}], file)
    assert load_set_file("mine", tmp_path) == [{"id": 1}]
    with pytest.raises(FileProblem, match="other is not at"):
        load_set_file("other", tmp_path)


def test_a_scratch_workspace_is_deleted() -> None:
    with scratch_workspace() as workspace:
        home = workspace.settings.home
        assert workspace.videos() == []
        assert home.is_dir()
    assert not home.exists()


@pytest.mark.parametrize(
    ("spans", "depth", "touches", "tight"),
    [
        ([(0.0, 4.0)], 1, False, False),
        ([(0.0, 6.0)], 1, True, False),
        ([(5.0, 9.0)], 1, True, True),
        ([(4.0, 12.0)], 1, True, True),
        ([(20.0, 30.0), (5.0, 9.0)], 1, False, False),
        ([(20.0, 30.0), (5.0, 9.0)], 3, True, True),
    ],
)
def test_a_span_hits_an_interval(
    spans: list[tuple[float, float]], depth: int, touches: bool, tight: bool
) -> None:
    found = FoundSpans(TimedQuestion("q1", "a.mp4", "what", "What?", (5.0, 10.0)), spans, 60.0)
    assert found.hit(depth, tight=False) is touches
    assert found.hit(depth, tight=True) is tight
    assert not found.is_whole


def test_questions_without_an_interval_are_left_out(tmp_path: Path) -> None:
    row = {"id": "q1", "video": "a.mp4", "type": "when", "question": "When?", "evidence": [1.0, 2.0]}
    (tmp_path / "qa.json").write_text(json.dumps({"items": [row, {**row, "evidence": None}]}))
    (question,) = load_questions(tmp_path / "qa.json")
    assert question.interval == (1.0, 2.0)
    assert half_of(question) in ("tuning", "held out")


def test_scenes_are_scored_without_and_with_lens() -> None:
    truth = next(one for one in load_scenes() if one.side == "outdoor")
    wrong = Told(truth, "indoor", "indoor_kitchen", None, None, None)
    right = Told(
        truth, "outdoor", truth.location[-1], truth.time_of_day[0], truth.weather[0], truth.lighting[0]
    )
    figures = {name: (before, after) for name, before, after in shares([wrong], [right])}
    assert figures["indoors or outdoors right"] == (0.0, 1.0)
    assert figures["kind of place wrong"] == (1.0, 0.0)
    assert figures["lighting right"] == (0.0, 1.0)


def test_a_missing_extra_is_told_before_anything_is_computed() -> None:
    require("Reading", "json")
    with pytest.raises(MissingExtra, match=r"The comparison.*\[bench\]"):
        require("The comparison", "json", "no_such_module_anywhere")
