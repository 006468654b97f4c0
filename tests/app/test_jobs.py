"""The job runner: what is under way, what was told to stop, what has ended."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.processes import frozen, job_processes, wait_until
from vidence.app import load_settings, open_workspace
from vidence.app.job_process import JobProcess
from vidence.app.jobs import JobRunner
from vidence.schema.jobs import JobRow

QUESTION: dict[str, JsonValue] = {"question": "Is there a dog?"}
PATIENCE_S = 240.0


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
        assert ended.wait(PATIENCE_S)
    assert {state for state, _, _ in told} >= {"running", "failed"}
    assert all(under_way == listed == (state != "failed") for state, under_way, listed in told)


def test_a_job_that_was_told_to_stop_is_not_joined_by_the_next(tmp_path: Path) -> None:
    with open_workspace(load_settings(home=tmp_path)) as workspace, JobRunner(workspace) as runner:
        first = runner.submit("ask", QUESTION, subject="film")
        runner.cancel(first.job_id)
        assert runner.active("ask", "film") is None


def test_requests_at_once_join_one_job(tmp_path: Path) -> None:
    with open_workspace(load_settings(home=tmp_path)) as workspace, JobRunner(workspace) as runner:
        with ThreadPoolExecutor(8) as pool:
            rows = pool.map(lambda _: runner.join("index", {"video": "vid_0"}, subject="vid_0"), range(32))
            ids = {row.job_id for row in rows}
        assert len(ids) == workspace.store.jobs.page(kind="index")[1]
        assert len(ids) < 32


def test_a_job_is_joined_only_by_the_same_where_that_matters(tmp_path: Path) -> None:
    with open_workspace(load_settings(home=tmp_path)) as workspace:
        runner = JobRunner(workspace)
        runner.start()
        first = runner.submit("ask", QUESTION, subject="film")
        same = runner.active("ask", "film", QUESTION)
        assert same is not None
        assert same.job_id == first.job_id
        assert runner.active("ask", "film", {"question": "Who?"}) is None
        runner.close()


def test_a_cancelled_job_does_not_go_on_with_the_next_server(tmp_path: Path) -> None:
    with open_workspace(load_settings(home=tmp_path)) as workspace:
        with JobRunner(workspace) as runner:
            stopped, left = (runner.submit("ask", QUESTION, subject="film") for _ in range(2))
            runner.cancel(stopped.job_id)
        assert not workspace.store.jobs.get(stopped.job_id).is_active
        assert workspace.store.jobs.get(left.job_id).state in ("queued", "failed")


def test_a_crash_of_an_old_process_leaves_the_jobs_of_a_new_one_alone(tmp_path: Path) -> None:
    row = JobRow(job_id="job_0", kind="ask", given=QUESTION, state="running", created_at=0.0)
    process = JobProcess(load_settings(home=tmp_path))
    first = process.run(row)
    assert "started" in next(first)
    crashed = process._process
    assert crashed is not None
    crashed.kill()
    crashed.wait()
    second = process.run(row.model_copy(update={"job_id": "job_1"}))
    assert "started" in next(second)
    assert "ended in the middle" in list(first)[-1]["problem"]
    assert "no indexed videos" in list(second)[-1]["problem"]
    process.close()


@pytest.mark.parametrize(
    ("question", "videos", "goes_on"),
    [
        ("Is there a dog?", ("film",), True),
        ("有狗吗？", ("film",), False),
        ("Is there a dog?", ("other",), False),
        ("Is there a dog?", (), False),
    ],
)
def test_reading_ahead_makes_way_for_questions_it_does_not_serve(
    tmp_path: Path, question: str, videos: tuple[str, ...], goes_on: bool
) -> None:
    others = job_processes()
    with open_workspace(load_settings(home=tmp_path)) as workspace, JobRunner(workspace) as runner:
        runner.submit("ask", QUESTION)
        wait_until(lambda: len(job_processes() - others) == 1)
        with frozen(job_processes() - others):
            runner.submit("prepare", {"video": "film", "language": "en"}, subject="film")
            runner.make_way(question, videos)
            assert (runner.active("prepare", "film") is not None) == goes_on
