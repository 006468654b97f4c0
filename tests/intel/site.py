"""A real web server on loopback whose answers a test scripts."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from vidence.intel.web.address import AddressRules
from vidence.intel.web.fetch import FetchLimits, HttpFetcher

__all__ = ["Answer", "Site", "article", "loopback_fetcher", "serve"]

LOOPBACK = AddressRules(allow_loopback=True)


def loopback_fetcher(**limits: float) -> HttpFetcher:
    """Return a fetcher that may reach servers of a test, which no user can have."""
    return HttpFetcher(FetchLimits(**limits), LOOPBACK)  # type: ignore[arg-type]


@dataclass
class Answer:
    """What the server sends."""

    body: bytes | str = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "text/html; charset=utf-8"
    chunks: Iterator[bytes] | None = None
    """Sent one by one instead of the body, with no length stated."""


Route = Answer | Callable[[int], Answer]
"""An answer, or a function of how often the path was asked for before."""


class Site:
    """Routes by path; what is asked for is counted."""

    def __init__(self, routes: dict[str, Route]) -> None:
        self.routes = routes
        self.asked: Counter[str] = Counter()
        self.agents: list[str] = []
        self.address = ""

    def answer(self, path: str, agent: str) -> Answer:
        self.agents.append(agent)
        number = self.asked[path]
        self.asked[path] += 1
        route = self.routes.get(path) or self.routes.get(path.partition("?")[0])
        if route is None:
            return Answer(b"not here", 404)
        return route(number) if callable(route) else route


@contextmanager
def serve(routes: Mapping[str, Route]) -> Iterator[Site]:
    """Serve the routes on a free port of loopback while the block runs."""
    site = Site(dict(routes))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = site.answer(self.path, self.headers.get("User-Agent", ""))
            body = answer.body.encode() if isinstance(answer.body, str) else answer.body
            try:
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.kind)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if answer.chunks is None:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                for chunk in answer.chunks or [body]:
                    self.wfile.write(chunk)
            except (BrokenPipeError, ConnectionResetError):
                return

        def do_CONNECT(self) -> None:
            site.asked[f"CONNECT {self.path}"] += 1
            self.send_error(502)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    site.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def article(title: str, *sentences: str, day: str = "2025-01-20") -> Answer:
    """Return a page as a newspaper would serve it."""
    text = "".join(f"<p>{sentence}</p>" for sentence in sentences)
    return Answer(
        f"<html><head><title>{title}</title><meta property='article:published_time' content='{day}'></head>"
        f"<body><nav>Home Contact</nav><article><h1>{title}</h1>{text}</article></body></html>"
    )
