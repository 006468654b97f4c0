"""A real server on loopback over a small library, and a plain client."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import make_sign, need_models
from vidence.app import Workspace, load_settings, open_workspace
from vidence.web.server import ServeOptions, page_server

PATIENCE_S = 240.0


def open_quick(home: Path) -> Workspace:
    """Open a workspace whose notes are read by extraction: as fast on a busy machine as on an idle one."""
    return open_workspace(load_settings(home=home, llm={"tasks": {"reader": "embedded"}}))


@dataclass
class Reply:
    """What a server answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Served:
    """A running server."""

    port: int
    workspace: Workspace
    headers: dict[str, str] = field(default_factory=dict)
    trusted: ssl.SSLContext | None = None
    """For https: the certificates a client trusts."""

    @property
    def address(self) -> str:
        return f"{'https' if self.trusted else 'http'}://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        """Send one request; a body that is not bytes is sent as JSON."""
        sent = {"host": f"127.0.0.1:{self.port}", **self.headers}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("content-type", "application/json")
        connection = (
            http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE_S, context=self.trusted)
            if self.trusted
            else http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        )
        try:
            connection.request(method, path, data, sent)
            found = connection.getresponse()
            told = {name.lower(): value for name, value in found.getheaders()}
            return Reply(found.status, told, found.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Reply:
        return self.ask("POST", path, {} if body is None else body, **headers)

    def events(self, job_id: str, **headers: str) -> list[tuple[int | None, str, dict[str, Any]]]:
        """Follow a job to its end."""
        return parse_events(self.get(f"/api/jobs/{job_id}/events", **headers).body.decode())

    def finished(self, job_id: str) -> dict[str, Any]:
        """Wait until a job has ended and return it."""
        found: dict[str, Any] = self.events(job_id)[-1][2]
        return found


def parse_events(text: str) -> list[tuple[int | None, str, dict[str, Any]]]:
    """Return the server-sent events of a text as (number, kind, data)."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            number = int(fields["id"]) if "id" in fields else None
            found.append((number, fields["event"], json.loads(fields["data"])))
    return found


@contextmanager
def serving(workspace: Workspace, options: ServeOptions | None = None) -> Iterator[Served]:
    """Run a server in a thread; the options' port is ignored."""
    server = page_server(workspace, options or ServeOptions())
    thread = threading.Thread(target=server.run)
    thread.start()
    deadline = time.monotonic() + PATIENCE_S
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    try:
        yield Served(server.servers[0].sockets[0].getsockname()[1], workspace)
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)


Serve = Callable[..., Any]


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over one indexed film that shows BAKERY."""
    need_models()
    folder = tmp_path_factory.mktemp("served")
    with open_quick(folder / "home") as workspace:
        workspace.index(make_sign(folder / "bakery.mp4", "BAKERY", seconds=4))
        with serving(workspace) as server:
            yield server


@pytest.fixture(scope="session")
def bakery(served: Served) -> str:
    """The id of that film."""
    found: str = served.workspace.videos()[0].video_id
    return found


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Served]:
    """A server over an empty workspace."""
    with open_quick(tmp_path / "home") as workspace, serving(workspace) as server:
        yield server
