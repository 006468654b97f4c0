"""`vidence index` and `vidence status`: computing the index that answers are read from."""

from __future__ import annotations

import time

import click

from vidence.app import STAGES, Workspace
from vidence.app.paths import expand
from vidence.app.summary import read_ahead
from vidence.cli.completion import complete_video
from vidence.cli.progress import IndexProgress, JsonProgress, TextProgress
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.errors import FileProblem, VidenceError
from vidence.schema.catalogue import VideoRecord
from vidence.schema.language import AnswerLanguage

__all__ = ["index", "status"]


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…", shell_complete=complete_video)
@click.option(
    "--profile", type=click.Choice(["fast", "default", "thorough"]), help="How thoroughly to index."
)
@click.option(
    "--stage",
    "stages",
    multiple=True,
    type=click.Choice(list(STAGES)),
    metavar="STAGE",
    help=f"Compute this stage only (repeat for several): {', '.join(STAGES)}.",
)
@click.option(
    "--read-ahead",
    "languages",
    multiple=True,
    type=click.Choice(["en", "zh"]),
    help="Then let the local reader read what was noted, for questions in this language (repeat for both): "
    "the first question is answered as fast as the next.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON event per line, as they happen.")
@pass_terminal
def index(
    terminal: Terminal,
    paths: tuple[str, ...],
    profile: str | None,
    stages: tuple[str, ...],
    languages: tuple[AnswerLanguage, ...],
    as_json: bool,
) -> None:
    """Index videos: files, folders, globs or ids. A stopped run resumes with the same command.

    \b
    Example:
      vidence index holiday.mp4 --profile fast
      vidence index recordings/
      vidence index talk.mp4 --read-ahead en

    \b
    Events of --json, by their "event":
      started       video_id, path, duration: work on a video begins
      progress      video_id, stage, fraction (0 to 1)
      warning       video_id, path, warning: a problem of the file
      stage_failed  video_id, stage, error: the other stages continue
      indexed       video_id, path, computed, failed (stages), seconds, times_real_time
      read          video_id, language, seconds: its notes were read ahead
      error         path, error: nothing of it was indexed; the other paths continue
      finished      videos, failed, seconds: the last line
    """
    reporter = JsonProgress() if as_json else TextProgress(terminal)
    clock = time.perf_counter()
    results: dict[str, bool] = {}

    def fail(name: str, problem: VidenceError) -> None:
        results[name] = False
        reporter.error(name, problem)

    with terminal.workspace() as workspace:
        for reference in expand(paths, fail):
            try:
                video, results[reference] = _index_one(
                    terminal, workspace, reference, reporter, stages=stages, profile=profile
                )
                for language in languages if results[reference] else ():
                    _read_one(workspace, video, language, reporter)
            except VidenceError as exc:
                fail(reference, exc)
    failed = [name for name, good in results.items() if not good]
    reporter.finished(len(results), failed, time.perf_counter() - clock)
    if failed:
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
    with terminal.workspace(must_keep=False) as workspace:
        record = workspace.find(video)
        rows = workspace.status(record.video_id)
        try:
            workspace.store.catalogue.locate(record.video_id)
        except FileProblem as exc:
            terminal.note(f"note: {exc}")
    if as_json:
        terminal.json([row.__dict__ for row in rows])
        return
    cells = [
        (row.stage, row.state, f"{row.progress:.0%}", "  ".join(filter(None, (row.made_with, row.error))))
        for row in rows
    ]
    terminal.table(("stage", "state", "done", "made with"), cells)


def _index_one(
    terminal: Terminal,
    workspace: Workspace,
    reference: str,
    reporter: IndexProgress,
    *,
    stages: tuple[str, ...],
    profile: str | None,
) -> tuple[VideoRecord, bool]:
    """Index one video and print the result; return it, and False when a stage failed."""
    clock = time.perf_counter()
    with terminal.progress("add") as adding:
        video = workspace.resolve(reference, progress=adding)
    with reporter.watching(video) as progress:
        outcomes = workspace.index(video.video_id, stages=stages or None, profile=profile, progress=progress)
    # Indexing may have found damage that the probe did not.
    video = workspace.store.catalogue.get(video.video_id)
    errors = {outcome.stage: str(outcome.error) for outcome in outcomes if outcome.error is not None}
    computed = sum(outcome.computed for outcome in outcomes) - len(errors)
    reporter.indexed(video, errors, computed=computed, seconds=time.perf_counter() - clock)
    return video, not errors


def _read_one(
    workspace: Workspace, video: VideoRecord, language: AnswerLanguage, reporter: IndexProgress
) -> None:
    """Have the notes of a video read by the local reader, and say how long that took, if it was done."""
    clock = time.perf_counter()
    is_read = read_ahead(workspace, video.video_id, language=language)
    reporter.read(video, language, seconds=time.perf_counter() - clock if is_read else None)
