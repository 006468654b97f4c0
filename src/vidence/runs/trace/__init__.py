"""Records of runs: written as they happen, kept as one file each, and good enough to repeat a run."""

from vidence.runs.trace.files import TraceFile, TraceFolder, trace_hash
from vidence.runs.trace.recorder import Recorder

__all__ = ["Recorder", "TraceFile", "TraceFolder", "trace_hash"]
