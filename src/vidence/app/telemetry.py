"""OpenTelemetry: every finished job as a span tree and as metrics, where an exporter is configured."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from vidence.app.jobs import JobRunner
from vidence.errors import MissingExtra, UnknownName
from vidence.schema.jobs import JobEvent, JobRow

__all__ = ["follow_jobs", "is_wanted"]

_ENDPOINTS = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
)
_STEPS = ("operation", "frames", "thinking", "answer", "checked", "failed", "thought")


def is_wanted() -> bool:
    """Return whether the usual variables name a collector."""
    return any(os.environ.get(name) for name in _ENDPOINTS)


def follow_jobs(runner: JobRunner) -> Callable[[], None]:
    """Export each job that ends from now on; return what flushes and stops that."""
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as exc:
        raise MissingExtra("Export to OpenTelemetry", "otel") from exc

    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", "vidence")})
    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    meters = MeterProvider(
        resource=resource, metric_readers=[PeriodicExportingMetricReader(OTLPMetricExporter())]
    )
    exporter = _Exporter(runner, tracers.get_tracer("vidence"), meters.get_meter("vidence"))
    unfollow = runner.follow(exporter.told)

    def stop() -> None:
        unfollow()
        tracers.shutdown()
        meters.shutdown()

    return stop


class _Exporter:
    """Writes a job that has ended as spans and figures, once."""

    def __init__(self, runner: JobRunner, tracer: Any, meter: Any) -> None:
        self._runner, self._tracer = runner, tracer
        self._done: set[str] = set()
        self._jobs = meter.create_counter("vidence.jobs", description="Jobs that ended, by kind and state.")
        self._seconds = meter.create_histogram("vidence.job.duration", unit="s")

    def told(self, job_id: str) -> None:
        try:
            row = self._runner.get(job_id)
        except UnknownName:
            return
        if row.is_active or job_id in self._done or row.started_at is None or row.ended_at is None:
            return
        self._done.add(job_id)
        facts = {"vidence.kind": row.kind, "vidence.state": row.state}
        self._jobs.add(1, facts)
        self._seconds.record(row.ended_at - row.started_at, facts)
        self._write(row, row.started_at, row.ended_at, facts)

    def _write(self, row: JobRow, started_s: float, ended_s: float, facts: dict[str, str]) -> None:
        from opentelemetry.trace import Status, StatusCode, set_span_in_context

        facts = {**facts, "vidence.job": row.job_id}
        begin = _nanoseconds(started_s)
        root = self._tracer.start_span(f"vidence.{row.kind}", start_time=begin, attributes=facts)
        inside = set_span_in_context(root)
        events = [one for one in self._runner.history(row.job_id) if one.kind in _STEPS]
        for event, following in pairwise([*events, None]):
            assert event is not None
            span = self._tracer.start_span(
                _name(event), context=inside, start_time=_nanoseconds(max(event.at, started_s))
            )
            span.end(end_time=_nanoseconds(following.at if following else ended_s))
        if row.state == "failed":
            root.set_status(Status(StatusCode.ERROR, row.error or ""))
        root.end(end_time=_nanoseconds(ended_s))


def _name(event: JobEvent) -> str:
    call = event.data.get("call")
    return f"operation {call['operation']}" if isinstance(call, dict) and "operation" in call else event.kind


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1e9)
