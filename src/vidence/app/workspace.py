"""A workspace: the videos of one home folder and everything known about them.

Decoders, models and operations are imported by the methods that need them: listing videos must feel instant.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack

from vidence.app.library import VideoList
from vidence.errors import FileProblem, MissingFile, UnknownName
from vidence.schema.catalogue import Added, VideoRecord
from vidence.settings import Settings, load_settings
from vidence.store import Store, content_id, open_store

if TYPE_CHECKING:
    from vidence.agents.monitor.orchestrator import AgentOrchestrator
    from vidence.agents.planner_executor.planner import Image
    from vidence.app.answer import Answer
    from vidence.app.chat import Chat
    from vidence.app.monitor import MonitorOptions, MonitorReport
    from vidence.app.report import Transcript, VideoReport
    from vidence.app.search import Modality, SearchResults
    from vidence.app.story_stores import StoryStores
    from vidence.index.pipeline.indexer import Indexer, StageOutcome, StageStatus
    from vidence.intel.sources import TopicSources
    from vidence.llm.protocol import Engine
    from vidence.ops import Operation, Outcome
    from vidence.runs.budget import Cancel
    from vidence.schema.agent import Budget
    from vidence.schema.events import Listener
    from vidence.tools.library import ToolLibrary

__all__ = [
    "AskOptions",
    "IndexOptions",
    "Progress",
    "RunOptions",
    "SearchOptions",
    "Videos",
    "Workspace",
    "open_workspace",
]

Progress = Callable[[str, float], None]
"""Called with what is being done and the fraction done."""
Videos = str | Path | Sequence[str | Path]
"""One video or several: a path, an id, the beginning of an id or a file name."""


class RunOptions(TypedDict, total=False):
    """The options of every way to get an answer."""

    engine: Engine | str | None
    """Who answers, such as "embedded" or "openai:gpt-4o"; the settings' engine by default."""
    budget: Budget | None
    listener: Listener | None
    """Called with every step of the run."""


class AskOptions(RunOptions, total=False):
    """The options of `ask`."""

    options: Sequence[str]
    """What to choose from, where the question is a choice."""
    cancel: Cancel | None
    may_call_operations: bool
    with_tools: bool
    """Offer the tools of the workspace that fit the question beside the operations."""
    remember: bool
    """Keep an accepted answer in the memory of its videos (the default)."""


class SearchOptions(TypedDict, total=False):
    """The options of `search`."""

    limit: int
    modality: Modality
    """What is seen ("visual"), what is heard ("audio"), or both ("multimodal", the default)."""
    progress: Progress | None


class IndexOptions(TypedDict, total=False):
    """The options of `index`."""

    stages: Sequence[str] | None
    profile: str | None
    """Either "fast", "default" or "thorough"; the settings' profile by default."""
    progress: Progress | None
    cancel: Cancel | None


def open_workspace(
    settings: Settings | None = None, *, home: Path | str | None = None, must_keep: bool = True
) -> Workspace:
    """Open (and create, the first time) the workspace that the settings point to.

    Args:
        must_keep: False for what only asks: it is answered also where the disk is full or the folder may not
            be written, and nothing is kept then.
    """
    chosen = settings or load_settings(home=home)
    return Workspace(chosen, open_store(chosen.home, must_keep=must_keep))


class Workspace:
    """The videos of one home folder and everything known about them; use it as a context manager."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings = settings
        self.store = store

    @cached_property
    def indexer(self) -> Indexer:
        """The indexer, with the models that the settings choose."""
        from vidence.app.models import check_choices
        from vidence.index.pipeline.indexer import Indexer
        from vidence.models.shelf import ModelShelf

        settings = self.settings
        check_choices(settings)
        return Indexer(self.store, settings, ModelShelf.of(settings))

    def embed(self, texts: Sequence[str]) -> Any:
        """Return an (N, D) array of unit vectors for texts; the text model is loaded when first used."""
        return self.indexer.shelf.text.embed(texts)

    @cached_property
    def local_reader(self) -> Engine | None:
        """The local model that reads notes, kept warm between questions; None where it is not fetched."""
        from vidence.app.engines import open_local_reader

        return open_local_reader(self)

    @cached_property
    def story_stores(self) -> StoryStores:
        """Where the knowledge of stories is kept."""
        from vidence.app.story_stores import open_story_stores

        return open_story_stores(self.store, self.settings.story)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the database, other stores, and the memory of the local model."""
        for name in ("local_reader", "story_stores"):
            opened = self.__dict__.pop(name, None)
            if opened is not None:
                opened.close()
        self.store.close()

    def add(self, path: Path | str, *, progress: Progress | None = None) -> Added:
        """Put a video into the catalogue; files with the same content are one video."""
        from vidence.media import probe

        target = _path(path).absolute()
        known = self.store.catalogue.known(target)
        if known is not None:
            return Added(video=known, is_new=False)
        info = probe(target, max_pixels=self.settings.max_pixels)

        def hashed(done: int, total: int) -> None:
            if progress is not None:
                progress("reading", done / max(total, 1))

        content = content_id(target, progress=hashed)
        with suppress(UnknownName):
            # What indexing found wrong with the same bytes is still wrong with them.
            before = self.store.catalogue.get(content.video_id).info.warnings
            info = info.model_copy(update={"warnings": tuple(dict.fromkeys((*info.warnings, *before)))})
        return self.store.catalogue.add(target, info, content)

    def videos(self) -> VideoList:
        """Return every video, the oldest first."""
        return VideoList(self.store.catalogue.list())

    def indexed_videos(self) -> VideoList:
        """Return the videos that can be searched and asked: those whose shots are indexed."""
        stages = self.store.stages
        return VideoList(
            video
            for video in self.videos()
            if any(row.is_done and row.stage == "shots" for row in stages.all(video.video_id))
        )

    def files(self, video_ids: Iterable[str]) -> dict[str, Path]:
        """Return where the files of videos are now, without those that are gone."""
        found: dict[str, Path] = {}
        for video_id in video_ids:
            with suppress(FileProblem, UnknownName):
                found[video_id] = self.store.catalogue.locate(video_id)
        return found

    def resolve(self, reference: str, *, progress: Progress | None = None) -> VideoRecord:
        """Return the video meant by an id, an id's beginning, a file name or a path.

        A path means the file that is there now: a new file, or one that replaced another, is added.
        """
        path = _path(reference)
        # Unlike Path's own, these do not raise where a folder may not be entered or a name is too long.
        if os.path.isfile(path):  # noqa: PTH113
            return self.add(reference, progress=progress).video
        try:
            return self.store.catalogue.resolve(reference)
        except (UnknownName, MissingFile):
            if not os.path.lexists(path):
                raise
        # Something that is no file is there; opening it reports what is wrong with it.
        return self.add(reference, progress=progress).video

    def find(self, reference: str) -> VideoRecord:
        """Return a video of the catalogue, adding none; a path means the file that is there now."""
        path = _path(reference)
        there = self.store.catalogue.at(path.absolute()) if os.path.isfile(path) else None  # noqa: PTH113
        return there or self.store.catalogue.resolve(reference)

    def remove(self, reference: str) -> VideoRecord:
        """Remove a video and everything computed from it; the file itself stays."""
        video = self.store.catalogue.resolve(reference)
        self.store.catalogue.remove(video.video_id)
        return video

    def ask(self, videos: Videos | None, question: str, **options: Unpack[AskOptions]) -> Answer:
        """Answer a question about videos, indexing them first; None asks every indexed video."""
        from vidence.app.answer import Answer
        from vidence.app.ask import ask
        from vidence.app.notebook import live_listener

        if "listener" not in options:
            options["listener"] = live_listener()
        return Answer.of(ask(self, references(videos), question, **options), self)

    def plan(
        self, question: str, videos: Videos = (), *, image: Image = None, **options: Unpack[RunOptions]
    ) -> Answer:
        """Answer a question about videos, pictures and memories by planning tool after tool."""
        from vidence.app.answer import Answer
        from vidence.app.plan import plan

        return Answer.of(plan(self, question, references(videos) or (), image=image, **options), self)

    def chat(self, videos: Videos = (), **options: Unpack[RunOptions]) -> Chat:
        """Begin a conversation about videos: `with workspace.chat("talk.mp4") as chat: chat.say("…")`."""
        from vidence.app.chat import Chat

        return Chat(self, references(videos) or (), **options)

    def monitor(self, command: str, **options: Unpack[MonitorOptions]) -> MonitorReport:
        """Look into a topic: plan, search the sources, doubt, and write a briefing with its proof."""
        from vidence.app.monitor import monitor

        return monitor(self, command, **options)

    def orchestrator(self, **options: Unpack[MonitorOptions]) -> AgentOrchestrator:
        """Return a monitor whose thoughts are streamed: `async for step in orchestrator.run("…")`."""
        from vidence.app.monitor import orchestrator

        return orchestrator(self, **options)

    def engine(self, name: str | None = None) -> Engine:
        """Return an engine by name, such as "embedded" or "openai:gpt-4o"; the settings' own by default."""
        from vidence.app.engines import open_engine

        return open_engine(self, name)

    def search(
        self, query: str, videos: Videos | None = None, **options: Unpack[SearchOptions]
    ) -> SearchResults:
        """Find moments by words; None searches every indexed video."""
        from vidence.app.search import search

        return search(self, query, references(videos), **options)

    def report(
        self,
        video: str | Path,
        *,
        language: Literal["en", "zh"] | None = None,
        progress: Progress | None = None,
    ) -> VideoReport:
        """Return what a video holds, shot by shot, indexing it first where needed."""
        from vidence.app.report import report

        chosen = language or ("zh" if self.settings.language == "zh" else "en")
        return report(self, str(video), language=chosen, progress=progress)

    def transcript(self, video: str | Path, *, progress: Progress | None = None) -> Transcript:
        """Return what is said in a video, transcribing it first where needed."""
        from vidence.app.report import read_transcript

        return read_transcript(self, str(video), progress=progress)

    def index(self, video: str | Path, **options: Unpack[IndexOptions]) -> list[StageOutcome]:
        """Compute the stages of a video's index that are missing or out of date; a killed run resumes."""
        from vidence.index.pipeline.profile import get_profile

        progress = options.get("progress")
        profile = get_profile(options.get("profile") or self.settings.profile)
        video_id = self.resolve(str(video), progress=progress).video_id
        return self.indexer.run(
            video_id,
            options.get("stages"),
            profile=profile,
            progress=progress,
            cancel=options.get("cancel") or (lambda: False),
        )

    def status(self, video_id: str) -> list[StageStatus]:
        """Return the state of each stage of a video's index."""
        return self.indexer.status(video_id)

    def run(
        self,
        operation: str,
        arguments: Mapping[str, Any],
        *,
        progress: Progress | None = None,
        topics: TopicSources | None = None,
        may_write: bool = True,
    ) -> Outcome[Any]:
        """Run an operation or a tool by name and return its result with provenance."""
        from vidence.ops import OpContext, run_operation

        context = OpContext(self.settings, self.store, self.indexer, progress, topics=topics)
        return run_operation(self.operation(operation, may_write=may_write), arguments, context)

    def operation(self, name: str, *, may_write: bool = True) -> Operation[Any, Any]:
        """Return the operation or the tool called `name`; a tool that may not write keeps no memories."""
        from vidence.ops import OPERATIONS, get_operation

        if name in OPERATIONS or name not in self.tools:
            return get_operation(name)
        return self.tools.operation(name, may_write=may_write)

    @cached_property
    def tools(self) -> ToolLibrary:
        """The tools of this workspace, the built-in ones among them."""
        from vidence.tools.library import ToolLibrary

        return ToolLibrary(self.settings.home / "tools")

    def detect_many(self, timestamps: Sequence[float], arguments: Mapping[str, Any]) -> list[Outcome[Any]]:
        """Run `detect_objects` at many times in one pass over a video."""
        from vidence.ops import OpContext
        from vidence.ops.detect_objects import detect_many

        context = OpContext(self.settings, self.store, self.indexer, None)
        return list(detect_many(context, timestamps=timestamps, **arguments))


def references(videos: Videos | None) -> list[str] | None:
    """Return the videos meant as a list; None, which means all of them, stays None."""
    if videos is None:
        return None
    return [str(videos)] if isinstance(videos, str | Path) else [str(one) for one in videos]


def _path(text: Path | str) -> Path:
    # Not Path.expanduser(): that one raises for a name like ~draft.mp4.
    return Path(os.path.expanduser(text))  # noqa: PTH111
