"""`vidence index` and `vidence status`: computing what questions are answered from."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import click
from rich.table import Table
from rich.text import Text

from vidence.app import Workspace
from vidence.cli.complete import complete_video
from vidence.cli.paths import expand
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.cli.text import json_text, visible
from vidence.errors import VidenceError
from vidence.index.indexer import StageOutcome
from vidence.index.stages import STAGES
from vidence.schema.catalogue import VideoRecord

__all__ = ["index", "status"]

_LINE_EVERY_S = 5.0


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…", shell_complete=complete_video)
@click.option("--profile", type=click.Choice(["fast", "default", "thorough"]), help="How thoroughly to look.")
@click.option(
    "--stage",
    "stages",
    multiple=True,
    type=click.Choice(list(STAGES)),
    metavar="STAGE",
    help=f"Compute this stage only (repeat for several): {', '.join(STAGES)}.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON event a line, as they happen.")
@pass_terminal
def index(
    terminal: Terminal, paths: tuple[str, ...], profile: str | None, stages: tuple[str, ...], as_json: bool
) -> None:
    """Look at and listen to videos: files, folders, globs or ids. Stop it any time; it resumes.

    \b
    Example:
      vidence index holiday.mp4 --profile fast
      vidence index recordings/
    """
    with terminal.workspace() as workspace:
        run = partial(workspace.index, stages=stages or None, profile=profile)
        good = [_index_one(terminal, workspace, reference, run, as_json) for reference in expand(paths)]
    if not all(good):
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("video", shell_complete=complete_video)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_terminal
def status(terminal: Terminal, video: str, as_json: bool) -> None:
    """Show which stages of a video's index are done, and with which models.

    \b
    Example:
      vidence status holiday.mp4
    """
    with terminal.workspace() as workspace:
        record = workspace.store.catalogue.resolve(video)
        rows = workspace.status(record.video_id)
    if as_json:
        terminal.json([row.__dict__ for row in rows])
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("stage", "state", "done", "made with"):
        table.add_column(heading)
    for row in rows:
        table.add_row(
            row.stage,
            row.state,
            f"{row.progress:.0%}",
            Text(visible(row.made_with + (f"  {row.error}" if row.error else ""))),
        )
    terminal.show(table)


def _index_one(
    terminal: Terminal,
    workspace: Workspace,
    reference: str,
    run: Callable[..., list[StageOutcome]],
    as_json: bool,
) -> bool:
    """Index one video and say how it went; False when anything of it failed."""
    clock = time.perf_counter()
    try:
        with terminal.progress("add") as adding:
            video = workspace.resolve(reference, progress=adding)
        with _watching(terminal, video, as_json) as progress:
            outcomes = run(video.video_id, progress=progress)
    except VidenceError as exc:
        if as_json:
            _emit({"event": "error", "path": reference, "error": str(exc)})
        else:
            terminal.error(str(exc))
        return False
    errors = {outcome.stage: str(outcome.error) for outcome in outcomes if outcome.error is not None}
    if as_json:
        for stage, error in errors.items():
            _emit({"event": "stage_failed", "video_id": video.video_id, "stage": stage, "error": error})
    else:
        # Stages that share a decode pass fail together: their one error is told once.
        for error in dict.fromkeys(errors.values()):
            names = ", ".join(stage for stage, its_error in errors.items() if its_error == error)
            terminal.error(f"{names}: {error}")
    computed = sum(outcome.computed for outcome in outcomes) - len(errors)
    seconds = time.perf_counter() - clock
    _say_finished(terminal, as_json, video, computed=computed, failed=len(errors), seconds=seconds)
    return not errors


@contextmanager
def _watching(
    terminal: Terminal, video: VideoRecord, as_json: bool
) -> Iterator[Callable[[str, float], None]]:
    """Show progress the way the output is read: bars, plain lines, or JSON events."""
    if not as_json and terminal.err.is_terminal:
        terminal.note(f"{video.video_id}  {video.path}")
        with terminal.progress() as progress:
            yield progress
        return
    last: dict[str, tuple[float, float]] = {}

    def line(stage: str, fraction: float) -> None:
        said_at, said = last.get(stage, (-_LINE_EVERY_S, -1.0))
        now = time.monotonic()
        if fraction <= said or (fraction < 1.0 and now - said_at < _LINE_EVERY_S):
            return
        last[stage] = (now, fraction)
        if as_json:
            event: dict[str, object] = {
                "event": "progress",
                "video_id": video.video_id,
                "stage": stage,
                "fraction": round(fraction, 4),
            }
            _emit(event)
        else:
            terminal.note(f"{video.name}: {stage} {fraction:.0%}")

    yield line


def _emit(event: Mapping[str, object]) -> None:
    sys.stdout.write(json_text(event) + "\n")
    sys.stdout.flush()


def _say_finished(
    terminal: Terminal, as_json: bool, video: VideoRecord, *, computed: int, failed: int, seconds: float
) -> None:
    speed = round(video.info.duration_s / max(seconds, 1e-6), 2)
    if as_json:
        event = {"event": "indexed", "video_id": video.video_id, "computed": computed, "failed": failed}
        _emit({**event, "seconds": round(seconds, 2), "times_real_time": speed})
        return
    parts = []
    if computed:
        parts.append(f"{_stages(computed)} in {seconds:.1f} s ({speed:.1f}× real time)")
    if failed:
        parts.append(f"{_stages(failed)} failed")
    text = ", ".join(parts) or "up to date"
    terminal.line(f"{video.video_id}  {text}  {video.path}")


def _stages(count: int) -> str:
    return f"{count} stage{'' if count == 1 else 's'}"
