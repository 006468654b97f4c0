"""vidence answers questions about videos and proves each claim with evidence it has re-checked.

>>> import vidence
>>> answer = vidence.ask("talk.mp4", "Who is speaking?")
>>> print(answer)

Everything in `__all__` is imported when it is first used, so that `import vidence` loads nothing heavy.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Unpack

    from vidence.agents.solver_checker.loop import run_video_agent
    from vidence.app.answer import Answer
    from vidence.app.briefing import MonitorReport
    from vidence.app.chat import Chat
    from vidence.app.monitor import MonitorOptions
    from vidence.app.report import Transcript, VideoReport
    from vidence.app.search import FoundMoment, SearchResults
    from vidence.app.story import Story
    from vidence.app.workspace import (
        AskOptions,
        IndexOptions,
        SearchOptions,
        Videos,
        Workspace,
        open_workspace,
    )
    from vidence.errors import (
        BackendError,
        BadTool,
        DamagedMedia,
        ErrorType,
        ExtensionError,
        FileProblem,
        MediaError,
        MissingExtra,
        MissingFile,
        NewerDatabase,
        NotAVideo,
        OpFailed,
        OpRetry,
        ServiceError,
        SettingsError,
        UnknownName,
        UserError,
        VidenceError,
    )
    from vidence.index.pipeline.indexer import StageOutcome
    from vidence.runs.checker import evaluate_answer
    from vidence.schema.agent import AgentAnswer, Budget, MemoryUnit, Spent, VideoCard
    from vidence.schema.catalogue import VideoRecord
    from vidence.schema.chat import ChatReply
    from vidence.schema.evidence import CheckedClaim, Citation, EvidenceRecord
    from vidence.settings import Settings

__all__ = [
    "AgentAnswer",
    "Answer",
    "BackendError",
    "BadTool",
    "Budget",
    "Chat",
    "ChatReply",
    "CheckedClaim",
    "Citation",
    "DamagedMedia",
    "ErrorType",
    "EvidenceRecord",
    "ExtensionError",
    "FileProblem",
    "FoundMoment",
    "MediaError",
    "MemoryUnit",
    "MissingExtra",
    "MissingFile",
    "MonitorReport",
    "NewerDatabase",
    "NotAVideo",
    "OpFailed",
    "OpRetry",
    "SearchResults",
    "ServiceError",
    "Settings",
    "SettingsError",
    "Spent",
    "Story",
    "Transcript",
    "UnknownName",
    "UserError",
    "VidenceError",
    "VideoCard",
    "VideoRecord",
    "VideoReport",
    "Workspace",
    "ask",
    "evaluate_answer",
    "index",
    "monitor",
    "open_workspace",
    "run_video_agent",
    "search",
]

__version__ = "0.1.0"

_HOMES = {
    "agents.solver_checker.loop": ("run_video_agent",),
    "app.answer": ("Answer",),
    "app.briefing": ("MonitorReport",),
    "app.chat": ("Chat",),
    "app.report": ("Transcript", "VideoReport"),
    "app.search": ("FoundMoment", "SearchResults"),
    "app.story": ("Story",),
    "app.workspace": ("Workspace", "open_workspace"),
    "runs.checker": ("evaluate_answer",),
    "schema.agent": ("AgentAnswer", "Budget", "MemoryUnit", "Spent", "VideoCard"),
    "schema.catalogue": ("VideoRecord",),
    "schema.chat": ("ChatReply",),
    "schema.evidence": ("CheckedClaim", "Citation", "EvidenceRecord"),
    "settings": ("Settings",),
}
"""The modules of the public names; the errors, not listed, are in `errors`."""


def ask(
    videos: Videos | None, question: str, *, home: Path | str | None = None, **options: Unpack[AskOptions]
) -> Answer:
    """Answer a question about videos in the default workspace, indexing them first; None asks all of them."""
    with _open(home) as workspace:
        return workspace.ask(videos, question, **options)


def search(
    query: str,
    videos: Videos | None = None,
    *,
    home: Path | str | None = None,
    **options: Unpack[SearchOptions],
) -> SearchResults:
    """Find moments by words in videos of the default workspace; None searches all that are indexed."""
    with _open(home) as workspace:
        return workspace.search(query, videos, **options)


def index(
    video: str | Path, *, home: Path | str | None = None, **options: Unpack[IndexOptions]
) -> list[StageOutcome]:
    """Add a video to the default workspace and index it; what is up to date is not computed again."""
    with _open(home) as workspace:
        return workspace.index(video, **options)


def monitor(
    command: str, *, home: Path | str | None = None, **options: Unpack[MonitorOptions]
) -> MonitorReport:
    """Look into a topic in the default workspace; the briefing names the source of every sentence."""
    with _open(home) as workspace:
        return workspace.monitor(command, **options)


def _open(home: Path | str | None) -> Workspace:
    from vidence.app.workspace import open_workspace

    return open_workspace(home=home)


if not TYPE_CHECKING:  # A type checker would take every misspelt name for one of these.

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        home = next((module for module, names in _HOMES.items() if name in names), "errors")
        return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _CallableRoom(ModuleType):
    """The room `vidence.index`, which can be called like the function of that name."""

    __call__ = staticmethod(index)


class _Package(ModuleType):
    """This package. The import system sets a room as its attribute, here over the function `index`."""

    def __setattr__(self, name: str, value: object) -> None:
        if name == "index" and isinstance(value, ModuleType):
            value.__class__ = _CallableRoom
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
