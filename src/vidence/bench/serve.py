"""`vidence bench serve`: latency and load of the web server, in a process of its own."""

from __future__ import annotations

import asyncio
import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from vidence.app import open_workspace
from vidence.bench.report import output, print_json, print_table
from vidence.errors import BackendError
from vidence.schema.catalogue import ContentId
from vidence.schema.media import MediaInfo, VideoStream

__all__ = ["Latency", "Load", "command", "fill_library"]

_ROUNDS = 60
_START_S = 120.0
_PATIENCE_S = 1800.0
_QUESTION = "What is said about the rocket?"


@dataclass(frozen=True)
class Latency:
    """The time to the first byte of one kind of request."""

    name: str
    limit_ms: float
    median_ms: float
    p95_ms: float

    @property
    def holds(self) -> bool:
        return self.p95_ms <= self.limit_ms


@dataclass(frozen=True)
class Load:
    """Many asks and listeners at once."""

    asks: int
    listeners: int
    answered: int
    lost_events: int
    """Events that a listener missed or got twice; 0 when all is well."""
    seconds: float


@click.command("serve")
@click.argument("video", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--asks", default=64, show_default=True, help="Questions sent at once.")
@click.option("--listeners", default=200, show_default=True, help="Streams of events that follow them.")
@click.option("--library", default=10_000, show_default=True, help="Videos of a made-up library.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(video: Path, asks: int, listeners: int, library: int, as_json: bool) -> None:
    """Measure the web server on VIDEO: first bytes, a large library, many asks and listeners.

    \b
    Example:
      vidence bench serve samples/vidence_sample.mp4
    """
    with tempfile.TemporaryDirectory(prefix="vidence-serve-") as folder:
        home = Path(folder) / "home"
        with open_workspace(home=home) as workspace:
            video_id = workspace.resolve(str(video)).video_id
            workspace.index(video_id)
        with _server(home) as port:
            rows = _latencies(port, video_id)
            load, busy = asyncio.run(_load(port, video_id, asks, listeners))
            rows += busy
        large = Path(folder) / "large"
        fill_library(large, library)
        with _server(large) as port:
            rows += _library_latencies(port, library)
    console = output()
    if as_json:
        print_json(console, {"latency": [asdict(row) for row in rows], "load": asdict(load)})
        return
    cells = [
        (one.name, one.limit_ms, one.median_ms, one.p95_ms, "yes" if one.holds else "no") for one in rows
    ]
    print_table(console, "First byte, ms", ("request", "limit", "median", "p95", "holds"), cells)
    console.print(
        f"{load.asks} asks at once, {load.listeners} listeners: {load.answered} answered, "
        f"{load.lost_events} events lost, {load.seconds:.1f} s"
    )


def fill_library(home: Path, count: int) -> None:
    """Write the metadata of `count` made-up videos, whose files do not exist."""
    with open_workspace(home=home) as workspace, workspace.store.unit_of_work():
        for number in range(count):
            path = home / "films" / f"lecture {number:05d}.mp4"
            stream = VideoStream(
                index=0, codec="h264", width=1280, height=720, coded_width=1280, coded_height=720,
                fps=Fraction(25), num_frames=15_000, duration_s=600.0,
            )  # fmt: skip
            info = MediaInfo(path=path, container="mp4", size_bytes=10**7, duration_s=600.0, video=stream)
            sha256 = f"{number:016x}{0:048x}"
            content = ContentId(f"vid_{number:016x}", sha256, 10**7, 0)
            workspace.store.catalogue.add(path, info, content)


@contextmanager
def _server(home: Path) -> Iterator[int]:
    code = "from vidence.cli import main; main()"
    command = [sys.executable, "-c", code, "--home", str(home), "serve", "--port", "0", "--no-open"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        if "vidence is at" not in line:
            raise BackendError(f"The server did not start: {line.strip()}")
        port = int(line.split()[3].rpartition(":")[2])
        deadline = time.monotonic() + _START_S
        while True:
            try:
                _get(port, "/healthz")
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise BackendError("The server does not answer.") from None
                time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def _get(port: int, path: str, headers: dict[str, str] | None = None) -> float:
    """Return the milliseconds to the first byte of a request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.connect()
        began = time.perf_counter()
        connection.request("GET", path, headers=headers or {})
        reply = connection.getresponse()
        reply.read(1)
        took = (time.perf_counter() - began) * 1000
        if reply.status >= 400:
            raise BackendError(f"{path} answered {reply.status}.")
        reply.read()
        return took
    finally:
        connection.close()


def _measure(name: str, limit_ms: float, ask: Callable[[int], float]) -> Latency:
    ask(0)
    taken = sorted(ask(number) for number in range(_ROUNDS))
    p95 = taken[int(len(taken) * 0.95)]
    return Latency(name, limit_ms, round(statistics.median(taken), 2), round(p95, 2))


def _promised(port: int, video_id: str, when: str = "") -> list[Latency]:
    """Measure what has a limit to keep at any time."""
    base = f"/api/videos/{video_id}"

    def seek(number: int) -> float:
        return _get(port, f"{base}/file", {"Range": f"bytes={number * 9973}-"})

    return [
        _measure(f"page{when}", 50, lambda _: _get(port, "/")),
        _measure(f"thumbnail{when}", 30, lambda n: _get(port, f"{base}/thumbnail?t={n % 40}")),
        _measure(f"seek{when}", 200, seek),
    ]


def _latencies(port: int, video_id: str) -> list[Latency]:
    base = f"/api/videos/{video_id}"
    return [
        *_promised(port, video_id),
        _measure("exact frame", 500, lambda n: _get(port, f"{base}/frame?t={n % 40}.5&side=640")),
        _measure("lanes", 200, lambda _: _get(port, f"{base}/lanes")),
    ]


def _library_latencies(port: int, count: int) -> list[Latency]:
    name = f"library of {count:,}"
    return [
        _measure(f"{name}: page", 200, lambda n: _get(port, f"/api/videos?offset={n * 97}&limit=60")),
        _measure(f"{name}: filter", 200, lambda n: _get(port, f"/api/videos?query=lecture%200{n:03d}")),
    ]


async def _load(port: int, video_id: str, asks: int, listeners: int) -> tuple[Load, list[Latency]]:
    """Send all questions at once, follow each with several listeners, and measure what waits beside them."""
    began = time.monotonic()
    body = {"question": _QUESTION, "videos": [video_id]}
    jobs = await asyncio.gather(*(_post(port, "/api/ask", body) for _ in range(asks)))
    ids = [job["job_id"] for job in jobs]
    following = asyncio.gather(*(_follow(port, ids[number % asks]) for number in range(listeners)))
    busy = await asyncio.to_thread(_promised, port, video_id, f", {asks} asks running")
    heard = await following
    answered = set()
    lost = 0
    for numbers, ended in heard:
        lost += numbers != list(range(1, len(numbers) + 1))
        if ended.get("state") == "done":
            answered.add(ended["job_id"])
    return Load(asks, listeners, len(answered), lost, round(time.monotonic() - began, 1)), busy


async def _post(port: int, path: str, body: dict[str, Any]) -> dict[str, Any]:
    data = json.dumps(body).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode() + data)
    reply = await asyncio.wait_for(reader.read(), _PATIENCE_S)
    writer.close()
    found: dict[str, Any] = json.loads(reply.partition(b"\r\n\r\n")[2])
    return found


async def _follow(port: int, job_id: str) -> tuple[list[int], dict[str, Any]]:
    """Return the numbers of all events of a job, and the job as it ended."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    head = f"GET /api/jobs/{job_id}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    writer.write(f"{head}Connection: close\r\n\r\n".encode())
    numbers: list[int] = []
    is_end = False
    while line := await asyncio.wait_for(reader.readline(), _PATIENCE_S):
        text = line.decode(errors="replace").rstrip()
        if text.startswith("id: "):
            numbers.append(int(text[4:]))
        elif text == "event: end":
            is_end = True
        elif is_end and text.startswith("data: "):
            writer.close()
            return numbers, json.loads(text[6:])
    return numbers, {}
