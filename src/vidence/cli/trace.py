"""`vidence trace`: what runs did, shown and repeated."""

from __future__ import annotations

import re
import time
from datetime import datetime

import click

from vidence.app.narration import tell
from vidence.app.runs import TraceFolder, replay_trace
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.errors import FileProblem
from vidence.schema.trace import Trace

__all__ = ["trace"]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def trace() -> None:
    """List, show, replay and remove the traces of runs.

    \b
    Example:
      vidence trace list
      vidence trace replay last
    """


@trace.command("list")
@click.option(
    "-n", "--limit", default=20, show_default=True, type=click.IntRange(1), help="How many of the latest."
)
@_json
@pass_terminal
def list_traces(terminal: Terminal, limit: int, as_json: bool) -> None:
    """List the latest traces, the newest last."""
    rows = []
    for file in _folder(terminal).all()[-limit:]:
        try:
            rows.append((file, file.read()))
        except FileProblem as exc:
            terminal.note(str(exc))
    if as_json:
        terminal.json([{"trace_id": file.trace_id, **_summary(one)} for file, one in rows])
        return
    if not rows:
        terminal.note('There are no traces yet. Ask something: vidence ask my.mp4 "…"')
        return
    cells = []
    for file, one in rows:
        summary = _summary(one)
        cells.append((file.trace_id, one.engine, summary["steps"], one.question, summary["answer"]))
    terminal.table(("trace", "engine", "steps", "question", "answer"), cells, fold=("question", "answer"))


@trace.command()
@click.argument("reference", metavar="TRACE")
@_json
@pass_terminal
def show(terminal: Terminal, reference: str, as_json: bool) -> None:
    """Show what a run did, step by step; TRACE is an id, its beginning, or `last`."""
    file = _folder(terminal).find(reference)
    one = file.read()
    if as_json:
        terminal.json(one.model_dump(mode="json"))
        return
    started = datetime.fromtimestamp(one.started_at).strftime("%Y-%m-%d %H:%M:%S")
    terminal.line(f"{file.trace_id}  {started}  {one.engine}  {one.ended}")
    terminal.line(one.question)
    for event in one.events:
        line = tell(event, one.language)
        if line:
            terminal.line(f"{event.step:>3}{line}")
    if one.answer is not None:
        spent = one.answer.spent
        used = f"{spent.steps} steps, {spent.frames} frames, {spent.llm_calls} LLM calls"
        used = f"{used}, {spent.usage.total_tokens} tokens, {spent.seconds:g} s"
        terminal.line(f"{one.answer.answer}  {one.answer.confidence_score}/5  {used}")
    elif one.error:
        terminal.line(one.error)
    try:
        file.load()
    except FileProblem as exc:
        terminal.error(str(exc))
        raise click.exceptions.Exit(1) from exc


@trace.command()
@click.argument("reference", metavar="TRACE")
@_json
@pass_terminal
def replay(terminal: Terminal, reference: str, as_json: bool) -> None:
    """Run the loop of a trace again without any model; the result must be identical to the byte."""
    file = _folder(terminal).find(reference)
    began = time.perf_counter()
    result = replay_trace(file.load())
    seconds = round(time.perf_counter() - began, 3)
    if as_json:
        terminal.json(
            {
                "trace_id": file.trace_id,
                "identical": result.is_identical,
                "difference": result.difference or None,
                "seconds": seconds,
            }
        )
    elif result.is_identical:
        terminal.line(
            f"{file.trace_id}: identical ({len(result.trace.steps)} steps in {seconds:g} s, no model)"
        )
    else:
        terminal.error(f"{file.trace_id}: {result.difference}")
    if not result.is_identical:
        raise click.exceptions.Exit(1)


@trace.command()
@click.option("--older-than", required=True, metavar="AGE", help="Such as 30d, 12h or 2w.")
@_json
@pass_terminal
def remove(terminal: Terminal, older_than: str, as_json: bool) -> None:
    """Delete old traces; nothing else deletes them.

    \b
    Example:
      vidence trace remove --older-than 30d
    """
    gone = _folder(terminal).remove(older_than_s=_age(older_than))
    if as_json:
        terminal.json(gone)
    else:
        terminal.line(f"{len(gone)} removed")


def _folder(terminal: Terminal) -> TraceFolder:
    return TraceFolder(terminal.settings().home)


def _age(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw])", text.strip().lower())
    if match is None:
        raise click.UsageError(f"--older-than is {text!r}; write a number and s, m, h, d or w, such as 30d.")
    return float(match[1]) * _UNITS[match[2]]


def _summary(one: Trace) -> dict[str, object]:
    answer = one.answer
    return {
        "started_at": one.started_at,
        "question": one.question,
        "loop": one.loop,
        "engine": one.engine,
        "videos": [video.name for video in one.world.videos],
        "ended": one.ended,
        "steps": answer.spent.steps if answer else len(one.steps),
        "answer": answer.answer if answer else (one.error or one.ended),
        "confidence_score": answer.confidence_score if answer else None,
    }
