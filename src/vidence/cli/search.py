"""`vidence search`: find a moment by words, in one video or in all of them."""

from __future__ import annotations

import click

from vidence.app.search import Modality
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.schema.time import format_timecode

__all__ = ["search"]


@click.command()
@click.argument("query")
@click.option(
    "--video", "videos", multiple=True, help="Only this video (may be repeated); indexed first if needed."
)
@click.option(
    "--top-k", type=click.IntRange(1, 1000), default=10, show_default=True, help="Maximum number of results."
)
@click.option(
    "--modality",
    type=click.Choice(["visual", "audio", "multimodal"]),
    default="multimodal",
    show_default=True,
    help="Search pictures, sound, or both.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_terminal
def search(
    terminal: Terminal, query: str, videos: tuple[str, ...], top_k: int, modality: Modality, as_json: bool
) -> None:
    """Find moments by words, in English or Chinese, in every indexed video.

    \b
    Examples:
      vidence search "a dog catches a ball"
      vidence search '"thank you"' --modality audio
      vidence search 红色的杯子 --video holiday.mp4
    """
    with terminal.workspace(must_keep=False) as workspace, terminal.progress() as progress:
        found = workspace.search(query, videos or None, limit=top_k, modality=modality, progress=progress)
    if found.videos_unindexed:
        everything = found.videos_searched + found.videos_unindexed
        terminal.note(
            f"{found.videos_unindexed} of {everything} videos are not indexed and not searched: vidence index"
        )
    if as_json:
        terminal.json(found.model_dump(mode="json"))
    elif not found.results:
        terminal.note(str(found))
    else:
        rows = [
            (
                f"{one.confidence:.2f}",
                format_timecode(one.start_time),
                format_timecode(one.end_time),
                one.video,
                ", ".join(one.sources),
            )
            for one in found.results
        ]
        terminal.table(("sure", "from", "to", "video", "by"), rows, right=["sure"], fold=("video", "by"))
