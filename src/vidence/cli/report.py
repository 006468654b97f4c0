"""`vidence report` and `vidence transcript`: what a video holds, and what is said in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click
from rich.markup import escape
from rich.padding import Padding

from vidence.app.pages import report_page, save_page
from vidence.app.report import ShotReport, VideoReport
from vidence.cli.completion import complete_video
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.cli.text import visible
from vidence.schema.time import format_timecode

__all__ = ["report", "transcript"]

_WORDS = {
    "en": {
        "scene": "Scene", "scenes": "{} scenes, {} shots", "objects": "seen", "words": "said",
        "sounds": "heard", "text": "on screen", "sound": "with sound", "silent": "no sound", "long": "long",
    },
    "zh": {
        "scene": "场景", "scenes": "{}个场景，{}个镜头", "objects": "看到", "words": "说的话",
        "sounds": "听到", "text": "屏幕文字", "sound": "有声音", "silent": "无声音", "long": "",
    },
}  # fmt: skip
_PARTS = ("objects", "words", "sounds", "text")
_MAX_QUOTES = 8
_PAGE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("video", shell_complete=complete_video)
@click.option(
    "--language", type=click.Choice(["en", "zh"]), default=None, help="Language of the report (default: en)."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--html", "page", type=_PAGE, help="Write the report with pictures to this file instead.")
@pass_terminal
def report(
    terminal: Terminal, video: str, language: Literal["en", "zh"] | None, as_json: bool, page: Path | None
) -> None:
    """Print a report: the video's properties, then each shot with caption, objects, speech, sounds and text.

    Videos that are not indexed yet are indexed first.

    \b
    Example:
      vidence report holiday.mp4 --language zh
      vidence report holiday.mp4 --html holiday.html
    """
    with terminal.workspace(must_keep=False) as workspace:
        with terminal.progress() as progress:
            found = workspace.report(video, language=language, progress=progress)
        if page is not None:
            save_page(page, report_page(workspace, found))
    for gap in found.gaps:
        terminal.note(gap)
    if as_json:
        terminal.json(found.model_dump(mode="json"))
        return
    if page is not None:
        terminal.line(str(page))
        return
    _print_facts(terminal, found, _WORDS[found.language])
    _print_scenes(terminal, found, _WORDS[found.language])


@click.command()
@click.argument("video", shell_complete=complete_video)
@click.option("--format", "form", type=click.Choice(["text", "srt", "vtt", "json"]), default="text")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@pass_terminal
def transcript(terminal: Terminal, video: str, form: str, as_json: bool) -> None:
    """Print the transcript of a video, transcribing it first if needed.

    \b
    Example:
      vidence transcript talk.mp4 --format srt > talk.srt
    """
    with terminal.workspace(must_keep=False) as workspace, terminal.progress() as progress:
        said = workspace.transcript(video, progress=progress)
    for note in said.notes:
        terminal.note(f"note: {note}")
    if not said:
        # To stderr, since a subtitle file without words is hard to tell from a mistake.
        terminal.note("Nothing is said in this video.")
    if as_json or form == "json":
        terminal.json([one.model_dump(mode="json") for one in said])
    elif form in ("srt", "vtt"):
        terminal.document(said.srt() if form == "srt" else said.vtt())
    else:
        for one in said:
            terminal.out.print(f"[dim]{format_timecode(one.start_time)}[/dim]  ", end="")
            terminal.out.print(visible(" ".join(one.text.splitlines())), markup=False)


def _print_facts(terminal: Terminal, found: VideoReport, words: dict[str, str]) -> None:
    facts = found.info
    terminal.out.print(f"[bold]{escape(found.name)}[/bold]  {found.video_id}")
    sound = words["sound"] if facts.has_audio else words["silent"]
    length = f"{format_timecode(facts.duration)} {words['long']}".strip()
    terminal.out.print(
        f"{length}, {facts.resolution.width}×{facts.resolution.height}, {facts.fps:g} fps, "
        f"{facts.num_frames} frames, {sound}, {facts.file_size_mb:g} MB"
    )


def _print_scenes(terminal: Terminal, found: VideoReport, words: dict[str, str]) -> None:
    terminal.out.print(words["scenes"].format(len(found.scenes), len(found.shots)))
    for number, scene in enumerate(found.scenes, 1):
        terminal.out.print(f"\n[bold]{words['scene']} {number}[/bold]  {_times(scene)}", style="cyan")
        for shot in found.shots:
            if scene.start_time - 0.01 <= shot.start_time < scene.end_time - 0.01:
                _print_shot(terminal, shot, words)


def _print_shot(terminal: Terminal, shot: ShotReport, words: dict[str, str]) -> None:
    terminal.out.print(
        f"  [bold]{shot.segment_id}[/bold]  [dim]{_times(shot)}[/dim]  {escape(shot.caption or '–')}"
    )
    for part in _PARTS:
        values: list[str] = getattr(shot, part)
        if not values:
            continue
        shown = [f"“{value}”" if part in ("words", "text") else value for value in values[:_MAX_QUOTES]]
        more = ["…"] if len(values) > _MAX_QUOTES else []
        joined = (", " if words["scene"] == "Scene" else "、").join([*shown, *more])
        terminal.out.print(
            Padding(f"[dim]{words[part]}:[/dim] {escape(joined)}", (0, 0, 0, 11), expand=False)
        )


def _times(segment: Any) -> str:
    return f"{format_timecode(segment.start_time)}–{format_timecode(segment.end_time)}"
