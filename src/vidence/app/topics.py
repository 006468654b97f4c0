"""The sources of topics in a workspace, and the monitor's tools over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from vidence.app.workspace import Workspace
from vidence.errors import UnknownName, UserError
from vidence.intel.library import Library
from vidence.intel.platforms.protocol import PlatformContext
from vidence.intel.sources import TopicSources
from vidence.intel.web.address import AddressRules
from vidence.intel.web.crawler import Crawler
from vidence.intel.web.fetch import FetchLimits, HttpFetcher
from vidence.language.identify import has_han
from vidence.ops.catalogue import TOPIC_TOOLS
from vidence.ops.operation import Result
from vidence.schema.topics import Page

__all__ = ["named_sources", "run_tool", "topic_sources"]


def named_sources(workspace: Workspace, sources: Sequence[str]) -> tuple[str, ...]:
    """Return the sources given, else those of the settings, else what the workspace holds."""
    named = tuple(sources) or workspace.settings.monitor.sources
    if not named:
        held = {"videos:": workspace.indexed_videos(), "stories:": workspace.store.stories.names()}
        named = tuple(name for name, kept in held.items() if kept)
    if not named:
        raise UserError(
            "There is no source to search. Name folders, feeds, archives or a search service: "
            '--sources notes/ or, in vidence.toml, [monitor] sources = ["notes/"].'
        )
    return named


def topic_sources(
    workspace: Workspace,
    sources: Sequence[str],
    *,
    crawler: Crawler | None = None,
    progress: Callable[[str, float], None] | None = None,
    seconds: float | None = None,
) -> TopicSources:
    """Return the sources of a monitor, ready to be searched for so many seconds."""
    settings = workspace.settings.monitor
    limits = FetchLimits(max_bytes=settings.max_bytes, timeout_s=settings.timeout_s)
    rules = AddressRules(own_hosts=frozenset(settings.own_hosts))
    used = crawler or Crawler(
        HttpFetcher(limits, rules), proxies=settings.proxies, patience_s=settings.patience_s
    )
    if seconds is not None:
        used.stop_in(seconds)
    context = PlatformContext(
        used,
        rsshub=settings.rsshub,
        search_videos=partial(_search_videos, workspace),
        stories=workspace.store.stories,
        options=settings.options,
    )
    return TopicSources(sources, Library(workspace.store.topics), used, context, progress=progress)


def _search_videos(workspace: Workspace, query: str, limit: int) -> list[Page]:
    """Return the notes of the videos in which a search finds something, one page a video."""
    found = workspace.search(query, limit=limit).results
    pages = []
    for video_id in dict.fromkeys(one.video_id for one in found):
        notes = workspace.run("get_notes", {"video_id": video_id}).result.notes
        lines = [f"{note.text.rstrip('.。')}{'。' if has_han(note.text) else '.'}" for note in notes]
        record = workspace.store.catalogue.get(video_id)
        pages.append(
            Page(url=f"video:{video_id}", title=record.name, text="\n".join(lines), platform="videos")
        )
    return pages


def run_tool(
    workspace: Workspace, name: str, arguments: Mapping[str, Any], *, sources: Sequence[str] = ()
) -> Result:
    """Run one of the monitor's tools by name over some sources, or those of the settings."""
    if name not in TOPIC_TOOLS:
        raise UnknownName("tool", name, TOPIC_TOOLS, remedy=f"There are: {', '.join(TOPIC_TOOLS)}.")
    named = tuple(sources) or workspace.settings.monitor.sources
    topics = topic_sources(workspace, named) if named else None
    result: Result = workspace.run(name, arguments, topics=topics).result
    return result
