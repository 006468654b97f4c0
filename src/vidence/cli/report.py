"""`vidence report`: what a video holds, scene by scene, from nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import click
from rich.markup import escape
from rich.padding import Padding

from vidence.app import Workspace
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.queries.report import ShotReport, report_shots
from vidence.schema.catalogue import VideoRecord
from vidence.schema.time import format_timecode

__all__ = ["report"]

_STAGES = ("shots", "captions", "transcript", "sounds")
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


@click.command()
@click.argument("video")
@click.option(
    "--language", type=click.Choice(["en", "zh"]), default=None, help="Language of the report (default: en)."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_terminal
def report(terminal: Terminal, video: str, language: Literal["en", "zh"] | None, as_json: bool) -> None:
    """Print what a video holds: its facts, then each shot with caption, objects, words, sounds and text.

    What is not indexed yet is indexed first.

    \b
    Example:
      vidence report holiday.mp4 --language zh
    """
    with terminal.workspace() as workspace:
        chosen = language or ("zh" if workspace.settings.language == "zh" else "en")
        with terminal.progress("add") as progress:
            record = workspace.resolve(video, progress=progress)
        _index(terminal, workspace, record)
        arguments = {"video_id": record.video_id}
        facts = workspace.run("get_video_info", arguments).result
        scenes = workspace.run("get_temporal_structure", arguments).result.segments
        shots = list(report_shots(workspace.store, record.video_id, language=chosen))
    if as_json:
        terminal.json(
            {
                "video_id": record.video_id,
                "info": facts.model_dump(mode="json"),
                "scenes": [scene.model_dump(mode="json") for scene in scenes],
                "shots": [shot.model_dump(mode="json") for shot in shots],
            }
        )
        return
    _print_facts(terminal, record, facts, _WORDS[chosen])
    _print_scenes(terminal, scenes, shots, _WORDS[chosen])


def _index(terminal: Terminal, workspace: Workspace, record: VideoRecord) -> None:
    """Bring up to date what the report reads; a stage that fails leaves a gap and a note."""
    with terminal.progress(record.path.name) as progress:
        outcomes = workspace.index(record.video_id, stages=_STAGES, progress=progress)
    for outcome in outcomes:
        if outcome.error is not None:
            terminal.note(f"{outcome.stage}: {outcome.error}")


def _print_facts(terminal: Terminal, record: VideoRecord, facts: Any, words: dict[str, str]) -> None:
    terminal.out.print(f"[bold]{escape(record.path.name)}[/bold]  {record.video_id}")
    sound = words["sound"] if facts.has_audio else words["silent"]
    length = f"{format_timecode(facts.duration)} {words['long']}".strip()
    terminal.out.print(
        f"{length}, {facts.resolution.width}×{facts.resolution.height}, {facts.fps:g} fps, "
        f"{facts.num_frames} frames, {sound}, {facts.file_size_mb:g} MB"
    )


def _print_scenes(
    terminal: Terminal, scenes: Sequence[Any], shots: Sequence[ShotReport], words: dict[str, str]
) -> None:
    terminal.out.print(words["scenes"].format(len(scenes), len(shots)))
    for number, scene in enumerate(scenes, 1):
        terminal.out.print(f"\n[bold]{words['scene']} {number}[/bold]  {_times(scene)}", style="cyan")
        for shot in shots:
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
