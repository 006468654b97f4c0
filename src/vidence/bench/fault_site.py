"""A web site on loopback that fails at every second request, and a monitor that is run against it.

`python -m vidence.bench.fault_site HOME ADDRESS` runs the monitor in a process of its own, to be killed.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from vidence.app.monitor import MonitorReport
from vidence.app.workspace import open_workspace
from vidence.intel.web.address import AddressRules
from vidence.intel.web.crawler import Crawler
from vidence.intel.web.fetch import FetchLimits, HttpFetcher
from vidence.schema.agent import Budget
from vidence.settings import load_settings

__all__ = ["COMMAND", "LOST", "FaultSite", "run_and_kill", "run_monitor", "serve_faults"]

COMMAND = "Monitor the Hangzhou reactor's latest developments"
_PAGES = 14
_BLOCKED, _CAPTCHA, _GONE = "/story/3", "/story/7", "/story/11"
"""Pages that never answer, each in its own way."""
LOST = (_BLOCKED, _CAPTCHA, _GONE)
_TIMEOUT_S = 1.0
_TOPICS = (
    "opening", "price", "licence", "turbine", "inspection", "budget", "grid", "crew", "fuel", "cooling",
    "export", "lawsuit", "training", "record",
)  # fmt: skip


class FaultSite:
    """Counts what is asked for, and decides how each request fails."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.faults = 0
        self.address = ""
        self._lock = threading.Lock()

    @property
    def requests(self) -> int:
        """How many requests came in."""
        return sum(self.asked.values())

    def fault(self, path: str) -> str:
        """Return how this request fails; "" for an answer. Every second request of a path fails."""
        with self._lock:
            number = self.asked[path]
            self.asked[path] += 1
            seed = zlib.crc32(path.encode())
            if path in LOST:
                self.faults += 1
                return {_BLOCKED: "403", _CAPTCHA: "captcha", _GONE: "410"}[path]
            if (number + seed) % 2:
                return ""
            self.faults += 1
            return ("429", "500", "403", "timeout", "garbage", "cut")[(seed // 2 + number // 2) % 6]

    def page(self, path: str) -> tuple[str, str]:
        """Return the content type and body of a path."""
        if path.startswith("/search"):
            rows = [
                {"url": f"{self.address}/story/{n}", "title": f"Reactor {_TOPICS[n]}"} for n in range(_PAGES)
            ]
            shift = zlib.crc32(path.encode()) % _PAGES
            return "application/json", json.dumps({"results": rows[shift:] + rows[:shift]})
        number = int(path.rpartition("/")[2])
        topic = _TOPICS[number]
        text = (
            f"<p>The Hangzhou reactor reported its {topic} on {number + 1} March 2025.</p>"
            f"<p>Engineers of the Hangzhou reactor said the {topic} cost {number + 10} million yuan.</p>"
        )
        return (
            "text/html; charset=utf-8",
            f"<html><title>Reactor {topic}</title><article>{text}</article></html>",
        )


@contextmanager
def serve_faults() -> Iterator[FaultSite]:
    """Serve the site on a free port of loopback while the block runs."""
    site = FaultSite()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/robots.txt":
                self.send_error(404)
                return
            try:
                self._answer(site.fault(self.path))
            except (BrokenPipeError, ConnectionResetError):
                return

        def _answer(self, fault: str) -> None:
            if fault == "timeout":
                time.sleep(_TIMEOUT_S * 2)
            elif fault == "garbage":
                self.wfile.write(b"\x00\xff\xfe nonsense\r\n")
            elif fault.isdigit():
                self.send_response(int(fault))
                self.send_header("Retry-After", "0")
                self.end_headers()
            else:
                kind, body = ("text/html", "<h1>captcha</h1>") if fault == "captcha" else site.page(self.path)
                data = body.encode()
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data[: len(data) // 2] if fault == "cut" else data)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def run_monitor(home: str, address: str, *, seconds: float | None = None) -> MonitorReport:
    """Run the monitor against the site, with short waits."""
    crawler = Crawler(
        HttpFetcher(FetchLimits(timeout_s=_TIMEOUT_S), AddressRules(allow_loopback=True)),
        sleep=lambda seconds: time.sleep(min(seconds, 0.02)),
        rng=random.Random(1),
    )
    settings = load_settings(home=home, llm={"tasks": {"reader": "embedded"}})
    with open_workspace(settings) as workspace:
        return workspace.monitor(
            COMMAND, sources=[f"searxng:{address}"], crawler=crawler, budget=Budget(seconds=seconds)
        )


def run_and_kill(home: Path, site: FaultSite, requests: int) -> None:
    """Run the monitor in a process of its own and kill it -9 after so many requests; it may end before."""
    words = [sys.executable, "-m", "vidence.bench.fault_site", str(home), site.address]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        goal = site.requests + requests
        while site.requests < goal and process.poll() is None:
            time.sleep(0.01)
        process.kill()


if __name__ == "__main__":
    sys.stdout.write(run_monitor(sys.argv[1], sys.argv[2]).markdown)
