"""`vidence report`: a video at a glance, from nothing."""

from __future__ import annotations

from typing import Any

import click
from rich.table import Table

from vidence.cli.terminal import Terminal, pass_terminal
from vidence.schema.time import format_timecode

__all__ = ["report"]


@click.command()
@click.argument("video")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_terminal
def report(terminal: Terminal, video: str, as_json: bool) -> None:
    """Print what a video holds: its facts, its scenes and their shots.

    \b
    Example:
      vidence report holiday.mp4
    """
    with terminal.workspace() as workspace:
        with terminal.progress("add") as progress:
            record = workspace.resolve(video, progress=progress)
        arguments = {"video_id": record.video_id}
        with terminal.progress(record.path.name) as progress:
            facts = workspace.run("get_video_info", arguments).result
            scenes = workspace.run("get_temporal_structure", arguments, progress=progress).result
            shots = workspace.run("get_temporal_structure", {**arguments, "granularity": "fine"}).result
    if as_json:
        terminal.json(
            {
                "video_id": record.video_id,
                "info": facts.model_dump(mode="json"),
                "scenes": scenes.model_dump(mode="json")["segments"],
                "shots": shots.model_dump(mode="json")["segments"],
            }
        )
        return
    sound = "with sound" if facts.has_audio else "no sound"
    terminal.out.print(f"[bold]{record.path.name}[/bold]  {record.video_id}")
    terminal.out.print(
        f"{format_timecode(facts.duration)} long, {facts.resolution.width}×{facts.resolution.height}, "
        f"{facts.fps:g} fps, {facts.num_frames} frames, {sound}, {facts.file_size_mb:g} MB"
    )
    terminal.out.print(f"{scenes.total_segments} scenes, {shots.total_segments} shots\n")
    terminal.out.print(_structure(scenes.segments, shots.segments))


def _structure(scenes: list[Any], shots: list[Any]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for heading in ("scene", "shot", "from", "to", "seconds"):
        table.add_column(heading, justify="right" if heading in ("from", "to", "seconds") else "left")
    for scene in scenes:
        table.add_row(f"[bold]{scene.segment_id}[/bold]", "", *_times(scene), style="bold")
        for shot in shots:
            if scene.start_time <= shot.start_time < scene.end_time:
                table.add_row("", shot.segment_id, *_times(shot))
    return table


def _times(segment: Any) -> tuple[str, str, str]:
    return format_timecode(segment.start_time), format_timecode(segment.end_time), f"{segment.duration:.2f}"
