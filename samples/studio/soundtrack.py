"""The sound track: narration and sounds laid on digital silence."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from samples.studio.film import FPS, RATE, Film, Line
from samples.studio.sounds import Track, synthesise
from samples.studio.speech import speak

__all__ = ["SILENCE_S", "Soundtrack", "Spoken", "record"]

SILENCE_S = 1.0  # shorter gaps are breathing, not silence


@dataclass(frozen=True)
class Spoken:
    """A line and when its voice falls silent."""

    line: Line
    end: float


@dataclass(frozen=True)
class Soundtrack:
    """The mixed track, when each line ends in it, and its silent spans in seconds."""

    track: Track
    spoken: tuple[Spoken, ...]
    silences: tuple[tuple[float, float], ...]


def record(film: Film) -> Soundtrack:
    """Return the film's sound."""
    track = np.zeros(film.frame_count * RATE // FPS, np.float32)
    spoken = []
    for line in film.lines:
        end = _lay(track, speak(line), line.start)
        spoken.append(Spoken(line, end))
    for sound in film.sounds:
        _lay(track, synthesise(sound), sound.start)
    return Soundtrack(track, tuple(spoken), tuple(_silences(track)))


def _lay(track: Track, piece: Track, start_s: float) -> float:
    start = round(start_s * RATE)
    under = track[start : start + piece.size]
    assert under.size == piece.size, f"what starts at {start_s} s runs past the end of the film"
    assert not under.any(), f"what starts at {start_s} s talks over something else"
    under += piece
    return round((start + piece.size) / RATE, 3)


def _silences(track: Track) -> Iterator[tuple[float, float]]:
    """Yield the spans, in seconds, in which nothing sounds for at least `SILENCE_S`."""
    heard = np.concatenate(([-1], np.flatnonzero(track), [track.size]))
    for before, after in itertools.pairwise(heard.tolist()):
        if after - before - 1 >= SILENCE_S * RATE:
            yield round((before + 1) / RATE, 3), round(after / RATE, 3)
