"""Figures of the server in Prometheus' text format: requests, their time, jobs and listeners."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from vidence import __version__
from vidence.app.guard import Asgi, Message, Receive, Scope, Send
from vidence.schema.jobs import ACTIVE
from vidence.web.state import ServerState

__all__ = ["RequestMeter", "exposition"]

_BUCKETS_S = (0.01, 0.03, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class RequestMeter:
    """ASGI middleware that counts requests by method and status, and times them to the first byte."""

    def __init__(self, app: Asgi) -> None:
        self._app = app
        self.counts: Counter[tuple[str, int]] = Counter()
        self.buckets: Counter[float] = Counter()
        self.seconds = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                took = time.perf_counter() - began
                self.seconds += took
                self.counts[scope["method"], message["status"]] += 1
                self.buckets.update([next((one for one in _BUCKETS_S if took <= one), float("inf"))])
            await send(message)

        await self._app(scope, receive, counted)


def exposition(state: ServerState, meter: RequestMeter | None) -> str:
    """Return every figure as text."""
    return "\n".join([*_server_lines(state), *(_request_lines(meter) if meter else ())]) + "\n"


def _server_lines(state: ServerState) -> Iterator[str]:
    yield "# TYPE vidence_info gauge"
    yield f'vidence_info{{version="{__version__}"}} 1'
    _, videos = state.workspace.store.catalogue.page(offset=0, limit=1)
    yield "# TYPE vidence_videos gauge"
    yield f"vidence_videos {videos}"
    states = [row.state for row in state.runner.all_active()]
    yield "# TYPE vidence_jobs_active gauge"
    for name in ACTIVE:
        yield f'vidence_jobs_active{{state="{name}"}} {states.count(name)}'
    yield "# TYPE vidence_jobs_total counter"
    for name in ("done", "failed", "cancelled"):
        _, total = state.workspace.store.jobs.page(states=(name,), limit=1)
        yield f'vidence_jobs_total{{state="{name}"}} {total}'
    yield "# TYPE vidence_event_streams gauge"
    yield f"vidence_event_streams {state.changes.followers}"


def _request_lines(meter: RequestMeter) -> Iterator[str]:
    yield "# TYPE vidence_requests_total counter"
    for (method, status), count in sorted(meter.counts.items()):
        yield f'vidence_requests_total{{method="{method}",status="{status}"}} {count}'
    yield "# TYPE vidence_first_byte_seconds histogram"
    seen = 0
    for bound in _BUCKETS_S:
        seen += meter.buckets[bound]
        yield f'vidence_first_byte_seconds_bucket{{le="{bound:g}"}} {seen}'
    total = sum(meter.counts.values())
    yield f'vidence_first_byte_seconds_bucket{{le="+Inf"}} {total}'
    yield f"vidence_first_byte_seconds_sum {meter.seconds:.6f}"
    yield f"vidence_first_byte_seconds_count {total}"
