"""Searching the videos of a workspace by words: the moments, the likeliest first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, PrivateAttr

from vidence.app import html
from vidence.app.answer import read_thumbnail
from vidence.app.workspace import Progress, Workspace
from vidence.errors import UserError
from vidence.language.question import read_question
from vidence.language.tokens import clean, has_words
from vidence.ops.temporal_search import OPERATION
from vidence.queries.search.fuse import Modality
from vidence.queries.search.search import search_library
from vidence.schema.frozen import Frozen
from vidence.schema.printable import visible
from vidence.schema.time import format_timecode

__all__ = ["FoundMoment", "Modality", "SearchResults", "search"]

_MAX_CHARS = 2000
_MAX_THUMBNAILS = 12


class FoundMoment(Frozen):
    """One moment that matches a query."""

    video_id: str
    video: str
    """The video's file name."""
    segment_id: str
    start_time: float
    end_time: float
    duration: float
    confidence: float
    matched_modality: Modality
    sources: tuple[str, ...]
    """What the match rests on, the strongest first."""

    def __str__(self) -> str:
        times = f"{format_timecode(self.start_time)}–{format_timecode(self.end_time)}"
        return visible(f"{self.confidence:.2f}  {times}  {self.video}  {', '.join(self.sources)}")


class SearchResults(Frozen):
    """The moments found; prints as lines and shows its frames in a notebook."""

    query: str
    results: tuple[FoundMoment, ...]
    videos_searched: int
    search_time_ms: float
    videos_unindexed: int = Field(default=0, exclude=True)
    """Videos of the workspace that are not indexed and so were not searched."""
    _files: dict[str, Path] = PrivateAttr(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(map(str, self.results)) or f"Nothing found in {self.videos_searched} videos."

    def _repr_html_(self) -> str:
        if not self.results:
            return html.paragraph(str(self))
        drawn = [
            (read_thumbnail(self._files.get(hit.video_id), (hit.start_time + hit.end_time) / 2), str(hit))
            for hit in self.results[:_MAX_THUMBNAILS]
        ]
        left = [line for jpeg, line in drawn if jpeg is None] + [
            str(hit) for hit in self.results[len(drawn) :]
        ]
        shown = html.figures((jpeg, line) for jpeg, line in drawn if jpeg is not None)
        return (
            f"<div>{html.paragraph(self.query, bold=True)}{shown}{''.join(map(html.paragraph, left))}</div>"
        )


def search(
    workspace: Workspace,
    query: str,
    videos: Sequence[str] | None = None,
    *,
    limit: int = 10,
    modality: Modality = "multimodal",
    progress: Progress | None = None,
) -> SearchResults:
    """Find moments by words in the named videos, indexed where needed; None searches all indexed videos."""
    if not has_words(clean(query)) or len(query) > _MAX_CHARS:
        raise UserError(f"Say what to search for in words, at most {_MAX_CHARS} characters.")
    if videos is None:
        names, left = _indexed(workspace)
    else:
        names, left = _named(workspace, videos, progress), 0
    started = time.perf_counter()
    shelf = workspace.indexer.shelf
    found = search_library(
        workspace.store,
        shelf,
        read_question(query).search,
        videos=list(names),
        modality=modality,
        limit=limit,
    )
    took_ms = (time.perf_counter() - started) * 1000
    hits = tuple(
        FoundMoment(
            video_id=one.video_id,
            video=names[one.video_id],
            segment_id=one.segment_id,
            start_time=round(one.start_s, 3),
            end_time=round(one.end_s, 3),
            duration=round(one.end_s - one.start_s, 3),
            confidence=round(one.confidence, 3),
            matched_modality=one.modality,
            sources=one.sources,
        )
        for one in found
    )
    results = SearchResults(
        query=query,
        results=hits,
        videos_searched=len(names),
        search_time_ms=round(took_ms, 3),
        videos_unindexed=left,
    )
    results._files = workspace.files(dict.fromkeys(hit.video_id for hit in hits))
    return results


def _named(workspace: Workspace, videos: Sequence[str], progress: Progress | None) -> dict[str, str]:
    """Return the named videos, indexed as far as searching needs, with their file names."""
    names: dict[str, str] = {}
    for reference in videos:
        record = workspace.resolve(reference, progress=progress)
        workspace.indexer.ensure(record.video_id, OPERATION.stages, progress=progress)
        names[record.video_id] = record.name
    return names


def _indexed(workspace: Workspace) -> tuple[dict[str, str], int]:
    """Return the indexed videos with their file names, and how many others there are."""
    everything = workspace.videos()
    if not everything:
        raise UserError("There are no videos to search. Index some first: vidence index my.mp4")
    names = {video.video_id: video.name for video in workspace.indexed_videos()}
    return names, len(everything) - len(names)
