"""What an operation may reach while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from vidence.index.pipeline.indexer import Indexer
from vidence.schema.catalogue import VideoRecord
from vidence.settings import Settings
from vidence.store import Store

__all__ = ["OpContext"]


@dataclass
class OpContext:
    """The workspace as one call of one operation sees it."""

    settings: Settings
    store: Store
    indexer: Indexer
    progress: Callable[[str, float], None] | None = None
    """Told what is being worked on and how far it is, 0 to 1."""
    models: list[str] = field(default_factory=list)
    """Ids of the models and algorithms the result rests on, for its provenance."""

    def video(self, video_id: str) -> VideoRecord:
        """Return the catalogue's record of a video."""
        return self.store.catalogue.get(video_id)

    def path(self, video_id: str) -> Path:
        """Return where the video's file is now, having checked that it is still the same file."""
        return self.store.catalogue.locate(video_id)

    def used(self, model_id: str) -> None:
        """Note that the result rests on `model_id`."""
        if model_id not in self.models:
            self.models.append(model_id)
