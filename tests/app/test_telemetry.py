"""Finished jobs reach a collector as spans and metrics."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.processes import wait_until
from vidence.app import open_workspace
from vidence.app.jobs import JobRunner
from vidence.app.telemetry import follow_jobs, is_wanted


@pytest.fixture
def collector() -> Iterator[tuple[str, dict[str, bytes]]]:
    """A server that keeps what is posted, by path."""
    kept: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kept[self.path] = kept.get(self.path, b"") + self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", kept
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_job_that_failed_is_exported(
    collector: tuple[str, dict[str, bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, kept = collector
    assert not is_wanted()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    assert is_wanted()
    with open_workspace(home=tmp_path) as workspace:
        with JobRunner(workspace) as runner:
            stop = follow_jobs(runner)
            job = runner.submit("ask", {"question": "Who?"})
            wait_until(lambda: not runner.get(job.job_id).is_active)
        # By now the runner's threads have told everything.
        stop()
    assert b"vidence.ask" in kept["/v1/traces"]
    assert b"no indexed videos" in kept["/v1/traces"]
    assert b"vidence.jobs" in kept["/v1/metrics"]
