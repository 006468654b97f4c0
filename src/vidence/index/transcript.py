"""Where a video's words come from: subtitles beside it, subtitles inside it, else its speech."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from vidence.errors import UserError, VidenceError
from vidence.index.subtitles.language import guess_language, language_code
from vidence.index.subtitles.read import Sidecar, find_sidecars, read_subtitle_file
from vidence.media import read_audio, read_subtitles
from vidence.models.speech.windows import SoundChunk
from vidence.schema.media import MediaInfo
from vidence.schema.speech import SpeechMemo, SpeechProgress, TranscriptSource, Utterance
from vidence.schema.time import TimeRange

__all__ = ["Listener", "WrittenTranscript", "find_written", "hear", "written_mark"]

_CHUNK_S = 30.0
_NO_SOUND_S = 0.05


class Listener(Protocol):
    """Writes down a recording of any length."""

    def stream(
        self, chunks: Iterable[SoundChunk], *, memo: SpeechMemo | None = None
    ) -> Iterator[SpeechProgress]: ...


@dataclass(frozen=True)
class WrittenTranscript:
    """Words somebody wrote down."""

    source: TranscriptSource
    name: str
    """The file, or the stream inside the video."""
    language: str | None
    utterances: tuple[Utterance, ...]
    warnings: tuple[str, ...] = ()


def written_mark(places: Iterable[Path]) -> str:
    """Return what tells the subtitle files beside a video from others; empty when there are none."""
    states = [_state(one.path) for one in _sidecars(places)]
    return hashlib.sha256("\n".join(states).encode()).hexdigest()[:8] if states else ""


def find_written(places: Sequence[Path], info: MediaInfo) -> list[WrittenTranscript]:
    """Return every written transcript of a video, the best first: beside it, then inside it.

    Among several, one in the language the sound track says it is in comes first. A subtitle file that cannot
    be read becomes a transcript without utterances whose warning says why.

    Args:
        places: where copies of the video's file lie; subtitles may lie beside any of them.
    """
    spoken = language_code(info.audio[0].language or "") if info.audio else None
    inside = sorted(_inside(places[0], info), key=lambda one: one.language != spoken)
    return sorted([*_beside(places, info, spoken), *inside], key=lambda one: not one.utterances)


def hear(
    video: Path,
    info: MediaInfo,
    recognizer: Listener,
    *,
    memo: SpeechMemo | None = None,
) -> Iterator[SpeechProgress]:
    """Yield what is said; nothing where there is no sound.

    Commit each step, and after an interruption pass the last one's memo to go on.
    """
    if not info.audio or info.duration_s <= _NO_SOUND_S:
        return
    # Always from the beginning: behind a jump the samples, and the windows cut from them, would be others.
    span = TimeRange(start_time=0.0, end_time=info.duration_s)
    chunks = read_audio(video, span=span, chunk_s=_CHUNK_S, info=info)
    yield from recognizer.stream(chunks, memo=memo)


def _sidecars(places: Iterable[Path], spoken: str | None = None) -> list[Sidecar]:
    """Return the subtitle files beside the first copy that has any."""
    return next((found for place in places if (found := find_sidecars(place, language=spoken))), [])


def _state(path: Path) -> str:
    try:
        stat = path.stat()
    except OSError as exc:
        return f"{path.name!r} {exc.strerror}"
    return f"{path.name!r} {stat.st_size} {stat.st_mtime_ns}"


def _beside(places: Iterable[Path], info: MediaInfo, spoken: str | None) -> Iterator[WrittenTranscript]:
    for sidecar in _sidecars(places, spoken):
        try:
            read = read_subtitle_file(sidecar.path, language=sidecar.language)
        except UserError as exc:
            yield WrittenTranscript("sidecar", sidecar.path.name, sidecar.language, (), (str(exc),))
            continue
        kept = _within(read.utterances, info.duration_s)
        late = len(read.utterances) - len(kept)
        warnings = read.warnings
        if late:
            warnings += (f"{sidecar.path.name}: {late} subtitles after the end of the video left out",)
        yield WrittenTranscript("sidecar", sidecar.path.name, read.utterances[0].language, kept, warnings)


def _inside(video: Path, info: MediaInfo) -> Iterator[WrittenTranscript]:
    for stream in info.subtitles:
        if stream.is_forced:
            # Only the odd line in a foreign tongue: listening gives the rest too.
            continue
        if not stream.is_text:
            name = f"stream {stream.index}"
            warning = (
                f"{info.path.name}: the subtitles in {name} are pictures ({stream.codec}) and are not read"
            )
            yield WrittenTranscript("embedded", name, stream.language, (), (warning,))
            continue
        try:
            lines = list(read_subtitles(video, stream.index, info=info))
        except VidenceError as exc:
            yield WrittenTranscript("embedded", f"stream {stream.index}", stream.language, (), (str(exc),))
            continue
        language = language_code(stream.language or "") or guess_language(
            " ".join(line.text for line in lines)
        )
        said = tuple(
            Utterance(start_time=line.start_time, end_time=line.end_time, text=line.text, language=language)
            for line in lines
        )
        yield WrittenTranscript(
            "embedded", f"stream {stream.index}", language, _within(said, info.duration_s)
        )


def _within(utterances: tuple[Utterance, ...], duration_s: float) -> tuple[Utterance, ...]:
    kept = (u for u in utterances if u.start_time < duration_s)
    return tuple(
        u if u.end_time <= duration_s else u.model_copy(update={"end_time": duration_s}) for u in kept
    )
