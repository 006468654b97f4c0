"""Compose music from a seed and play it with a free synthesiser.

It needs the packages fluidsynth and timgm6mb-soundfont.
"""

from __future__ import annotations

import struct
import subprocess
import tempfile
import wave
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

__all__ = ["STYLES", "play"]

_FONT = Path("/usr/share/sounds/sf2/TimGM6mb.sf2")
_TICKS = 480
_MAJOR, _MINOR = (0, 2, 4, 5, 7, 9, 11), (0, 2, 3, 5, 7, 8, 10)
# Lead, chords and bass by their General MIDI number, whether there are drums, beats a minute.
STYLES = {
    "fit": ((0, 0, 32, False, 90), (73, 48, 43, False, 70), (27, 4, 33, True, 120), (52, 89, 38, True, 128)),
    "report": (
        (40, 24, 32, False, 100),
        (56, 61, 58, True, 110),
        (53, 52, 42, False, 64),
        (81, 90, 39, True, 125),
    ),
}


def play(style: tuple[int, int, int, bool, int], seed: int, seconds: float) -> NDArray[np.float32]:
    """Return a piece of music, 16 kHz mono."""
    with tempfile.TemporaryDirectory() as folder:
        score, sound = Path(folder) / "a.mid", Path(folder) / "a.wav"
        score.write_bytes(_score(style, Random(seed), seconds))
        command = [
            "fluidsynth",
            "-ni",
            "-q",
            "-g",
            "0.6",
            "-r",
            "16000",
            "-F",
            str(sound),
            str(_FONT),
            str(score),
        ]
        subprocess.run(command, check=True, capture_output=True)
        with wave.open(str(sound)) as file:
            data = np.frombuffer(file.readframes(file.getnframes()), np.int16)
            mono = data.reshape(-1, file.getnchannels()).mean(axis=1) / 32768
    wanted = int(seconds * 16000)
    return np.resize(mono, wanted).astype(np.float32)


def _score(style: tuple[int, int, int, bool, int], rng: Random, seconds: float) -> bytes:
    lead, chords, bass, drums, tempo = style
    bars = int(seconds * tempo / 60 / 4) + 1
    scale, key = rng.choice((_MAJOR, _MINOR)), rng.randint(48, 59)
    roots = [rng.choice((0, 3, 4, 5, 1)) for _ in range(4)]
    events: list[tuple[int, bytes]] = [(0, bytes((0xC0 | i, p))) for i, p in enumerate((lead, chords, bass))]

    def note(channel: int, pitch: int, beat: float, length: float, strength: int) -> None:
        at = int(beat * _TICKS)
        events.append((at, bytes((0x90 | channel, pitch, strength))))
        events.append((at + int(length * _TICKS), bytes((0x80 | channel, pitch, 0))))

    for bar in range(bars):
        root = roots[bar % 4]
        for step in (0, 2, 4):
            degree = root + step
            note(1, key + scale[degree % 7] + 12 * (degree // 7), 4 * bar, 3.9, 70)
        for beat in range(4):
            note(2, key - 12 + scale[root % 7], 4 * bar + beat, 0.9, 85)
        sung = 0.0
        while sung < 4:
            length = rng.choice((0.5, 0.5, 1.0, 1.0, 1.5))
            if rng.random() < 0.8:
                degree = root + rng.choice((0, 2, 4, 1, 7))
                note(0, key + 12 + scale[degree % 7] + 12 * (degree // 7), 4 * bar + sung, length * 0.95, 95)
            sung += length
        if drums:
            for half in range(8):
                note(9, 42, 4 * bar + half / 2, 0.2, 60)
            for beat_of, drum in ((0, 36), (1, 38), (2, 36), (3, 38)):
                note(9, drum, 4 * bar + beat_of, 0.2, 100)
    return _file(events, tempo)


def _file(events: list[tuple[int, bytes]], tempo: int) -> bytes:
    track = b"\x00\xff\x51\x03" + (60_000_000 // tempo).to_bytes(3, "big")
    before = 0
    for at, event in sorted(events, key=lambda one: (one[0], one[1][0])):
        track += _varying(at - before) + event
        before = at
    track += b"\x00\xff\x2f\x00"
    return b"MThd" + struct.pack(">IHHH", 6, 0, 1, _TICKS) + b"MTrk" + struct.pack(">I", len(track)) + track


def _varying(number: int) -> bytes:
    """Return a number as MIDI writes it: seven bits a byte."""
    parts = [number & 0x7F]
    while number := number >> 7:
        parts.append((number & 0x7F) | 0x80)
    return bytes(reversed(parts))
