"""Continuous tracks composed of held-out clips with fixed seeds, and the score of what is found in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.audio_events import data

RATE = data.RATE
Samples = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Truth:
    """One sound placed in a track."""

    name: str
    start_s: float
    end_s: float


def compose_track(
    clips: data.Clips, fold: int, seed: int, *, length_s: float = 60.0, speech: Sequence[Samples] = ()
) -> tuple[Samples, list[Truth]]:
    """Return a track of sounds of `fold` over faint noise, and over speech when some is given."""
    rng = np.random.default_rng([fold, seed])
    track = _noise(int(length_s * RATE), rng) * 10 ** (rng.uniform(-65, -48) / 20)
    for start in np.arange(1.0, length_s - 12, 12.0) if speech else ():
        _add(track, speech[int(rng.integers(len(speech)))], float(start) + rng.uniform(0, 2), -32.0)
    candidates = np.flatnonzero(clips.folds == fold)
    truths: list[Truth] = []
    now = rng.uniform(0.5, 3.0)
    while now < length_s - 6:
        index = int(rng.choice(candidates))
        sound = trimmed(clips.samples[index], clips.active[index])
        _add(track, sound, now, rng.uniform(-30, -12))
        truths.append(Truth(clips.names[clips.labels[index]], now, now + sound.size / RATE))
        # One in five starts while the one before still sounds.
        now += sound.size / RATE * 0.6 if rng.random() < 0.2 else sound.size / RATE + rng.uniform(0.7, 4.0)
    return np.clip(track, -1, 1).astype(np.float32), truths


def trimmed(samples: Samples, active: NDArray[np.float32]) -> Samples:
    """Return the clip from its first sounding frame to its last."""
    on = np.flatnonzero(active)
    part = samples[on[0] * data.FRAME : (on[-1] + 1) * data.FRAME]
    # A frame is coarse: cut to where the level first comes within 30 dB of the loudest 10 ms.
    level = np.sqrt((part[: part.size // 160 * 160].reshape(-1, 160) ** 2).mean(axis=1))
    loud = np.flatnonzero(level > level.max() * 10 ** (-30 / 20))
    return part[loud[0] * 160 :]


def match(found: Sequence[Truth], truths: Sequence[Truth], *, tolerance_s: float = 0.5) -> int:
    """Return how many truths have their own found event of the same name with its onset near enough."""
    free = list(found)
    hits = 0
    for truth in truths:
        near = [f for f in free if f.name == truth.name and abs(f.start_s - truth.start_s) <= tolerance_s]
        if near:
            free.remove(min(near, key=lambda f: abs(f.start_s - truth.start_s)))
            hits += 1
    return hits


def _noise(length: int, rng: np.random.Generator) -> NDArray[np.float64]:
    spectrum = np.fft.rfft(rng.normal(size=length))
    noise = np.fft.irfft(spectrum * np.arange(1, spectrum.size + 1) ** -rng.uniform(0, 0.8), length)
    return np.asarray(noise / noise.std())


def _add(track: NDArray[np.float64], sound: Samples, start_s: float, level_db: float) -> None:
    power = (
        (sound[: sound.size // 1600 * 1600].reshape(-1, 1600) ** 2).mean(axis=1)
        if sound.size >= 1600
        else sound**2
    )
    gain = 10 ** (level_db / 20) / np.sqrt(power.max() + 1e-12)
    start = int(start_s * RATE)
    part = sound[: track.size - start]
    track[start : start + part.size] += part * gain
