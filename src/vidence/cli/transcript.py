"""`vidence transcript`: what is said, to read or as a subtitle file."""

from __future__ import annotations

import click

from vidence.cli.complete import complete_video
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.index.subtitles.write import to_srt, to_vtt
from vidence.schema.speech import Utterance
from vidence.schema.time import format_timecode

__all__ = ["transcript"]


@click.command()
@click.argument("video", shell_complete=complete_video)
@click.option("--format", "form", type=click.Choice(["text", "srt", "vtt", "json"]), default="text")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@pass_terminal
def transcript(terminal: Terminal, video: str, form: str, as_json: bool) -> None:
    """Print what is said in a video; listens first if need be.

    \b
    Example:
      vidence transcript talk.mp4 --format srt > talk.srt
    """
    with terminal.workspace() as workspace:
        with terminal.progress("add") as progress:
            record = workspace.resolve(video, progress=progress)
        with terminal.progress(record.name) as progress:
            workspace.indexer.ensure(record.video_id, ["transcript"], progress=progress)
        said = workspace.store.observations.load(record.video_id, "transcript", Utterance)
    if not said:
        # To stderr, for a subtitle file without words is hard to tell from a mistake.
        terminal.note("Nothing is said in this video.")
    if as_json or form == "json":
        terminal.json([one.model_dump(mode="json") for one in said])
    elif form == "srt":
        click.echo(to_srt(said), nl=False)
    elif form == "vtt":
        click.echo(to_vtt(said), nl=False)
    else:
        for one in said:
            terminal.out.print(f"[dim]{format_timecode(one.start_time)}[/dim]  ", end="")
            terminal.out.print(" ".join(one.text.splitlines()), markup=False)
