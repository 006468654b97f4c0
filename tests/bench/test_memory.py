"""The memory benchmark reads its sets, scores ours beside the peers and counts abstentions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from vidence.bench.memory import command
from vidence.bench.memory_sets import load_set
from vidence.errors import FileProblem

TURNS = [
    ("D1:1", "Anna", "I adopted a grey cat called Misty."),
    ("D1:2", "Tom", "Lovely! I flew to Paris last week."),
    ("D1:3", "Anna", "My sister plays the violin in an orchestra."),
    ("D1:4", "Tom", "I am learning to cook noodles."),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    turns = [
        {"id": i, "session": "s1", "date": "1:56 pm on 8 May, 2023", "speaker": who, "text": text}
        for i, who, text in TURNS
    ]
    questions = [
        {"question": "What did Anna adopt?", "evidence": ["D1:1"], "category": 1},
        {"question": "Where did Tom fly?", "evidence": ["D1:2"], "category": 4},
        {"question": "What did Tom adopt?", "evidence": ["D1:1"], "category": 5},
    ]
    data = [{"id": "c", "turns": turns, "questions": questions}]
    with gzip.open(tmp_path / "locomo.json.gz", "wt", encoding="utf-8") as file:
        json.dump(data, file)
    return tmp_path


def test_the_benchmark_scores_ours_beside_its_peers(folder: Path) -> None:
    pytest.importorskip("bm25s")
    ran = CliRunner().invoke(
        command,
        ["--set", "locomo", "--eval", str(folder), "--scale", "200", "--json"],
        catch_exceptions=False,
    )
    assert ran.exit_code == 0
    told = json.loads(ran.stdout)
    ours, peer = told["sets"][:2]
    assert (ours["system"], peer["system"]) == ("vidence", "bm25s")
    assert ours["recall"]["1"] == 1.0
    assert ours["groups"] == 1.0
    assert ours["abstained"] is not None
    assert told["speed"]["query ms"] > 0


def test_a_set_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"musique.*--eval"):
        load_set("musique", tmp_path)


def test_the_halves_share_no_question(folder: Path) -> None:
    (whole,) = load_set("locomo", folder)
    assert len(whole.questions) == 3
    assert load_set("locomo", folder, "tuning") == [whole]
    assert load_set("locomo", folder, "checking") == []
