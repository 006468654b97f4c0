"""`vidence bench ask`: an engine's answers beside simple baselines on the same questions; resumable."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import get_args

import click
import numpy as np

from vidence.agents.solver_checker.loop import run_video_agent
from vidence.app import Workspace, open_workspace
from vidence.app.ask import ask
from vidence.app.engines import open_engine, open_reader
from vidence.bench.ask_report import Summary, print_summary, summarise, write_plot
from vidence.bench.ask_rows import AskRow, RowFile, read_rows, row_of
from vidence.bench.ask_sets import (
    CHOICE_SETS,
    OPEN_SETS,
    ChoiceItem,
    OpenItem,
    Rules,
    SetName,
    load_choices,
    load_open,
    load_rules,
)
from vidence.bench.report import output, print_json
from vidence.bench.shared import shared_folder
from vidence.embedded.choice.captions import Embed, VectorCache, content_words, gather
from vidence.embedded.choice.features import bm25
from vidence.embedded.choice.score import score_options
from vidence.embedded.skills import embedded_skills
from vidence.llm.embedded import EmbeddedEngine
from vidence.llm.protocol import Engine
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import Budget

__all__ = ["command"]

_EVERY_S = 5.0
_EMBEDDED = "embedded"
FLOORS = ("random", "longest", "bm25", "question-blind", "video-blind")
"""Simple baselines; an engine should choose better than all of them."""


@dataclass(frozen=True)
class _Plan:
    """The engine, its budget and the questions to ask."""

    workspace: Workspace
    engine: Engine
    reader: Engine
    embed: VectorCache
    budget: Budget
    limit: int | None
    fresh: bool
    folder: Path | None
    """Folder of the sets, where it is not the shared one."""


@click.command("ask")
@click.argument(
    "names", nargs=-1, type=click.Choice(get_args(SetName)), metavar="[egoschema|nextqa|videoqa|media2]…"
)
@click.option("--engine", help="Engine, as provider:model (default: from the settings).")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first N questions of each set.")
@click.option("--frames-budget", type=click.IntRange(min=1), help="Maximum number of frames for a question.")
@click.option("--seconds", type=click.FloatRange(min=1), help="Maximum seconds for a question.")
@click.option("--against", type=click.Path(path_type=Path), help="Rows of another run to compare with.")
@click.option("--fresh", is_flag=True, help="Start again instead of continuing the last run.")
@click.option("--eval", "folder", type=click.Path(path_type=Path), help="Folder of the caption sets.")
@click.option("--json", "as_data", is_flag=True, help="Print JSON.")
def command(
    names: tuple[SetName, ...],
    engine: str | None,
    limit: int | None,
    frames_budget: int | None,
    seconds: float | None,
    against: Path | None,
    fresh: bool,
    folder: Path | None,
    as_data: bool,
) -> None:
    """Ask EgoSchema and NExT-QA (captions as memory) and open questions about real clips.

    Answers are saved line by line in the workspace; the same command continues where it stopped.

    \b
    Example:
      vidence bench ask egoschema --frames-budget 8
    """
    console = output()
    # From the group's option: `vidence --home DIR bench ask …`.
    home: Path | None = click.get_current_context().find_root().params.get("home")
    with open_workspace(home=home) as workspace:
        embed = VectorCache(lambda texts: workspace.indexer.shelf.text.embed(texts))
        chosen = _engine(workspace, engine, embed)
        plan = _Plan(
            workspace=workspace,
            engine=chosen,
            reader=open_reader(workspace, chosen),
            embed=embed,
            budget=Budget(frames=frames_budget, seconds=seconds),
            limit=limit,
            fresh=fresh,
            folder=folder,
        )
        summaries = [one for name in names or CHOICE_SETS for one in _measure(name, plan, against)]
    if as_data:
        print_json(console, [asdict(summary) for summary in summaries])
        return
    for summary in summaries:
        print_summary(console, summary)


def _engine(workspace: Workspace, name: str | None, embed: VectorCache) -> Engine:
    """Open an engine; the embedded one shares its vectors with the floors, which halves the time."""
    if (name or workspace.settings.llm.engine) == _EMBEDDED:
        return EmbeddedEngine(embedded_skills(embed))
    return open_engine(workspace, name)


def _measure(name: SetName, plan: _Plan, against: Path | None) -> list[Summary]:
    """Return the figures of a set; clips whose questions are only scored are reported apart, in totals."""
    frames = plan.budget.frames
    read_by = plan.reader.name if name in CHOICE_SETS and plan.reader is not plan.engine else ""
    words = [name, plan.engine.name, read_by, f"{frames}frames" if frames else ""]
    file = RowFile.named(plan.workspace.settings.home / "bench" / "ask", words, fresh=plan.fresh)
    spans: dict[str, Sequence[tuple[float, float]]] = {}
    hidden: set[str] = set()
    if name in OPEN_SETS:
        media = shared_folder() / OPEN_SETS[name]
        asked = load_open(media)[: plan.limit]
        hidden = {item.item_id for item in asked if item.is_hidden}
        rows = _kept(file, _open_questions(asked, media, plan))
    else:
        items = load_choices(name, plan.folder or shared_folder() / "eval")[: plan.limit]
        spans = {item.item_id: item.spans for item in items}
        rows = _kept(file, _choices(items, plan))
    write_plot(rows, f"{name}, {plan.engine.name}", file.path.with_suffix(".svg"))
    click.echo(f"rows and reliability plot: {file.path} and .svg", err=True)
    rivals = _rivals(rows)
    if against is not None:
        rivals[against.stem] = {key: row.right for key, row in read_rows(against).items()}
    shown = [row for row in rows if row.item_id not in hidden]
    found = [summarise(name, plan.engine.name, shown, spans=spans, against=rivals)] if shown else []
    if hidden:
        unread = [row.model_copy(update={"kind": "all"}) for row in rows if row.item_id in hidden]
        found.append(summarise(f"{name}, unread clips", plan.engine.name, unread, spans={}, against={}))
    return found


def _kept(file: RowFile, work: Sequence[tuple[str, Callable[[], AskRow]]]) -> list[AskRow]:
    """Answer the questions that have no row yet, printing progress now and then."""
    rows, told = [], time.monotonic()
    if known := sum(file.get(item_id) is not None for item_id, _ in work):
        # The engine may have changed since.
        click.echo(f"{known} of {len(work)} answers are from an earlier run; --fresh asks again.", err=True)
    for number, (item_id, answer) in enumerate(work, 1):
        row = file.get(item_id)
        if row is None:
            row = answer()
            file.add(row)
        rows.append(row)
        if time.monotonic() - told > _EVERY_S:
            told = time.monotonic()
            click.echo(f"{number}/{len(work)}: {sum(one.right for one in rows)} right", err=True)
    return rows


def _choices(items: Sequence[ChoiceItem], plan: _Plan) -> list[tuple[str, Callable[[], AskRow]]]:
    return [(item.item_id, partial(_choice, item, plan)) for item in items]


def _choice(item: ChoiceItem, plan: _Plan) -> AskRow:
    world = CaptionWorld(item.video.units, videos=(item.video.card,), embed=plan.embed)
    began = time.perf_counter()
    answer = run_video_agent(
        item.question,
        world=world,
        engine=plan.engine,
        reader=plan.reader,
        options=item.distinct,
        budget=plan.budget,
    )
    took = time.perf_counter() - began
    floors = dict(_floors_of(item, plan.embed))
    right = answer.option is not None and item.is_right(item.distinct[answer.option])
    return row_of(item.item_id, item.kind, answer, right=right, seconds=took, floors=floors)


def _open_questions(
    items: Sequence[OpenItem], media: Path, plan: _Plan
) -> list[tuple[str, Callable[[], AskRow]]]:
    rules = load_rules(media)
    return [(item.item_id, partial(_open, item, rules, plan)) for item in items]


def _open(item: OpenItem, rules: Rules, plan: _Plan) -> AskRow:
    began = time.perf_counter()
    answer = ask(
        plan.workspace,
        [str(item.video)],
        item.question,
        engine=plan.engine,
        budget=plan.budget,
        remember=False,  # A remembered answer would help with the next question about the clip.
    )
    took = time.perf_counter() - began
    right = bool(rules(item.check, answer.answer))
    return row_of(
        item.item_id, item.kind, answer, right=right, seconds=took, floors={}, is_hidden=item.is_hidden
    )


def _rivals(rows: Sequence[AskRow]) -> dict[str, Mapping[str, bool]]:
    return {
        floor: {row.item_id: row.floors[floor] for row in rows if floor in row.floors}
        for floor in FLOORS
        if any(floor in row.floors for row in rows)
    }


def _floors_of(item: ChoiceItem, embed: Embed) -> Mapping[str, bool]:
    """Return for each floor whether it chooses the right option."""
    chosen = {
        "random": random.Random(item.item_id).randrange(len(item.options)),
        "longest": max(range(len(item.options)), key=lambda index: len(item.options[index])),
        "bm25": _by_words(item, embed),
        "question-blind": score_options("", item.options, item.video.units, embed).best,
        "video-blind": _by_question(item, embed),
    }
    return {name: choice == item.answer for name, choice in chosen.items()}


def _by_words(item: ChoiceItem, embed: Embed) -> int:
    """Choose the option whose words have the best BM25, averaged over the captions."""
    evidence = gather(item.video.units, embed)
    if evidence is None:
        return 0
    return int(np.argmax([bm25(content_words(option), evidence).mean() for option in item.options]))


def _by_question(item: ChoiceItem, embed: Embed) -> int:
    """Choose the option nearest in meaning to the question, without any caption."""
    vectors = np.asarray(embed([item.question, *item.options]), np.float32)
    return int((vectors[1:] @ vectors[0]).argmax())
