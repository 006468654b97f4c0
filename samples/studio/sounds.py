"""The synthesised sounds: a melody, knocks, an alarm, a telephone and applause."""

from __future__ import annotations

import zlib
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from samples.studio.film import RATE, Sound

__all__ = ["Track", "synthesise"]

Track = NDArray[np.float32]  # mono samples at RATE, within -1..1

_LOUDNESS, _PEAK = 0.12, 0.6  # a little above the voice, with room for what the encoder adds
_MELODY_HZ = (523.25, 659.26, 783.99, 1046.5, 783.99, 659.26, 698.46, 587.33, 523.25)
_CHORDS_HZ = ((130.81, 196.0, 329.63), (174.61, 220.0, 349.23), (130.81, 196.0, 329.63))


def synthesise(sound: Sound) -> Track:
    """Return the sound's samples; the same every time."""
    count = round((sound.end - sound.start) * RATE)
    match sound.type:
        case "music":
            track = _melody(count)
        case "door_knock":
            track = _knocks(count)
        case "alarm":
            track = _alarm(count)
        case "phone_ringing":
            track = _telephone(count)
        case "applause":
            track = _applause(count)
        case _:
            assert_never(sound.type)
    return _soft_ends(track) * np.float32(min(_LOUDNESS / track.std(), _PEAK / np.abs(track).max()))


def _melody(count: int) -> Track:
    """Return a plucked tune over three held chords."""
    track = np.zeros(count)
    for position, hertz in enumerate(_MELODY_HZ):
        _add(track, position * count // len(_MELODY_HZ), _pluck(hertz, RATE) * 0.32)
    for position, chord in enumerate(_CHORDS_HZ):
        held = sum(_pluck(hertz, RATE * 3 // 2, decay=1.6) for hertz in chord)
        _add(track, position * count // len(_CHORDS_HZ), np.asarray(held) * 0.14)
    return track.astype(np.float32)


def _pluck(hertz: float, count: int, *, decay: float = 4.0) -> NDArray[np.float64]:
    time = np.arange(count) / RATE
    partials = sum(
        np.sin(2 * np.pi * hertz * k * time) * np.exp(-decay * k * time) / k**1.5 for k in range(1, 7)
    )
    return np.asarray(partials * np.minimum(1, time / 0.005))


def _knocks(count: int) -> Track:
    """Return three raps on wood: a thud, a woody ring and a click of noise each."""
    track, noise = np.zeros(count), _noise("door_knock")
    time = np.arange(RATE // 5) / RATE
    thud = np.sin(2 * np.pi * 140 * time) * np.exp(-30 * time)
    ring = np.sin(2 * np.pi * 410 * time) * np.exp(-45 * time) + 0.5 * np.sin(
        2 * np.pi * 890 * time
    ) * np.exp(-60 * time)
    click = noise.standard_normal(time.size) * np.exp(-300 * time)
    for start in (0.0, 0.28, 0.56):
        _add(track, round(start * RATE), 0.5 * thud + 0.3 * ring + 0.2 * click)
    return track.astype(np.float32)


def _alarm(count: int) -> Track:
    """Return the four quick beeps of an alarm clock, again and again."""
    time = np.arange(count) / RATE
    square = sum(np.sin(2 * np.pi * 2000 * k * time) / k for k in (1, 3, 5))
    gate = (time % 0.75 < 0.5) & (time % 0.125 < 0.075)
    smooth = np.convolve(gate, np.ones(96) / 96, mode="same")
    return np.asarray(0.28 * square * smooth, np.float32)


def _telephone(count: int) -> Track:
    """Return the bell of an old telephone: two gongs struck by turns, twenty times a second."""
    track = np.zeros(count)
    time = np.arange(RATE // 2) / RATE
    gongs = [
        sum(np.sin(2 * np.pi * hertz * k * time) * np.exp(-9 * k * time) / k for k in (1.0, 2.76, 5.4))
        for hertz in (1180.0, 1420.0)
    ]
    for strike in range(int(count / RATE * 20)):
        start = strike * RATE // 20
        if start / RATE % 0.8 < 0.65:
            _add(track, start, np.asarray(gongs[strike % 2]) * 0.13)
    return track.astype(np.float32)


def _applause(count: int) -> Track:
    """Return some fifty people clapping, each at a pace of their own, swelling and dying away."""
    noise, track = _noise("applause"), np.zeros(count)
    clap_time = np.arange(RATE // 40) / RATE
    for _ in range(50):
        pace, centre, loud = noise.uniform(0.2, 0.32), noise.uniform(900, 2400), noise.uniform(0.3, 1.0)
        moment = noise.uniform(0, 0.4)
        while moment < count / RATE:
            burst = noise.standard_normal(clap_time.size) * np.exp(-160 * clap_time)
            _add(track, round(moment * RATE), burst * np.cos(2 * np.pi * centre * clap_time) * loud)
            moment += pace * noise.uniform(0.9, 1.1)
    swell = np.interp(np.linspace(0, 1, count), (0, 0.12, 0.6, 1), (0.2, 1, 0.9, 0))
    return np.asarray((track * swell / track.std()).clip(-4, 4), np.float32)  # no clap stands out


def _add(track: NDArray[np.float64], start: int, piece: NDArray[np.float64]) -> None:
    end = min(track.size, start + piece.size)
    track[start:end] += piece[: max(0, end - start)]


def _noise(name: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(name.encode()))


def _soft_ends(track: Track) -> Track:
    ramp = np.minimum(1, np.arange(track.size) / (0.003 * RATE))
    fade = np.minimum(1, np.arange(track.size)[::-1] / (0.03 * RATE))
    return np.asarray(track * ramp * fade, np.float32)
