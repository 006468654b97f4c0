"""The job runner: what is under way, what was told to stop, what has ended."""

from __future__ import annotations

import threading
from pathlib import Path

from vidence.app import load_settings, open_workspace
from vidence.app.jobs import JobRunner

QUESTION = {"question": "Is there a dog?"}


def test_a_job_that_has_ended_is_not_under_way_when_its_end_is_told(tmp_path: Path) -> None:
    told: list[tuple[str, bool, bool]] = []
    ended = threading.Event()
    with open_workspace(load_settings(home=tmp_path)) as workspace, JobRunner(workspace) as runner:

        def note(job_id: str) -> None:
            row = runner.get(job_id)
            told.append((row.state, runner.active("ask", "film") is not None, row in runner.all_active()))
            if not row.is_active:
                ended.set()

        runner.follow(note)
        runner.submit("ask", QUESTION, subject="film")
        assert ended.wait(60)
    assert {state for state, _, _ in told} >= {"running", "failed"}
    assert all(under_way == listed == (state != "failed") for state, under_way, listed in told)


def test_a_job_that_was_told_to_stop_is_not_joined_by_the_next(tmp_path: Path) -> None:
    with open_workspace(load_settings(home=tmp_path)) as workspace, JobRunner(workspace) as runner:
        first = runner.submit("ask", QUESTION, subject="film")
        runner.cancel(first.job_id)
        assert runner.active("ask", "film") is None
