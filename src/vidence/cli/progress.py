"""Progress of indexing: bars or lines for a person, JSON events for a program."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from vidence.cli.terminal import Terminal
from vidence.errors import VidenceError
from vidence.schema.catalogue import VideoRecord
from vidence.schema.language import AnswerLanguage

__all__ = ["IndexProgress", "JsonProgress", "TextProgress"]

_LINE_EVERY_S = 5.0
_NAMED = 10
"""The most failed files named at the end."""


class IndexProgress(Protocol):
    """Reports the progress and the results of indexing."""

    def watching(self, video: VideoRecord) -> AbstractContextManager[Callable[[str, float], None]]: ...

    def indexed(
        self, video: VideoRecord, errors: Mapping[str, str], *, computed: int, seconds: float
    ) -> None: ...

    def read(self, video: VideoRecord, language: AnswerLanguage, *, seconds: float | None) -> None: ...

    def error(self, reference: str, error: VidenceError) -> None: ...

    def finished(self, videos: int, failed: Sequence[str], seconds: float) -> None: ...


class TextProgress:
    """Bars or plain lines for a person."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    @contextmanager
    def watching(self, video: VideoRecord) -> Iterator[Callable[[str, float], None]]:
        terminal = self._terminal
        if not terminal.err.is_terminal:
            yield _one_line(lambda told: terminal.note(f"{video.name}: {told}"))
            return
        terminal.note(f"{video.video_id}  {video.path}")
        with terminal.progress() as progress:
            yield progress

    def indexed(
        self, video: VideoRecord, errors: Mapping[str, str], *, computed: int, seconds: float
    ) -> None:
        # Stages that share a decode pass fail together: their common error is printed once.
        for error in dict.fromkeys(errors.values()):
            names = ", ".join(stage for stage, its_error in errors.items() if its_error == error)
            self._terminal.error(f"{names}: {error}")
        for warning in video.info.warnings if computed else ():
            self._terminal.note(f"note: {video.name}: {warning}")
        speed = _speed(video, seconds)
        parts = [f"{_stages(computed)} in {seconds:.1f} s ({speed:.1f}× real time)"] if computed else []
        parts += [f"{_stages(len(errors))} failed"] if errors else []
        self._terminal.line(f"{video.video_id}  {', '.join(parts) or 'up to date'}  {video.path}")

    def read(self, video: VideoRecord, language: AnswerLanguage, *, seconds: float | None) -> None:
        told = "no local reader, or nothing to read" if seconds is None else f"{seconds:.1f} s"
        self._terminal.note(f"{video.name}: notes read ahead ({language}): {told}")

    def error(self, reference: str, error: VidenceError) -> None:
        self._terminal.error(str(error))

    def finished(self, videos: int, failed: Sequence[str], seconds: float) -> None:
        if videos < 2:
            return
        names = ", ".join(failed[:_NAMED])
        more = f" and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
        told = f"; failed: {names}{more}" if failed else ""
        self._terminal.note(f"{videos - len(failed)} of {videos} indexed{told}")


class JsonProgress:
    """One JSON object a line, for a program."""

    @contextmanager
    def watching(self, video: VideoRecord) -> Iterator[Callable[[str, float], None]]:
        duration = round(video.info.duration_s, 3)
        _emit("started", video_id=video.video_id, path=str(video.path), duration=duration)

        def tell(stage: str, fraction: float) -> None:
            _emit("progress", video_id=video.video_id, stage=stage, fraction=round(fraction, 4))

        yield _throttled(tell)

    def indexed(
        self, video: VideoRecord, errors: Mapping[str, str], *, computed: int, seconds: float
    ) -> None:
        video_id, path = video.video_id, str(video.path)
        for warning in video.info.warnings if computed else ():
            _emit("warning", video_id=video_id, path=path, warning=warning)
        for stage, error in errors.items():
            _emit("stage_failed", video_id=video_id, stage=stage, error=error)
        counts = {"computed": computed, "failed": len(errors)}
        times = {"seconds": round(seconds, 2), "times_real_time": _speed(video, seconds)}
        _emit("indexed", video_id=video_id, path=path, **counts, **times)

    def read(self, video: VideoRecord, language: AnswerLanguage, *, seconds: float | None) -> None:
        took = None if seconds is None else round(seconds, 2)
        _emit("read", video_id=video.video_id, language=language, seconds=took)

    def error(self, reference: str, error: VidenceError) -> None:
        _emit("error", path=reference, error=str(error))

    def finished(self, videos: int, failed: Sequence[str], seconds: float) -> None:
        _emit("finished", videos=videos, failed=len(failed), seconds=round(seconds, 2))


def _throttled(tell: Callable[[str, float], None]) -> Callable[[str, float], None]:
    """Limit the progress of each stage to one line every few seconds, and its end."""
    last: dict[str, tuple[float, float]] = {}

    def line(stage: str, fraction: float) -> None:
        said_at, said = last.get(stage, (-_LINE_EVERY_S, -1.0))
        now = time.monotonic()
        if fraction > said and (fraction >= 1.0 or now - said_at >= _LINE_EVERY_S):
            last[stage] = (now, fraction)
            tell(stage, fraction)

    return line


def _one_line(tell: Callable[[str], None]) -> Callable[[str, float], None]:
    """Tell how far all stages are together, in one short line, and then less and less often."""
    done: dict[str, float] = {}
    due = [0.0, _LINE_EVERY_S]
    told = [0.0]

    def line(stage: str, fraction: float) -> None:
        done[stage] = max(fraction, done.get(stage, 0.0))
        now = time.monotonic()
        if due[0] and now < due[0]:
            return
        due[0], due[1] = now + due[1], 2 * due[1]
        # Stages begin one after the other, which must not look like going back.
        told[0] = max(told[0], sum(done.values()) / len(done))
        tell(f"indexing, {told[0]:.0%}")

    return line


def _emit(event: str, **facts: object) -> None:
    Terminal.event({"event": event, **facts})


def _speed(video: VideoRecord, seconds: float) -> float:
    return round(video.info.duration_s / max(seconds, 1e-6), 2)


def _stages(count: int) -> str:
    return f"{count} stage{'' if count == 1 else 's'}"
