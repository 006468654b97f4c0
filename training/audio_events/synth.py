"""Sounds we make ourselves: spoken, musical and ringing clips that the recordings lack."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

Clip = NDArray[np.float32]
RATE = 16_000
CLIP = 5 * RATE

VOICES = [
    "en-us",
    "en-gb",
    "en-gb-scotland",
    "de",
    "fr-fr",
    "es",
    "it",
    "pl",
    "cmn",
    "ru",
    "pt-br",
    "nl",
    "sv",
    "tr",
]
VARIANTS = ["", "+m1", "+m3", "+m5", "+m7", "+f1", "+f2", "+f3", "+f4", "+f5", "+croak", "+whisper"]
SENTENCES = [
    "The morning train was late again, so we walked along the river and talked about the garden.",
    "Please take the second door on the left, then wait until somebody calls your name.",
    "Numbers one, seven, nineteen and forty two were drawn before the show began.",
    "Why would anyone leave a perfectly good bicycle in the rain for three weeks?",
    "She opened the letter slowly, read it twice, and put it back without a word.",
    "Today we will look at how small machines learn to listen, and where they fail.",
    "My brother keeps his old maps in a box under the stairs, next to the paint.",
    "If you mix the flour with cold water first, the dough will not stick to the bowl.",
    "Ladies and gentlemen, the meeting starts in ten minutes in the large room upstairs.",
    "Nobody knew who had written the song, but everyone could sing the second verse.",
]


def speech(count: int, rng: np.random.Generator) -> list[Clip]:
    """Return utterances of a rule-based synthesiser in many voices, pitches and speeds."""
    return [_speak(rng) for _ in range(count)]


def music(count: int, rng: np.random.Generator) -> list[Clip]:
    """Return chords, melodies and drums played on simple synthesised instruments."""
    return [_song(rng) for _ in range(count)]


def ringing(count: int, rng: np.random.Generator) -> list[Clip]:
    """Return telephone rings: bells, warbles, dual tones and short melodies with pauses."""
    return [_ring(rng) for _ in range(count)]


def _speak(rng: np.random.Generator) -> Clip:
    voice = str(rng.choice(VOICES)) + str(rng.choice(VARIANTS))
    text = " ".join(rng.choice(SENTENCES, 2, replace=False))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        speed, pitch = str(int(rng.integers(110, 220))), str(int(rng.integers(10, 90)))
        subprocess.run(["espeak-ng", "-v", voice, "-s", speed, "-p", pitch, "-w", path, text], check=True)
        samples, rate = soundfile.read(path, dtype="float32")
    positions = np.arange(0, len(samples) - 1, rate / RATE)
    return _fit(np.interp(positions, np.arange(len(samples)), samples), rng)


def _song(rng: np.random.Generator) -> Clip:
    out = np.zeros(CLIP + RATE)
    beat = 60 / rng.uniform(70, 160)
    root = rng.uniform(80, 260)
    scale = np.array([0, 2, 4, 5, 7, 9, 11] if rng.random() < 0.5 else [0, 2, 3, 5, 7, 8, 10])
    timbre = rng.uniform(0.3, 0.9) ** np.arange(1, 9) * (rng.random(8) < 0.8)
    timbre[0] = 1
    decay = rng.uniform(0.5, 6)
    drums, melody, chords = rng.random() < 0.6, rng.random() < 0.8, rng.random() < 0.8
    bar = 0
    for step in range(int(5 / beat * 2) + 1):
        start = int(step * beat / 2 * RATE)
        if step % 8 == 0:
            bar = int(rng.choice([0, 3, 4, 5]))
        if (chords or not melody) and step % 8 == 0:
            for third in (0, 2, 4):
                _add(
                    out,
                    start,
                    _note(root * 2 ** (_degree(scale, bar + third) / 12), beat * 4, timbre, decay / 3),
                    0.3,
                )
        if melody and rng.random() < 0.7:
            pitch = root * 2 ** (1 + _degree(scale, int(rng.integers(0, 10))) / 12)
            _add(out, start, _note(pitch, beat * rng.choice([0.5, 1.0, 1.5]), timbre, decay), 0.4)
        if drums:
            _add(out, start, _drum(step, rng), 0.5)
    return _fit(out[:CLIP], rng, whole=True)


def _degree(scale: NDArray[np.int64], index: int) -> float:
    return float(scale[index % 7] + 12 * (index // 7))


def _note(pitch: float, length: float, timbre: NDArray[np.float64], decay: float) -> NDArray[np.float64]:
    t = np.arange(int(length * RATE)) / RATE
    wave = np.zeros_like(t)
    for harmonic, weight in enumerate(timbre, start=1):
        if pitch * harmonic < RATE * 0.45:
            wave += weight * np.sin(2 * np.pi * pitch * harmonic * t + 0.02 * np.sin(2 * np.pi * 5 * t))
    attack = np.minimum(1, t / 0.01) * np.minimum(1, (length - t) / 0.03)
    return np.asarray(wave * np.exp(-decay * t) * attack)


def _drum(step: int, rng: np.random.Generator) -> NDArray[np.float64]:
    t = np.arange(int(0.2 * RATE)) / RATE
    if step % 4 == 0:
        return np.asarray(np.sin(2 * np.pi * 60 * t + 6 * np.exp(-t * 40)) * np.exp(-t * 25))
    if step % 4 == 2:
        return np.asarray(rng.normal(0, 0.5, t.size) * np.exp(-t * 30))
    noise = np.diff(rng.normal(0, 0.2, t.size + 1))
    return np.asarray(noise * np.exp(-t * 80))


def _ring(rng: np.random.Generator) -> Clip:
    on, off = rng.uniform(0.4, 2.0), rng.uniform(0.2, 2.0)
    t = np.arange(int(on * RATE)) / RATE
    kind = int(rng.integers(4))
    if kind == 0:  # a mechanical bell struck about twenty times a second
        strikes = np.modf(t * rng.uniform(15, 26))[0]
        partials = rng.uniform(900, 1600) * np.array([1, 1.5, 2.02, 2.74, 3.3])
        tone = sum(np.sin(2 * np.pi * f * t) / (i + 1) for i, f in enumerate(partials)) * np.exp(-3 * strikes)
    elif kind == 1:  # an electronic warble between two tones
        low = rng.uniform(500, 1800)
        swap = np.sin(2 * np.pi * rng.uniform(8, 25) * t) > 0
        tone = np.sin(2 * np.pi * np.cumsum(np.where(swap, low, low * rng.uniform(1.1, 1.4))) / RATE)
        tone = np.tanh(tone * rng.uniform(0.5, 4))
    elif kind == 2:  # a ringback-like pair of tones
        low = rng.uniform(350, 500)
        tone = np.sin(2 * np.pi * low * t) + np.sin(2 * np.pi * (low + rng.uniform(20, 60)) * t)
    else:  # a mobile's short melody
        steps = rng.choice([0, 2, 4, 5, 7, 9, 12], int(on * 8) + 1)
        pitch = rng.uniform(500, 1300) * 2 ** (steps[(t * 8).astype(int)] / 12)
        phase = np.modf(t * 8)[0]
        tone = np.tanh(2 * np.sin(2 * np.pi * np.cumsum(pitch) / RATE)) * np.exp(-2 * phase)
    once = np.concatenate([np.asarray(tone) * np.minimum(1, (on - t) / 0.01), np.zeros(int(off * RATE))])
    out = np.tile(once, CLIP // once.size + 2)[:CLIP]
    return _fit(out, rng, whole=True)


def _add(out: NDArray[np.float64], start: int, wave: NDArray[np.float64], gain: float) -> None:
    end = min(out.size, start + wave.size)
    if end > start:
        out[start:end] += gain * wave[: end - start]


def _fit(samples: NDArray[np.float64], rng: np.random.Generator, *, whole: bool = False) -> Clip:
    start = 0 if whole or samples.size <= CLIP else int(rng.integers(0, samples.size - CLIP))
    clip = np.zeros(CLIP)
    piece = samples[start : start + CLIP]
    clip[: piece.size] = piece
    peak = np.abs(clip).max()
    return np.asarray(clip / max(peak, 1e-6) * rng.uniform(0.2, 0.9), dtype=np.float32)
