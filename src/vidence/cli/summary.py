"""`vidence summarise`: what a video is about, chapter by chapter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import click
from rich.markup import escape

from vidence.app.summary import SummaryReport, summarise
from vidence.cli.completion import complete_video
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.schema.evidence import Claim
from vidence.schema.time import format_timecode

__all__ = ["summarise_command"]

_WORDS = {
    "en": {"chapters": "Chapters", "highlights": "Highlights", "unusual": "What stands out"},
    "zh": {"chapters": "章节", "highlights": "要点", "unusual": "值得注意"},
}


@click.command("summarise")
@click.argument("videos", nargs=-1, shell_complete=complete_video)
@click.option("--all", "everything", is_flag=True, help="Summarise every indexed video of the workspace.")
@click.option("--language", type=click.Choice(["en", "zh"]), default=None, help="Language (default: en).")
@click.option("--engine", default=None, help="Who writes, such as openai:gpt-4o (default: the settings').")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_terminal
def summarise_command(
    terminal: Terminal,
    videos: tuple[str, ...],
    everything: bool,
    language: Literal["en", "zh"] | None,
    engine: str | None,
    as_json: bool,
) -> None:
    """Say what videos are about: who, where, what happens and what is said, with chapters and highlights.

    Every sentence was checked against the notes it cites. Videos that are not indexed are indexed first.

    \b
    Example:
      vidence summarise holiday.mp4
      vidence summarise --all --language zh
    """
    if bool(videos) == everything:
        raise click.UsageError("Name the videos to summarise, or all of them: vidence summarise --all")
    found: list[SummaryReport] = []
    with terminal.workspace() as workspace:
        wanted = [one.video_id for one in workspace.indexed_videos()] if everything else list(videos)
        chosen = language or ("zh" if workspace.settings.language == "zh" else "en")
        for video in wanted:
            with terminal.progress() as progress:
                report = summarise(workspace, video, language=chosen, engine=engine, progress=progress)
            found.append(report)
            for gap in report.gaps:
                terminal.note(gap)
            if not as_json:
                _print(terminal, report)
    if as_json:
        terminal.json([report.model_dump(mode="json") for report in found])


def _print(terminal: Terminal, report: SummaryReport) -> None:
    summary, words = report.summary, _WORDS[report.summary.language]
    length = format_timecode(report.video.duration_s)
    terminal.show(f"[bold]{escape(report.video.name)}[/bold] ({length})")
    terminal.line(summary.text("about"))
    if len(summary.chapters) > 1:
        terminal.show(f"\n[bold]{words['chapters']}[/bold]")
        for one in summary.chapters:
            text = ("" if summary.language == "zh" else " ").join(claim.text for claim in one.claims)
            terminal.show(f"  {format_timecode(one.start_time)}  [bold]{escape(one.title)}[/bold]")
            if text:
                terminal.line(f"             {text}")
    for name, claims in (("highlights", summary.highlights), ("unusual", summary.unusual)):
        if claims:
            terminal.show(f"\n[bold]{words[name]}[/bold]")
            _print_claims(terminal, claims)
    terminal.line("")


def _print_claims(terminal: Terminal, claims: Sequence[Claim]) -> None:
    for claim in claims:
        start = claim.citations[0].start_time if claim.citations else None
        terminal.line(f"  {format_timecode(start or 0.0)}  {claim.text}")
