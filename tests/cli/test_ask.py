from __future__ import annotations

from pathlib import Path

import click
import pytest

from tests.cli.conftest import RunCli
from tests.scripts import answer, by_task, trace_ask, verdict
from vidence.cli.ask import parse_budget, split_options
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import Budget, MemoryUnit


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("ask",), 2, "Missing argument"),
        (("ask", "How many?"), 2, "Name a video before the question"),
        (("ask", "nowhere.mp4", "How many?"), 1, "nowhere.mp4"),
        (("ask", "nowhere.mp4", "  "), 1, "question is empty"),
        (("ask", "nowhere.mp4", "?!"), 1, "question is empty"),
        (("ask", "nowhere.mp4", "x" * 20_000), 1, "20000 characters"),
        (("ask", "nowhere.mp4", "Which?", "--options", "one"), 1, "only one option"),
        (("ask", "nowhere.mp4", "Which?", "--options", "a|b|a"), 1, "given twice"),
        (("ask", "nowhere.mp4", "Which?", "--options", "|"), 1, "options are empty"),
        (("ask", "nowhere.mp4", "What?", "--budget", "steps=0"), 2, "more than 0"),
        (("ask", "nowhere.mp4", "What?", "--budget", "money=3"), 2, "knows no 'money'"),
        (("ask", "nowhere.mp4", "What?", "--budget", "steps=many"), 2, "write a number"),
        (("ask", "--all", "What?"), 1, "no indexed videos"),
    ],
)
def test_mistakes_are_told_on_one_line(
    run_cli: RunCli, arguments: tuple[str, ...], code: int, message: str
) -> None:
    ran = run_cli(*arguments)
    assert ran.code == code
    assert message in ran.err
    assert ran.out == ""


def test_a_text_file_is_no_video(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "notes.mp4").write_text("not a video")
    ran = run_cli("ask", tmp_path / "notes.mp4", "What is it?")
    assert ran.code == 1
    assert "notes.mp4" in ran.err


def test_budgets_are_read() -> None:
    assert parse_budget("steps=3, seconds=1.5,frames=8") == Budget(steps=3, seconds=1.5, frames=8)
    with pytest.raises(click.UsageError):
        parse_budget("seconds=nan")


def test_options_are_split_or_repeated() -> None:
    assert split_options(("a | b", "c")) == ["a", "b", "c"]
    assert split_options(("红队｜蓝队",)) == ["红队", "蓝队"]
    assert split_options(()) == []


def _one_run(home: Path) -> str:
    world = CaptionWorld([MemoryUnit(frame_id=1, caption="a dog", timestamp_s=3.0)])
    engine = by_task([answer("A dog", 1)], verdict(5))
    kept = trace_ask(home, world, engine, "Which animal?").trace_id
    assert kept is not None
    return kept


def test_traces_are_listed_shown_repeated_and_removed(run_cli: RunCli, tmp_path: Path) -> None:
    assert "no traces yet" in run_cli("trace", "list").err
    trace_id = _one_run(tmp_path / "home")
    assert trace_id in run_cli("trace", "list").out
    assert run_cli("trace", "list", "--json").json()[0]["answer"] == "A dog"
    shown = run_cli("trace", "show", "last").out
    assert "Which animal?" in shown
    assert "check: 5/5" in shown
    again = run_cli("trace", "replay", trace_id[:12])
    assert (again.code, "identical" in again.out) == (0, True)
    assert run_cli("trace", "replay", "last", "--json").json()["identical"] is True
    assert run_cli("trace", "remove", "--older-than", "1h", "--json").json() == []
    assert run_cli("trace", "remove", "--older-than", "0s", "--json").json() == [trace_id]


def test_a_changed_trace_is_not_replayed(run_cli: RunCli, tmp_path: Path) -> None:
    trace_id = _one_run(tmp_path / "home")
    path = tmp_path / "home" / "traces" / f"{trace_id}.json"
    path.write_text(path.read_text("utf-8").replace("A dog", "A cat"), encoding="utf-8")
    ran = run_cli("trace", "replay", "last")
    assert ran.code == 1
    assert "was changed after it was written" in ran.err
    assert run_cli("trace", "show", "last").code == 1


@pytest.mark.parametrize("arguments", [("trace", "show", "nothing"), ("trace", "replay", "nothing")])
def test_an_unknown_trace_is_named(run_cli: RunCli, arguments: tuple[str, ...]) -> None:
    ran = run_cli(*arguments)
    assert (ran.code, "Unknown trace 'nothing'" in ran.err) == (1, True)


def test_a_bad_age_is_a_usage_error(run_cli: RunCli) -> None:
    assert run_cli("trace", "remove", "--older-than", "long").code == 2


def test_a_video_without_a_question_asks_for_the_question(run_cli: RunCli) -> None:
    ran = run_cli("ask", "holiday.mp4")
    assert ran.code == 2
    assert "Write a question after the video" in ran.err
