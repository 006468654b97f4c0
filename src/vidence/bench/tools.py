"""`vidence bench tools`: what tools save, on videos and tasks they were not made from."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from vidence.app import Workspace, open_workspace
from vidence.app.ask import ask
from vidence.app.engines import open_engine
from vidence.app.runs import TraceFolder
from vidence.app.tool_admission import (
    Cost,
    ask_measured,
    compare,
    episode_of,
    serves,
    verify,
    with_library,
)
from vidence.bench.ask_sets import OpenItem, Rules, load_open, load_rules
from vidence.bench.report import print_json, print_table
from vidence.bench.shared import scratch_workspace, shared_folder
from vidence.bench.tool_tasks import broken_tools, load_bfcl, load_tau, replay_folds
from vidence.errors import OpFailed, OpRetry
from vidence.llm.protocol import Engine
from vidence.schema.agent import AgentAnswer
from vidence.tools import Tool
from vidence.tools.induction import Episode, PastCall, find_tools
from vidence.tools.library import Admission

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


@dataclass(frozen=True)
class Row:
    """One way to use tools, against the same questions without them."""

    way: str
    tools: int
    questions: int
    calls: float
    tokens: float
    seconds: float
    right_before: int
    right_after: int


@click.command()
@click.option("--home", type=click.Path(path_type=Path), help="A workspace with the clips indexed already.")
@click.option("--limit", default=24, show_default=True, type=click.IntRange(4), help="Questions in all.")
@click.option("--no-videos", is_flag=True, help="Only the public tasks and the broken files.")
@click.option("--broken", default=5000, show_default=True, type=click.IntRange(1), help="Broken tool files.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(home: Path | None, limit: int, no_videos: bool, broken: int, as_json: bool) -> None:
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
            told["videos"] = [asdict(row) for row in _videos(workspace, shared, limit, console)]
    out = Console()
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


def _videos(workspace: Workspace, shared: Path, limit: int, console: Console) -> list[Row]:
    """Induce on half of the videos and ask about the other half, with the tools and with controls."""
    items = _spread(load_open(shared / "media"), limit)
    rules = load_rules(shared / "media")
    clips = sorted({item.video for item in items})
    learned = set(clips[::2])
    engine = open_engine(workspace, "embedded")
    learning = [
        episode
        for item in items
        if item.video in learned and (episode := _episode(workspace, item, engine)) is not None
    ]
    checks = {item.question: item for item in items}
    asked: list[tuple[Episode, Cost]] = []
    for item in (one for one in items if one.video not in learned):
        console.print(f"without tools: {item.question}")
        asked.append(_measured(workspace, item, engine))
    found = [one for one in find_tools(learning) if not verify(workspace, one)]
    used = [one.tool for one in found if any(serves(one.tool, episode) for episode, _ in asked)]
    ways: dict[str, list[Tool]] = {
        "induced": used,
        "control: random macros": [one.tool for one in find_tools(_random(learning))],
        "control: shuffled traces": [one.tool for one in find_tools(_shuffled(learning))],
    }
    rows = []
    for way, tools in ways.items():
        console.print(f"{way}: {len(tools)} tools")
        other = with_library(workspace, tools)
        pairs = [(cost, ask_measured(other, one, engine, tools=tools)) for one, cost in asked]
        rows.append(_row(way, tools, compare(pairs, num_videos=0, judge=_judge(rules, checks))))
    warm = [(cost, _warm(workspace, one, engine)) for one, cost in asked]
    rows.append(_row("control: cache only", [], compare(warm, num_videos=0, judge=_judge(rules, checks))))
    return rows


def _spread(items: Sequence[OpenItem], limit: int) -> list[OpenItem]:
    """Return some of the items, spread over all videos."""
    by_video: dict[Path, list[OpenItem]] = {}
    for item in items:
        by_video.setdefault(item.video, []).append(item)
    rounds = [
        [row[place] for row in by_video.values() if place < len(row)]
        for place in range(max(map(len, by_video.values())))
    ]
    return [item for one in rounds for item in one][:limit]


def _episode(workspace: Workspace, item: OpenItem, engine: Engine) -> Episode | None:
    answer = ask(workspace, [str(item.video)], item.question, engine=engine, remember=False)
    return _traced(workspace, answer)


def _traced(workspace: Workspace, answer: AgentAnswer) -> Episode | None:
    return episode_of(TraceFolder(workspace.settings.home).find(str(answer.trace_id)).read())


def _measured(workspace: Workspace, item: OpenItem, engine: Engine) -> tuple[Episode, Cost]:
    video_id = workspace.resolve(str(item.video)).video_id
    # Asked once before, so that models are loaded and every way is measured alike.
    known = _episode(workspace, item, engine) or Episode(item.question, video_id, ())
    return known, ask_measured(workspace, known, engine, tools=())


def _warm(workspace: Workspace, episode: Episode, engine: Engine) -> Cost:
    ask(workspace, [episode.source], episode.question, engine=engine, remember=False)
    return ask_measured(workspace, episode, engine, tools=(), is_cold=False)


def _random(episodes: Sequence[Episode]) -> list[Episode]:
    """Return episodes of calls drawn at random from all calls."""
    chooser = random.Random(1)
    calls = [call for one in episodes for batch in one.batches for call in batch]
    return [replace(one, batches=(tuple(chooser.sample(calls, min(4, len(calls)))),)) for one in episodes]


def _shuffled(episodes: Sequence[Episode]) -> list[Episode]:
    """Return the episodes with every call moved to another one, so that nothing belongs together."""
    chooser = random.Random(2)
    calls: list[PastCall] = [call for one in episodes for batch in one.batches for call in batch]
    chooser.shuffle(calls)
    taken = iter(calls)
    return [
        replace(one, batches=tuple(tuple(next(taken) for _ in batch) for batch in one.batches))
        for one in episodes
    ]


def _judge(rules: Rules, checks: dict[str, OpenItem]) -> Any:
    return lambda question, answer: bool(rules(checks[question].check, answer.answer))


def _row(way: str, tools: Sequence[Tool], admission: Admission) -> Row:
    def change(pair: tuple[float, float]) -> float:
        return round(pair[1] / pair[0] - 1, 4) if pair[0] else 0.0

    return Row(
        way,
        len(tools),
        admission.questions,
        change(admission.calls),
        change(admission.tokens),
        change(admission.seconds),
        *admission.right,
    )
