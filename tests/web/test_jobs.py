"""Asking over HTTP: thoughts before the answer, resumed streams, threads, stopping."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.app.conftest import make_sign, need_models
from tests.processes import job_processes, wait_until
from tests.web.conftest import Served, open_quick, serving

QUESTION = "Is there a dog?"


def test_thoughts_come_before_an_answer_with_its_moments(served: Served, bakery: str) -> None:
    job = served.post("/api/ask", {"question": QUESTION, "videos": [bakery]})
    assert job.status == 202
    events = served.events(job.json()["job_id"])
    kinds = [kind for _, kind, _ in events]
    assert kinds.index("thinking") < kinds.index("answer") < kinds.index("end")
    assert [number for number, _, _ in events[:-1]] == list(range(1, len(events)))
    ended = events[-1][2]
    assert ended["state"] == "done"
    assert "dog" in ended["result"]["answer"]["answer"]
    moment = ended["result"]["proofs"][0]["moments"][0]
    assert moment["video_id"] == bakery
    assert 0 <= moment["start_time"] <= moment["end_time"] <= 4


def test_a_broken_stream_resumes_after_the_last_event(served: Served, bakery: str) -> None:
    job_id = served.post("/api/ask", {"question": QUESTION, "videos": [bakery]}).json()["job_id"]
    whole = served.events(job_id)
    rest = served.events(job_id, last_event_id="3")
    assert rest == whole[3:]
    assert served.events(job_id, last_event_id="100000") == whole[-1:]


def test_a_follow_up_is_completed_from_its_thread(served: Served, bakery: str) -> None:
    first = served.post("/api/ask", {"question": "Is there a dog?", "videos": [bakery], "thread": "th_1"})
    served.finished(first.json()["job_id"])
    second = served.post("/api/ask", {"question": "What colour is it?", "videos": [bakery], "thread": "th_1"})
    assert "dog" in served.finished(second.json()["job_id"])["result"]["understood"]
    alone = served.post("/api/ask", {"question": "What colour is it?", "videos": [bakery], "thread": "th_2"})
    assert "dog" not in served.finished(alone.json()["job_id"])["result"]["understood"]
    page = served.get("/api/jobs?kind=ask&thread=th_1&limit=1").json()
    assert (page["total"], len(page["items"])) == (2, 1)


def test_questions_that_make_no_sense_are_refused(served: Served) -> None:
    assert served.post("/api/ask", {"question": ""}).status == 422
    assert served.post("/api/ask", {"question": "x" * 5000}).status == 422
    assert served.post("/api/ask", {"question": "Who?", "videos": ["vid_0"]}).status == 404
    assert served.post("/api/ask", {"question": "Who?", "videos": []}).status == 400
    assert served.post("/api/ask", {"question": "Who?", "budget": {"steps": 0}}).status == 422
    assert served.get("/api/jobs/job_0/events").status == 404


def test_a_failed_job_says_why(own: Served) -> None:
    job = own.post("/api/ask", {"question": QUESTION}).json()
    ended = own.finished(job["job_id"])
    assert ended["state"] == "failed"
    assert "no indexed videos" in ended["error"]
    assert own.ask("DELETE", f"/api/jobs/{job['job_id']}").status == 204
    assert own.get(f"/api/jobs/{job['job_id']}").status == 404


def test_a_run_can_be_replayed_without_a_model(served: Served, bakery: str) -> None:
    job_id = served.post("/api/ask", {"question": QUESTION, "videos": [bakery]}).json()["job_id"]
    trace_id = served.finished(job_id)["result"]["answer"]["trace_id"]
    again = served.post(f"/api/traces/{trace_id}/replay").json()
    assert again["trace_id"] == trace_id
    assert (again["identical"], again["difference"]) == (True, None)
    assert served.get("/api/traces?limit=5").json()[0]["question"] == QUESTION
    assert served.get(f"/api/traces/{trace_id}").json()["loop"] == "solver_checker"
    run = served.get(f"/api/traces/{trace_id}/run").json()
    assert (run["question"], run["video_ids"]) == (QUESTION, [bakery])
    assert run["events"][0]["kind"] == "started"
    assert run["proofs"][0]["moments"][0]["video_id"] == bakery
    assert served.get("/api/traces/20000101T000000Z-0/run").status == 404


def test_indexing_tells_its_stages_and_can_be_stopped(tmp_path: Path) -> None:
    need_models()
    film = make_sign(tmp_path / "long.mp4", "STATION", seconds=60)
    with open_quick(tmp_path / "home") as workspace, serving(workspace) as server:
        added = server.post("/api/videos", {"path": str(film)}).json()
        job_id = added["jobs"][0]["job_id"]
        assert server.post("/api/index", {"video": added["videos"][0]["video_id"]}).json()["job_id"] == job_id
        server.post(f"/api/jobs/{job_id}/cancel")
        assert server.finished(job_id)["state"] == "cancelled"
        again = server.post("/api/index", {"video": added["videos"][0]["video_id"]}).json()
        events = server.events(again["job_id"])
        assert events[-1][2]["state"] == "done"
        shown = [data["data"]["stages"] for _, kind, data in events if kind == "progress"]
        assert {"shots", "captions"} <= set(shown[-1])
        assert server.get("/api/search?q=station").json()["results"]


def test_a_stopped_server_goes_on_with_its_jobs(tmp_path: Path) -> None:
    need_models()
    film = make_sign(tmp_path / "film.mp4", "HARBOUR", seconds=30)
    home = tmp_path / "home"
    with open_quick(home) as workspace, serving(workspace) as server:
        added = server.post("/api/videos", {"path": str(film)}).json()
        video_id = added["videos"][0]["video_id"]
        asked = server.post("/api/ask", {"question": QUESTION, "videos": [video_id]}).json()
    with open_quick(home) as workspace:
        left = {row.state for row in workspace.store.jobs.page()[0]}
        assert left & {"queued", "running"}
        with serving(workspace) as server:
            assert server.finished(added["jobs"][0]["job_id"])["state"] == "done"
            ended = server.finished(asked["job_id"])
            assert "dog" in ended["result"]["answer"]["answer"]


def test_a_crash_of_the_work_ends_the_job_and_not_the_server(tmp_path: Path) -> None:
    need_models()
    film = make_sign(tmp_path / "film.mp4", "HARBOUR", seconds=120)
    others = job_processes()
    with open_quick(tmp_path / "home") as workspace, serving(workspace) as server:
        added = server.post("/api/videos", {"path": str(film)}).json()
        job_id = added["jobs"][0]["job_id"]
        wait_until(lambda: server.get(f"/api/jobs/{job_id}").json()["progress"] > 0)
        (worker,) = job_processes() - others
        os.kill(worker, signal.SIGKILL)
        ended = server.finished(job_id)
        assert ended["state"] == "failed"
        assert "ended in the middle" in ended["error"]
        again = server.post("/api/ask", {"question": QUESTION}).json()
        assert "no indexed videos" in server.finished(again["job_id"])["error"]
        assert len(job_processes() - others - {worker}) == 1
    assert job_processes() == others


def test_a_summary_has_chapters_and_is_made_once(served: Served, bakery: str) -> None:
    asked = {"video": bakery, "language": "zh"}
    job = served.post("/api/summarise", asked).json()
    found = served.finished(job["job_id"])["result"]["summary"]
    assert found["language"] == "zh"
    assert [(one["start_time"], one["end_time"]) for one in found["chapters"]] == [(0.0, 4.0)]
    assert served.post("/api/summarise", asked).json()["job_id"] == job["job_id"]
    assert served.post("/api/summarise", {"video": bakery}).json()["job_id"] != job["job_id"]
    assert served.post("/api/summarise", {"video": "vid_0"}).status == 404


def test_the_notes_of_a_video_are_read_ahead_once_at_a_time(served: Served, bakery: str) -> None:
    asked = {"video": bakery, "language": "zh"}
    job = served.post("/api/prepare", asked)
    assert job.status == 202
    ended = served.finished(job.json()["job_id"])
    # The tests' workspace reads by extraction, which has nothing to prepare.
    assert (ended["state"], ended["result"]) == ("done", {"is_read": False})
    assert served.post("/api/prepare", {"video": "vid_0"}).status == 404
