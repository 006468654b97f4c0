"""A workspace: the videos of one home folder and everything known about them.

Decoders, models and operations are imported by the methods that need them: listing videos must feel instant.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from vidence.errors import UnknownName
from vidence.schema.catalogue import Added, VideoRecord
from vidence.settings import Settings, load_settings
from vidence.store import Store, content_id, open_store

if TYPE_CHECKING:
    from vidence.index.pipeline.indexer import Indexer, StageOutcome, StageStatus
    from vidence.ops import Outcome

__all__ = ["Workspace", "open_workspace"]

Progress = Callable[[str, float], None]


def open_workspace(settings: Settings | None = None, *, home: Path | str | None = None) -> Workspace:
    """Open (and create, the first time) the workspace that the settings point to."""
    chosen = settings or load_settings(home=home)
    return Workspace(chosen, open_store(chosen.home))


class Workspace:
    """What the interfaces talk to; use it as a context manager."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings = settings
        self.store = store

    @cached_property
    def indexer(self) -> Indexer:
        """What computes the index, with the models that the settings choose."""
        from vidence.app.models import check_choices
        from vidence.index.pipeline.indexer import Indexer
        from vidence.models.cache import ModelCache
        from vidence.models.shelf import ModelShelf

        settings = self.settings
        check_choices(settings)
        shelf = ModelShelf(
            ModelCache(settings.model_home),
            chosen=settings.models,
            options=settings.model_options,
            threads=settings.threads,
        )
        return Indexer(self.store, settings, shelf)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the database."""
        self.store.close()

    def add(self, path: Path | str, *, progress: Progress | None = None) -> Added:
        """Put a video into the catalogue; the same content is the same video wherever it lies."""
        from vidence.media import probe

        target = _path(path).absolute()
        known = self.store.catalogue.known(target)
        if known is not None:
            return Added(video=known, is_new=False)
        info = probe(target, max_pixels=self.settings.max_pixels)

        def hashed(done: int, total: int) -> None:
            if progress is not None:
                progress("reading", done / max(total, 1))

        return self.store.catalogue.add(target, info, content_id(target, progress=hashed))

    def videos(self) -> list[VideoRecord]:
        """Return every video, the oldest first."""
        return list(self.store.catalogue.list())

    def resolve(self, reference: str, *, progress: Progress | None = None) -> VideoRecord:
        """Return the video meant by an id, an id's beginning, a file name or a path.

        A path means what lies there now: a new file, or one that replaced another, is added.
        """
        path = _path(reference)
        # Unlike Path's own, these do not raise where a folder may not be entered or a name is too long.
        if os.path.isfile(path):  # noqa: PTH113
            return self.add(reference, progress=progress).video
        try:
            return self.store.catalogue.resolve(reference)
        except UnknownName:
            # What looks like a path is one; the one who opens it says what is wrong with it.
            if not os.path.lexists(path) and os.sep not in reference:
                raise
        return self.add(reference, progress=progress).video

    def find(self, reference: str) -> VideoRecord:
        """Return the video meant, adding none; a path means what lies there now."""
        path = _path(reference)
        there = self.store.catalogue.at(path.absolute()) if os.path.isfile(path) else None  # noqa: PTH113
        return there or self.store.catalogue.resolve(reference)

    def remove(self, reference: str) -> VideoRecord:
        """Forget a video and all that was computed from it; the file itself is left alone."""
        video = self.store.catalogue.resolve(reference)
        self.store.catalogue.remove(video.video_id)
        return video

    def index(
        self,
        video_id: str,
        *,
        stages: Sequence[str] | None = None,
        profile: str | None = None,
        progress: Progress | None = None,
    ) -> list[StageOutcome]:
        """Compute a profile's stages that are missing or out of date; a killed run resumes."""
        from vidence.index.pipeline.profile import get_profile

        chosen = get_profile(profile or self.settings.profile)
        return self.indexer.run(video_id, stages, profile=chosen, progress=progress)

    def status(self, video_id: str) -> list[StageStatus]:
        """Return how each stage of a video stands."""
        return self.indexer.status(video_id)

    def run(
        self, operation: str, arguments: Mapping[str, Any], *, progress: Progress | None = None
    ) -> Outcome[Any]:
        """Run an operation by name and return its result with provenance."""
        from vidence.ops import OpContext, get_operation, run_operation

        context = OpContext(self.settings, self.store, self.indexer, progress)
        return run_operation(get_operation(operation), arguments, context)

    def detect_many(self, timestamps: Sequence[float], arguments: Mapping[str, Any]) -> list[Outcome[Any]]:
        """Run `detect_objects` at many times in one pass over a video."""
        from vidence.ops import OpContext
        from vidence.ops.batch import batch_detect_objects

        context = OpContext(self.settings, self.store, self.indexer, None)
        return list(batch_detect_objects(context, timestamps=timestamps, **arguments))


def _path(text: Path | str) -> Path:
    # Not Path.expanduser(): that one raises for a name like ~draft.mp4.
    return Path(os.path.expanduser(text))  # noqa: PTH111
