"""`vidence search`: find a moment by words, in one video or in all of them."""

from __future__ import annotations

import time

import click
from rich.table import Table
from rich.text import Text

from vidence.app import Workspace
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.errors import UserError
from vidence.language.question.search import understand
from vidence.language.search_words import clean, has_words
from vidence.ops.temporal_search import OPERATION
from vidence.queries.search.fuse import Modality
from vidence.queries.search.library import search_library
from vidence.queries.search.search import Found
from vidence.schema.time import format_timecode

__all__ = ["search"]

_LONGEST = 2000


@click.command()
@click.argument("query")
@click.option(
    "--video", "videos", multiple=True, help="Only this video (may be repeated); indexed if need be."
)
@click.option("--top-k", type=click.IntRange(1, 1000), default=10, show_default=True, help="Results at most.")
@click.option(
    "--modality",
    type=click.Choice(["visual", "audio", "multimodal"]),
    default="multimodal",
    show_default=True,
    help="What is seen, what is heard, or both.",
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
    if not has_words(clean(query)) or len(query) > _LONGEST:
        raise UserError(f"Say what to search for in words, at most {_LONGEST} characters.")
    with terminal.workspace() as workspace:
        chosen = _named(terminal, workspace, videos) if videos else _indexed(terminal, workspace)
        started = time.perf_counter()
        found = search_library(
            workspace.store,
            workspace.indexer.shelf,
            understand(query),
            videos=list(chosen),
            modality=modality,
            limit=top_k,
        )
        took_ms = (time.perf_counter() - started) * 1000
    if as_json:
        terminal.json(
            {
                "query": query,
                "results": [_as_json(one, chosen[one.video_id]) for one in found],
                "videos_searched": len(chosen),
                "search_time_ms": round(took_ms, 3),
            }
        )
    elif not found:
        terminal.note(f"Nothing found in {len(chosen)} videos.")
    else:
        terminal.show(_table(found, chosen))


def _named(terminal: Terminal, workspace: Workspace, videos: tuple[str, ...]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for reference in videos:
        with terminal.progress(reference) as progress:
            record = workspace.resolve(reference, progress=progress)
            workspace.indexer.ensure(record.video_id, OPERATION.stages, progress=progress)
        chosen[record.video_id] = record.name
    return chosen


def _indexed(terminal: Terminal, workspace: Workspace) -> dict[str, str]:
    """Return the videos that can be searched, and say how many cannot yet."""
    everything = workspace.videos()
    if not everything:
        raise UserError("There are no videos to search. Index some first: vidence index my.mp4")
    done = {
        video.video_id: video.name
        for video in everything
        if any(row.is_done and row.stage == "shots" for row in workspace.store.stages.all(video.video_id))
    }
    left = len(everything) - len(done)
    if left:
        terminal.note(f"{left} of {len(everything)} videos are not indexed and not searched: vidence index")
    return done


def _as_json(found: Found, name: str) -> dict[str, object]:
    return {
        "video_id": found.video_id,
        "video": name,
        "segment_id": found.segment_id,
        "start_time": round(found.start_s, 3),
        "end_time": round(found.end_s, 3),
        "duration": round(found.end_s - found.start_s, 3),
        "confidence": round(found.confidence, 3),
        "matched_modality": found.modality,
        "sources": list(found.sources),
    }


def _table(found: list[Found], names: dict[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("sure", "from", "to", "video", "by"):
        table.add_column(heading, justify="right" if heading == "sure" else "left")
    for one in found:
        table.add_row(
            f"{one.confidence:.2f}",
            format_timecode(one.start_s),
            format_timecode(one.end_s),
            Text(names[one.video_id]),
            ", ".join(one.sources),
        )
    return table
