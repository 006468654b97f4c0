"""The rows: every benchmark by name, each a click command in its own file under bench/."""

from __future__ import annotations

from vidence.registry import Registry

__all__ = ["BENCHMARKS"]

BENCHMARKS = Registry(
    "benchmark",
    {
        "shots": "vidence.bench.shots:command",
        "index": "vidence.bench.index:command",
        "vision": "vidence.bench.vision:command",
        "tracking": "vidence.bench.tracking:command",
        "speech": "vidence.bench.speech:command",
        "scene": "vidence.bench.scene:command",
        "videosearch": "vidence.bench.videosearch:command",
        "search": "vidence.bench.search:command",
        "memory": "vidence.bench.memory:command",
        "ask": "vidence.bench.ask:command",
    },
    group="vidence.benchmarks",
)
