"""`vidence bench tools`: what tools save, on videos and tasks they were not made from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from vidence.app import Workspace, open_workspace
from vidence.bench.report import output, print_json, print_table
from vidence.bench.shared import scratch_workspace, shared_folder
from vidence.bench.tool_tasks import broken_tools, load_bfcl, load_tau, replay_folds
from vidence.bench.tool_videos import Row, ToolBench
from vidence.errors import OpFailed, OpRetry

__all__ = ["command"]

_FOLDS = 5
_EXAMPLES: dict[str, dict[str, Any]] = {
    "locate_first_appearance": {"description": "person"},
    "count_occurrences": {
        "event_description": "walking",
        "example_segment": {"start_time": 0.5, "end_time": 2.5},
    },
    "locate_and_describe": {"thing": "person"},
    "count_contacts": {"first": "person", "second": "chair"},
    "state_before": {"event": "person", "who": "person", "query": "What is the person holding?"},
    "what_led_to": {"event": "person"},
    "who_said": {"words": "the"},
}
"""Inputs with which the built-in tools run on any video."""


@click.command()
@click.option("--home", type=click.Path(path_type=Path), help="A workspace with the clips indexed already.")
@click.option("--limit", default=1000, type=click.IntRange(4), help="The most questions (default: all).")
@click.option(
    "--timed",
    default=24,
    show_default=True,
    type=click.IntRange(1),
    help="Questions asked with a cold cache.",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep outcomes here; a stopped run goes on.",
)
@click.option("--no-videos", is_flag=True, help="Only the public tasks and the broken files.")
@click.option("--broken", default=5000, show_default=True, type=click.IntRange(1), help="Broken tool files.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    home: Path | None,
    limit: int,
    timed: int,
    keep: Path | None,
    no_videos: bool,
    broken: int,
    as_json: bool,
) -> None:
    """Measure tools: induced on half of the videos and used on the other half, beside controls."""
    shared = shared_folder()
    console = Console(stderr=True)
    told: dict[str, Any] = {"broken_files": broken_tools(broken)}
    induction = shared / "induction"
    bfcl = replay_folds(load_bfcl(induction), folds=_FOLDS, simulators=induction / "bfcl_simulators")
    tau = replay_folds(load_tau(induction), folds=2)
    told["bfcl"] = {**asdict(bfcl), "saved": round(bfcl.saved, 4)}
    told["tau"] = {**asdict(tau), "saved": round(tau.saved, 4)}
    if not no_videos:
        with _workspace(home) as workspace:
            told["examples"] = _examples(workspace, shared)
            kept = keep or workspace.settings.home / "bench-tools"
            bench = ToolBench(
                workspace, shared / "media", kept, lambda text: console.print(text, markup=False)
            )
            told["videos"] = [asdict(row) for row in bench.run(limit, timed)]
    out = output()
    if as_json:
        print_json(out, told)
        return
    print_table(out, "Broken tool files", ("outcome", "files"), list(told["broken_files"].items()))
    columns = ("tasks", "tools", "calls", "with tools", "saved", "same end state")
    rows = [
        (
            name,
            one.tasks,
            one.tools,
            one.calls,
            one.calls_with_tools,
            one.saved,
            f"{one.same_state}/{one.compared}",
        )
        for name, one in (("BFCL, 5 folds", bfcl), ("tau retail, 2 folds", tau))
    ]
    print_table(out, "Public tasks, replayed on tasks left out", ("set", *columns), rows)
    if not no_videos:
        print_table(out, "Built-in tools on real videos", ("tool", "ran"), list(told["examples"].items()))
        shown = [tuple(row.values()) for row in told["videos"]]
        print_table(out, "Videos left out, change against no tools", tuple(Row.__dataclass_fields__), shown)


@contextmanager
def _workspace(home: Path | None) -> Iterator[Workspace]:
    if home is None:
        with scratch_workspace() as workspace:
            yield workspace
    else:
        with open_workspace(home=home) as workspace:
            yield workspace


def _examples(workspace: Workspace, shared: Path) -> dict[str, str]:
    """Run each built-in tool on two clips; say on how many every step that had work answered."""
    clips = sorted((shared / "media" / "videos").iterdir())[:2]
    told: dict[str, str] = {}
    for name, inputs in _EXAMPLES.items():
        ran = 0
        for clip in clips:
            video_id = workspace.resolve(str(clip)).video_id
            try:
                workspace.run(name, {**inputs, "video_id": video_id}, may_write=False)
                ran += 1
            except (OpRetry, OpFailed):
                continue
        told[name] = f"{ran}/{len(clips)}"
    return told
