"""`vidence add`, `list`, `info` and `remove`: the videos of a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from vidence.app.library import HEADINGS, row_of
from vidence.app.paths import expand
from vidence.cli.completion import complete_video
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.cli.text import visible
from vidence.errors import VidenceError
from vidence.schema.catalogue import VideoRecord
from vidence.schema.time import format_timecode

__all__ = ["add", "info", "list_videos", "remove"]


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print the outcome for each file as JSON.")
@pass_terminal
def add(terminal: Terminal, paths: tuple[str, ...], as_json: bool) -> None:
    """Add videos: files, folders (searched for videos) or globs.

    \b
    Example:
      vidence add holiday.mp4 recordings/ 'clips/*.webm'
    """
    rows: list[dict[str, object]] = []

    def fail(name: str, problem: VidenceError) -> None:
        rows.append({"path": name, "error": str(problem)})
        if not as_json:
            terminal.error(str(problem))

    with terminal.workspace() as workspace:
        for name in expand(paths, fail):
            path = Path(name)
            try:
                with terminal.progress(path.name) as progress:
                    added = workspace.add(path, progress=progress)
            except VidenceError as exc:
                fail(str(path), exc)
                continue
            rows.append({"path": str(path), "video_id": added.video.video_id, "is_new": added.is_new})
            if not as_json:
                word = "added" if added.is_new else "known"
                terminal.line(f"{added.video.video_id}  {word}  {path}")
    if as_json:
        terminal.json(rows)
    if any("error" in row for row in rows):
        raise click.exceptions.Exit(1)


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_terminal
def list_videos(terminal: Terminal, as_json: bool) -> None:
    """List the videos of the workspace.

    \b
    Example:
      vidence list
    """
    with terminal.workspace(must_keep=False) as workspace:
        videos = workspace.videos()
    if as_json:
        terminal.json([_summary(video) for video in videos])
    elif not videos:
        terminal.note("No videos yet. Add one with: vidence add my.mp4")
    else:
        terminal.table(HEADINGS, map(row_of, videos), right=("length", "fps"))


@click.command()
@click.argument("video", shell_complete=complete_video)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_terminal
def info(terminal: Terminal, video: str, as_json: bool) -> None:
    """Show the properties of a video: an id, the beginning of one, a file name or a path.

    \b
    Example:
      vidence info holiday.mp4
    """
    with terminal.workspace(must_keep=False) as workspace, terminal.progress(video) as progress:
        record = workspace.resolve(video, progress=progress)
        is_worked_on = workspace.store.locks.is_held(record.video_id)
        stages = {
            row.stage: "stopped" if row.state == "running" and not is_worked_on else row.state
            for row in workspace.store.stages.all(record.video_id)
        }
    if as_json:
        terminal.json(
            {
                **_summary(record),
                "media": record.info.model_dump(mode="json"),
                "stages": stages,
            }
        )
        return
    grid = Table.grid(padding=(0, 2))
    for name, value in _facts(record):
        grid.add_row(f"[bold]{name}[/bold]", Text(visible(value)))
    for state in dict.fromkeys(stages.values()):
        names = ", ".join(name for name, its_state in stages.items() if its_state == state)
        grid.add_row("[bold]index[/bold]", f"{state}: {names}")
    if not stages:
        grid.add_row("[bold]index[/bold]", "nothing yet")
    terminal.show(grid)


@click.command()
@click.argument("videos", nargs=-1, required=True, metavar="VIDEO…", shell_complete=complete_video)
@click.option("--json", "as_json", is_flag=True, help="Print the ids removed as JSON.")
@pass_terminal
def remove(terminal: Terminal, videos: tuple[str, ...], as_json: bool) -> None:
    """Remove videos and everything computed from them; the files are kept.

    \b
    Example:
      vidence remove holiday.mp4
    """
    with terminal.workspace() as workspace:
        removed = [workspace.remove(video).video_id for video in videos]
    if as_json:
        terminal.json(removed)
    for video_id in removed if not as_json else []:
        terminal.line(f"{video_id}  removed")


def _summary(video: VideoRecord) -> dict[str, object]:
    media = video.info
    return {
        "video_id": video.video_id,
        "path": str(video.path),
        "duration": round(media.duration_s, 3),
        "fps": round(float(media.video.fps), 3),
        "width": media.video.width,
        "height": media.video.height,
        "has_audio": bool(media.audio),
        "added_at": video.added_at,
    }


def _facts(video: VideoRecord) -> Iterator[tuple[str, str]]:
    media, picture = video.info, video.info.video
    yield "id", video.video_id
    for location in video.locations:
        yield "file", str(location.path)
    yield "length", f"{format_timecode(media.duration_s)} ({media.duration_s:.3f} s)"
    rate = f"{float(picture.fps):.4g} fps" + (" on average (variable)" if picture.variable_frame_rate else "")
    turned = f", turned {picture.rotation}°" if picture.rotation else ""
    yield (
        "picture",
        f"{picture.width}×{picture.height}, {rate}, {picture.num_frames} frames, {picture.codec}{turned}",
    )
    for stream in media.audio:
        language = f", {stream.language}" if stream.language else ""
        yield "sound", f"{stream.codec}, {stream.sample_rate} Hz, {stream.channels} channels{language}"
    if not media.audio:
        yield "sound", "none"
    for subtitle in media.subtitles:
        yield "subtitles", f"{subtitle.codec}, {subtitle.language or 'language not stated'}"
    yield "size", f"{_size(media.size_bytes)}, {media.container}"
    for warning in media.warnings:
        yield "note", warning


def _size(count: int) -> str:
    return f"{count / 1e6:.2f} MB" if count >= 100_000 else f"{count / 1e3:.1f} kB"
