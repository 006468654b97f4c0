"""The written transcripts of a video: subtitle files beside it and subtitle streams inside it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vidence.errors import UserError, VidenceError
from vidence.index.subtitles.identify import guess_language, language_code
from vidence.index.subtitles.read import Sidecar, find_sidecars, read_subtitle_file
from vidence.media import read_subtitles
from vidence.schema.media import MediaInfo
from vidence.schema.speech import TranscriptSource, Utterance

__all__ = ["WrittenTranscript", "find_written", "sidecars_fingerprint"]


@dataclass(frozen=True)
class WrittenTranscript:
    """The subtitles of one file or stream."""

    source: TranscriptSource
    name: str
    """The file, or the stream inside the video."""
    language: str | None
    utterances: tuple[Utterance, ...]
    warnings: tuple[str, ...] = ()


def sidecars_fingerprint(places: Iterable[Path]) -> str:
    """Return a fingerprint of the subtitle files beside a video; empty when there are none."""
    states = [_state(one.path) for one in _sidecars(places)]
    return hashlib.sha256("\n".join(states).encode()).hexdigest()[:8] if states else ""


def find_written(places: Sequence[Path], info: MediaInfo) -> list[WrittenTranscript]:
    """Return every written transcript of a video, the best first: beside it, then inside it.

    Among several, the one in the declared language of the sound track comes first. A subtitle file that
    cannot be read becomes a transcript without utterances, with a warning that says why.

    Args:
        places: the paths of all copies of the video; subtitles may lie beside any of them.
    """
    spoken = language_code(info.audio[0].language or "") if info.audio else None
    inside = sorted(_inside(places[0], info), key=lambda one: one.language != spoken)
    return sorted([*_beside(places, info, spoken), *inside], key=lambda one: not one.utterances)


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
            # It holds only the lines in a foreign language; speech recognition gives all of them.
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
