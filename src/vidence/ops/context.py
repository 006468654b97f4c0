"""The services that an operation may use while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from vidence.errors import OpRetry
from vidence.index.pipeline.indexer import Indexer
from vidence.intel.sources import TopicSources
from vidence.media import VideoReader, open_video
from vidence.models.shelf import ModelShelf
from vidence.schema.catalogue import VideoRecord
from vidence.schema.time import Seconds, TimeRange
from vidence.settings import Settings
from vidence.store import Store

__all__ = ["OpContext"]

_SLACK_S = 0.05
"""A caller who rounded the duration up still means the end."""


@dataclass
class OpContext:
    """The workspace as one call of one operation sees it."""

    settings: Settings
    store: Store
    indexer: Indexer
    progress: Callable[[str, float], None] | None = None
    """Called with what is being worked on and how far it is, 0 to 1."""
    models: list[str] = field(default_factory=list)
    """Ids of the models and algorithms that the result depends on, for its provenance."""
    topics: TopicSources | None = None
    """The sources of a monitor, for its tools."""

    def video(self, video_id: str) -> VideoRecord:
        """Return the catalogue's record of a video."""
        return self.store.catalogue.get(video_id)

    def path(self, video_id: str) -> Path:
        """Return where the video's file is now, having checked that it is still the same file."""
        return self.store.catalogue.locate(video_id)

    def open(self, video_id: str) -> VideoReader:
        """Open the video's file for decoding; use it in a `with` block."""
        settings = self.settings
        return open_video(self.path(video_id), threads=settings.threads, max_pixels=settings.max_pixels)

    @property
    def shelf(self) -> ModelShelf:
        """The models, each loaded when first used."""
        return self.indexer.shelf

    def check_time(self, video_id: str, time_s: Seconds, *, name: str = "timestamp") -> float:
        """Return the time if it lies inside the video, or raise `OpRetry` with the video's length."""
        duration_s = self.video(video_id).info.duration_s
        if not 0 <= time_s <= duration_s + _SLACK_S:
            raise OpRetry(
                f"{name} is {time_s:g}, outside the video, which runs from 0 to {duration_s:.3f} s. "
                "Give a time in that range."
            )
        return min(time_s, duration_s)

    def check_span(self, video_id: str, start_s: Seconds, end_s: Seconds) -> TimeRange:
        """Return the span cut at the end of the video; `OpRetry` where it lies outside or is turned round."""
        start = self.check_time(video_id, start_s, name="start_time")
        end = min(end_s, self.video(video_id).info.duration_s)
        if end_s <= start_s:
            raise OpRetry(f"end_time ({end_s:g}) must be after start_time ({start_s:g}).")
        if end <= start:
            duration_s = self.video(video_id).info.duration_s
            raise OpRetry(
                f"The span begins at the end of the video ({duration_s:.3f} s). Give an earlier start_time."
            )
        return TimeRange(start_time=start, end_time=end)

    def check_range(self, video_id: str, asked: TimeRange | None) -> TimeRange | None:
        """Return the span asked for, inside the video; None means the whole video and stays None."""
        return None if asked is None else self.check_span(video_id, asked.start_time, asked.end_time)

    @property
    def topic_sources(self) -> TopicSources:
        """The sources of a monitor; OpRetry where there are none."""
        if self.topics is None:
            raise OpRetry(
                "No source is given: name folders, feeds or archives (--sources, or monitor.sources)."
            )
        return self.topics

    def used(self, model_id: str) -> None:
        """Record that the result depends on `model_id`."""
        if model_id not in self.models:
            self.models.append(model_id)
