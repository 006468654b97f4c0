"""`vidence plan`: answers by planning, walks and beliefs, with the engine that needs no language model."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import RunCli
from vidence.schema.navigation import ACTIONS

STORY = "Sally puts the ball in the basket. Sally leaves. Anne moves the ball to the box."


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("plan", "ask"), 2, "Missing argument"),
        (("plan", "nowhere.mp4", "How many?"), 1, "nowhere.mp4"),
        (("plan", "How many?", "--image", "nowhere.jpg"), 2, "nowhere.jpg"),
        (("plan", "What?", "--budget", "money=3"), 2, "knows no 'money'"),
        (("plan", "walk", " "), 1, "instruction is empty"),
        (("plan", "walk", "Go.", "--done", "fly"), 2, "fly"),
        (("plan", "beliefs", "Where is the ball?"), 1, "story is empty"),
        (("plan", "beliefs", STORY, " "), 1, "question is empty"),
        (("plan", "beliefs", "a", "b", "c"), 2, "one story and one question"),
    ],
)
def test_mistakes_are_reported(run_cli: RunCli, arguments: tuple[str, ...], code: int, message: str) -> None:
    ran = run_cli(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err


def test_the_word_ask_may_be_left_out(run_cli: RunCli) -> None:
    short, long = (run_cli("plan", *words, "What colour is the car?", "--json") for words in ((), ("ask",)))
    assert short.json()["status"] == long.json()["status"] == "cannot_tell"
    assert run_cli("plan", "--engine", "embedded", "What colour is the car?").code == 0


def test_every_step_is_an_event(run_cli: RunCli) -> None:
    kinds = [line.partition('"kind": "')[2].partition('"')[0] for line in
             run_cli("plan", "What colour is the car?", "--events").out.splitlines()]  # fmt: skip
    assert (kinds[0], kinds[-1]) == ("started", "finished")


def test_a_walk_prints_the_next_action(run_cli: RunCli) -> None:
    found = run_cli("plan", "walk", "Turn left, then stop.", "--json").json()
    assert found["action"] in ACTIONS
    assert run_cli("plan", "walk", "Turn left, then stop.").out.splitlines()[0] == found["action"]


def test_beliefs_name_who_is_wrong(run_cli: RunCli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    question = "Where will Sally look for the ball?"
    lines = run_cli("plan", "beliefs", STORY, question).out.splitlines()
    assert "basket" in lines[0]
    assert any(line.strip().startswith("Sally: ") and line.endswith("✗") for line in lines)
    monkeypatch.setattr(sys, "stdin", io.StringIO(STORY))
    assert run_cli("plan", "beliefs", "-", question, "--json").json()["answer"] == lines[0]
    story = "小明把球放进篮子。小明离开。小红把球移到盒子里。"
    assert "篮子" in run_cli("plan", "beliefs", story, "小明会去哪里找球？").out
