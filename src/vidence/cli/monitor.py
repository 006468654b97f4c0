"""`vidence monitor`: look into a topic, once or again and again, and see what changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import date, datetime
from pathlib import Path

import click

from vidence.app.monitor import MonitorOptions, MonitorReport, monitor_every, reports, stop_monitor
from vidence.app.narration import Narrator
from vidence.app.topics import run_tool
from vidence.cli.ask import engine_option, parse_budget
from vidence.cli.main import DefaultGroup
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.schema.agent import Budget
from vidence.schema.events import Listener, StepEvent, StepFailed, Thought, Working

__all__ = ["monitor"]

_SPAN = re.compile(r"^(\d+(?:\.\d+)?)\s*([smhdw])$")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


@click.group(cls=DefaultGroup, default="run", context_settings={"ignore_unknown_options": True})
def monitor() -> None:
    """Look into a topic and get a briefing whose every sentence names its source.

    \b
    Examples:
      vidence monitor "Monitor DeepSeek's latest developments" --sources news/
      vidence monitor 关注深度求索的最新动态 --sources news/ --since 2025-01-01
      vidence monitor list
    """


@monitor.command("run")
@click.argument("command")
@click.option(
    "--sources",
    "-s",
    multiple=True,
    metavar="SOURCE",
    help="Folder, file, feed, archive or search service; repeat.",
)
@click.option("--since", metavar="DAY", help="Only pages from this day on: 2025-01-01, or 7d for a week.")
@click.option(
    "--max-steps", type=click.IntRange(1, 100), default=10, show_default=True, help="Most searches."
)
@click.option(
    "--html", "html_path", type=click.Path(path_type=Path, dir_okay=False), help="Also write it as HTML."
)
@click.option("--every", metavar="SPAN", help="Run again and again until stopped: 6h, 1d, 2w.")
@click.option("--budget", metavar="KEY=N,…", help="Hard limits: llm_calls, tokens, seconds.")
@engine_option
@click.option("--json", "as_json", is_flag=True, help="Print the briefing as JSON.")
@pass_terminal
def run(
    terminal: Terminal,
    command: str,
    sources: tuple[str, ...],
    since: str | None,
    max_steps: int,
    html_path: Path | None,
    every: str | None,
    budget: str | None,
    engine: str | None,
    as_json: bool,
) -> None:
    """Run a monitor once, or every so often; what was interrupted is resumed."""
    limits = parse_budget(budget) if budget else Budget()
    first = _day(since) if since else None
    with terminal.workspace() as workspace, _narrated(terminal) as listener:
        options: MonitorOptions = {
            "sources": sources,
            "since": first,
            "engine": engine,
            "budget": limits,
            "listener": listener,
            "max_steps": max_steps,
        }
        found: Iterable[MonitorReport] = (
            monitor_every(workspace, command, _seconds(every), **options)
            if every
            else [workspace.monitor(command, **options)]
        )
        for report in found:
            if html_path is not None:
                html_path.write_text(report.html, encoding="utf-8")
                terminal.note(str(html_path))
            _show(terminal, report, as_json=as_json)


@monitor.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_terminal
def list_monitors(terminal: Terminal, as_json: bool) -> None:
    """List the monitors of the workspace."""
    with terminal.workspace() as workspace:
        records = workspace.store.topics.monitors()
        runs = {one.monitor_id: workspace.store.topics.runs(one.monitor_id) for one in records}
    if as_json:
        terminal.json([{**one.model_dump(mode="json"), "runs": len(runs[one.monitor_id])} for one in records])
        return
    rows = [
        (
            one.monitor_id,
            len(runs[one.monitor_id]),
            "–" if one.every_s is None else "stopped" if one.is_stopped else f"{one.every_s:g} s",
            one.command,
        )
        for one in records
    ]
    terminal.table(("monitor", "runs", "every", "command"), rows, right=["runs"])


@monitor.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_terminal
def show(terminal: Terminal, name: str, as_json: bool) -> None:
    """Show the latest briefing of a monitor."""
    with terminal.workspace() as workspace:
        done = reports(workspace, name)
    if not done:
        raise click.ClickException(f"{name} has no finished briefing yet.")
    _show(terminal, done[-1], as_json=as_json)


@monitor.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_terminal
def diff(terminal: Terminal, name: str, as_json: bool) -> None:
    """Show what changed between the last two briefings of a monitor."""
    with terminal.workspace() as workspace:
        done = reports(workspace, name)
    changes = done[-1].briefing.changes if done else None
    if changes is None:
        raise click.ClickException(f"{name} has fewer than two briefings.")
    if as_json:
        terminal.json([one.model_dump(mode="json") for one in changes])
        return
    marks = {"new": "+", "changed": "~", "gone": "-"}
    for one in changes:
        terminal.line(f"{marks[one.kind]} {one.text}" + (f"  (before: {one.before})" if one.before else ""))
    if not changes:
        terminal.note("Nothing has changed.")


@monitor.command()
@click.argument("name", metavar="TOOL")
@click.option("--params", metavar="JSON", required=True, help="The tool's arguments as one JSON object.")
@click.option("--sources", "-s", multiple=True, metavar="SOURCE", help="The sources to look in; repeat.")
@pass_terminal
def tool(terminal: Terminal, name: str, params: str, sources: tuple[str, ...]) -> None:
    """Run one of the monitor's tools and print its result as JSON.

    \b
    Example:
      vidence monitor tool platform_search -s news/ --params '{"query": "DeepSeek R1"}'
    """
    try:
        arguments = json.loads(params)
    except ValueError as exc:
        raise click.UsageError(f"--params is not valid JSON: {exc}") from None
    if not isinstance(arguments, dict):
        raise click.UsageError("--params must be one JSON object.")
    with terminal.workspace() as workspace:
        result = run_tool(workspace, name, arguments, sources=sources)
    terminal.json(result.model_dump(mode="json"))


@monitor.command()
@click.argument("name")
@pass_terminal
def stop(terminal: Terminal, name: str) -> None:
    """Stop a monitor that runs again and again; its briefings are kept."""
    with terminal.workspace() as workspace:
        record = stop_monitor(workspace, name)
    terminal.line(f"{record.monitor_id} is stopped.")


@contextmanager
def _narrated(terminal: Terminal) -> Iterator[Listener]:
    """Show the thoughts of a run, and progress while sources are read."""
    with closing(Narrator(terminal.note, terminal.progress)) as narrator:

        def heard(event: StepEvent) -> None:
            # Its calls are told by its thoughts already.
            if isinstance(event, Thought | Working | StepFailed):
                narrator(event)

        yield heard


def _show(terminal: Terminal, report: MonitorReport, *, as_json: bool) -> None:
    if as_json:
        terminal.json({"run_id": report.run_id, **report.briefing.model_dump(mode="json")})
        return
    terminal.document(report.markdown.rstrip("\n") + "\n")


def _day(text: str) -> date:
    span = _SPAN.match(text.strip())
    if span is not None:
        return datetime.fromtimestamp(datetime.now().timestamp() - _seconds(text)).date()
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise click.UsageError(f"--since is {text!r}; write a day (2025-01-01) or a span (7d).") from None


def _seconds(text: str) -> float:
    span = _SPAN.match(text.strip())
    if span is None:
        raise click.UsageError(f"{text!r} is no span of time; write 90s, 30m, 6h, 1d or 2w.")
    return float(span[1]) * _SECONDS[span[2]]
