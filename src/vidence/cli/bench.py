"""`vidence bench NAME`: measurements, each beside a peer or a limit in the same run."""

from __future__ import annotations

import click

from vidence.cli.main import LazyGroup

__all__ = ["bench"]

# Named, not imported: `bench` is a neighbour, and its libraries are heavy.
_BENCHMARKS = {
    "shots": ("vidence.bench.shots:command", "Compare shot detectors on real clips and on a stress suite."),
    "index": ("vidence.bench.index:command", "Time indexing against real time and pure decoding."),
    "vision": ("vidence.bench.vision:command", "Measure objects, colours, camera motion and activities."),
    "tracking": ("vidence.bench.tracking:command", "Compare trackers of people on three annotated clips."),
    "speech": ("vidence.bench.speech:command", "Measure word errors, word times, speed and invented text."),
    "scene": ("vidence.bench.scene:command", "Measure location, time of day, weather and lighting."),
    "videosearch": ("vidence.bench.videosearch:command", "Measure hit@k of searching by real questions."),
    "search": ("vidence.bench.search:command", "Time exact vector search against faiss-flat."),
    "memory": ("vidence.bench.memory:command", "Measure memory retrieval on four public sets."),
    "serve": ("vidence.bench.serve:command", "Measure the web server: first bytes, many asks and listeners."),
    "tools": ("vidence.bench.tools:command", "Measure what induced tools save, beside controls."),
    "story": ("vidence.bench.story:command", "Measure stories: speakers, relations, answers, the grader."),
    "topics": ("vidence.bench.topics:command", "Measure the monitor: search, reports, critic, faults."),
    "ask": ("vidence.bench.ask:command", "Measure answers to EgoSchema, NExT-QA and open questions."),
}


@click.group(cls=LazyGroup, rows=_BENCHMARKS)
def bench() -> None:
    """Compare vidence with its peers on real media.

    \b
    Example:
      vidence bench shots
    """
