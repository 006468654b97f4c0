"""The open questions come with their own rules, and the bench scores by exactly those."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vidence.bench.ask_sets import load_open, load_rules
from vidence.errors import FileProblem


def test_the_known_answers_pass_their_own_checks(shared_dir: Path) -> None:
    media = shared_dir / "media"
    answers = {
        row["id"]: str(row["answer"])
        for row in json.loads((media / "qa.json").read_text(encoding="utf-8"))["items"]
    }
    rules = load_rules(media)
    items = load_open(media)
    passed = [bool(rules(item.check, answers[item.item_id])) for item in items]
    assert len(items) == len(answers)
    assert sum(passed) >= 0.95 * len(items)
    assert all(item.video.is_file() for item in items)


def test_no_answer_passes_by_saying_nothing(shared_dir: Path) -> None:
    media = shared_dir / "media"
    rules = load_rules(media)
    assert not any(rules(item.check, "") for item in load_open(media))


def test_rules_that_are_not_there_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="VIDENCE_SHARED"):
        load_rules(tmp_path)
