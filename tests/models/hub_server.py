"""A model hub on the loopback: it lists a folder's files and hands them out, as the real one does."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "c" * 40


class HubServer(ThreadingHTTPServer):
    """Serves one repository, `maker/tiny`, from a folder."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.commit = COMMIT
        self.asked: list[str] = []
        self.broken: set[str] = set()
        """Names that are refused."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: HubServer

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        path = self.path.partition("?")[0]
        self.server.asked.append(path)
        if path.startswith("/api/models/maker/tiny"):
            revision = path.partition("/revision/")[2]
            if revision not in ("", "main", "v1", self.server.commit):
                self._send(404, b"{}", {"X-Error-Code": "RevisionNotFound"}, with_body)
                return
            files = sorted(p for p in self.server.folder.rglob("*") if p.is_file())
            names = [{"rfilename": p.relative_to(self.server.folder).as_posix()} for p in files]
            told = {"id": "maker/tiny", "modelId": "maker/tiny", "sha": self.server.commit, "siblings": names}
            self._send(200, json.dumps(told).encode(), {"Content-Type": "application/json"}, with_body)
            return
        name = path.removeprefix(f"/maker/tiny/resolve/{self.server.commit}/")
        file = self.server.folder / name
        if name == path or not file.is_file():
            self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"}, with_body)
        elif name in self.server.broken:
            self._send(403, b"not now", {}, with_body)
        else:
            body = file.read_bytes()
            mark = {"ETag": f'"{hashlib.sha256(body).hexdigest()}"', "X-Repo-Commit": self.server.commit}
            self._send(200, body, mark, with_body)

    def _send(self, status: int, body: bytes, headers: dict[str, str], with_body: bool) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[HubServer]:
    """Run the hub for a while."""
    server = HubServer(folder)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
