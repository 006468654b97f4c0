"""Traces: one file a run, complete enough to repeat it to the byte."""

from vidence.runs.trace.files import TraceFile, TraceFolder, trace_hash

__all__ = ["TraceFile", "TraceFolder", "trace_hash"]
