"""The clips: gathered once by `prepare`, then read into memory as one array."""

from __future__ import annotations

import csv
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

RATE = 16_000
CLIP = 5 * RATE
EXTRA = ("speech", "music", "phone_ringing")
"""Classes beyond the recordings', made of read speech and synthesised sound; fold 0 = always trained on."""
HELD_OUT_SPEECH = ("LJ001-0011", "LJ001-0013", "austen-0920", "austen-0930", "jfk")
FRAME = 2048
"""Samples per output frame of the network (8 mel frames of 16 ms)."""


@dataclass(frozen=True, slots=True)
class Clips:
    """Every clip with its class, its fold and where it sounds."""

    samples: NDArray[np.float32]
    """(clips, 80000)."""
    labels: NDArray[np.int64]
    folds: NDArray[np.int64]
    active: NDArray[np.float32]
    """(clips, 39): 1 where the clip sounds, gaps of up to 1.2 s filled."""
    names: tuple[str, ...]
    """Class names: the recordings' 50 in alphabetical order, then EXTRA."""


def gather(shared: Path, target: Path) -> None:
    """Copy the recordings and write the made clips into `target`, ready to travel to a training machine."""
    from training.audio_events import synth
    from vidence.models.sounds import mel

    clips = target / "clips"
    if not clips.is_dir():
        shutil.copytree(shared / "audio_events" / "clips", clips)
    shutil.copy(shared / "audio_events" / "labels.csv", target / "labels.csv")
    rng = np.random.default_rng(20_24)
    made = {
        "speech": synth.speech(60, rng),
        "music": synth.music(40, rng),
        "phone_ringing": synth.ringing(40, rng),
    }
    made["speech"] += _read_speech(shared / "media" / "audio" / "speech")
    folder = target / "made"
    folder.mkdir(exist_ok=True)
    for name, sounds in made.items():
        for number, samples in enumerate(sounds):
            soundfile.write(folder / f"{name}-{number:03d}.opus", samples, RATE, format="OGG", subtype="OPUS")
    np.savez(target / "frontend.npz", window=mel.window(), filters=mel.filterbank())


def _read_speech(folder: Path) -> list[NDArray[np.float32]]:
    """Return five-second stretches of the read speech that is not held out for evaluation."""
    sounds: list[NDArray[np.float32]] = []
    for path in sorted(folder.glob("*.flac")):
        if path.stem in HELD_OUT_SPEECH:
            continue
        samples = decode_media(path)
        sounds += [
            _five_seconds(samples[start:]) for start in range(0, max(1, samples.size - RATE), 2 * RATE)
        ]
    return sounds


def decode_media(path: Path) -> NDArray[np.float32]:
    """Return the first sound stream of any media file as 16 kHz mono."""
    import av

    resampler = av.AudioResampler("flt", "mono", RATE)
    with av.open(str(path)) as container:
        frames = [out for frame in container.decode(audio=0) for out in resampler.resample(frame)]
    return np.concatenate([frame.to_ndarray()[0] for frame in frames]).astype(np.float32)


def load(folder: Path) -> Clips:
    """Decode everything `gather` laid down."""
    with (folder / "labels.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = (*sorted({row["category"] for row in rows}), *EXTRA)
    made = sorted((folder / "made").glob("*.opus"))
    paths = [folder / "clips" / row["file"] for row in rows] + made
    labels = [names.index(row["category"]) for row in rows]
    labels += [names.index(path.stem.rsplit("-", 1)[0]) for path in made]
    folds = [int(row["fold"]) for row in rows] + [0] * len(made)
    with ThreadPoolExecutor(16) as pool:
        samples = np.stack(list(pool.map(_decode, paths)))
    return Clips(samples, np.array(labels), np.array(folds), np.stack([activity(x) for x in samples]), names)


def some_mels(clips: Clips) -> list[NDArray[np.float32]]:
    """Return the log-mel frames of every ninth clip: enough to see how large inner values grow."""
    from vidence.models.sounds import mel

    return [mel.log_mel(np.pad(samples, mel.WINDOW // 2)) for samples in clips.samples[::9]]


def activity(samples: NDArray[np.float32], *, below_db: float = 28.0, fill: int = 9) -> NDArray[np.float32]:
    """Return 1 for each output frame within `below_db` of the loudest, gaps of up to `fill` frames filled."""
    frames = samples[: samples.size // FRAME * FRAME].reshape(-1, FRAME)
    level = 10 * np.log10((frames**2).mean(axis=1) + 1e-10)
    active = (level > max(level.max() - below_db, -75.0)).astype(np.float32)
    on = np.flatnonzero(active)
    for left, right in pairwise(on):
        if right - left - 1 <= fill:
            active[left:right] = 1
    return active


def _decode(path: Path) -> NDArray[np.float32]:
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    assert rate == RATE, f"{path} is at {rate} Hz"
    return _five_seconds(samples[:, 0])


def _five_seconds(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    clip = np.zeros(CLIP, np.float32)
    clip[: min(CLIP, samples.size)] = samples[:CLIP]
    return clip
