"""Measure the exported networks through the product's own code, each on sounds it was not trained on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.audio_events import data
from training.audio_events.tracks import Truth, compose_track, match
from vidence.models.sounds import mel
from vidence.models.sounds.audio_events import AudioEvents
from vidence.models.sounds.audio_events.labels import CLASSES
from vidence.models.sounds.audio_events.network import AudioEventNetwork, Logits
from vidence.schema.observations import SoundEvent

FOLDS = (1, 2, 3, 4)
PLAIN, TALKED_OVER = 12, 6
"""Minute-long tracks per fold: without speech, and over held-out speech."""
Samples = NDArray[np.float32]


def report(shared: Path, work: Path, out: Path) -> None:
    """Print every figure of the model card and write them to `out`."""
    clips = data.load(work)
    folder = shared / "media" / "audio" / "speech"
    speech = [data.decode_media(folder / f"{name}.flac") for name in data.HELD_OUT_SPEECH]
    figures: dict[str, object] = {"top1": _each(lambda fold: _top1(clips, fold, out))}
    judged: list[tuple[float, bool]] = []
    figures["tracks"] = _each(lambda fold: _tracks(clips, fold, out, speech, judged))
    figures["reliability"] = _reliability(judged)
    quiet = AudioEvents()
    talk = [*speech, data.decode_media(shared / "media" / "videos" / "intel_talk.mp4")]
    figures["false_events_a_minute"] = {
        "speech": _rate(quiet, talk),
        "silence": _rate(quiet, [np.zeros(10 * 60 * data.RATE, np.float32)]),
        "faint noise": _rate(quiet, [_hiss(10 * 60)]),
    }
    figures["speed"] = _speed(quiet)
    videos = shared / "media" / "videos"
    for name in ("composite", "sam2_dog", "sam2_coffee", "bbb_480p"):
        figures[name] = [_line(event) for event in quiet.detect(data.decode_media(videos / f"{name}.mp4"))]
    unseen = AudioEvents(weights=out / "fold3.onnx").detect(data.decode_media(videos / "composite.mp4"))
    figures["composite, fold 3 held out"] = [_line(event) for event in unseen]
    text = json.dumps(figures, indent=1)
    (out / "figures.json").write_text(text, encoding="utf-8")
    print(text)


def _each(measure: Callable[[int], object]) -> dict[str, object]:
    return {f"fold {fold}": measure(fold) for fold in FOLDS}


def _top1(clips: data.Clips, fold: int, out: Path) -> float:
    network = AudioEventNetwork(out / f"fold{fold}.onnx")
    chosen = np.flatnonzero(clips.folds == fold)
    answers = [_pooled(network.run(mel.log_mel(np.pad(clips.samples[i], mel.WINDOW // 2)))) for i in chosen]
    best = np.array(answers)[:, : len(CLASSES) - len(data.EXTRA)].argmax(axis=1)
    return float((best == clips.labels[chosen]).mean())


def _pooled(logits: Logits) -> NDArray[np.float32]:
    weight = np.exp(np.clip(logits.attend, -8, 8))
    pooled: NDArray[np.float32] = (logits.clip * weight).sum(axis=0) / weight.sum(axis=0)
    return pooled


def _tracks(
    clips: data.Clips, fold: int, out: Path, speech: list[Samples], judged: list[tuple[float, bool]]
) -> dict[str, float]:
    ears = AudioEvents(weights=out / f"fold{fold}.onnx")
    hits = found = true = named = 0
    for number in range(PLAIN + TALKED_OVER):
        over = number >= PLAIN
        track, truths = compose_track(
            clips, fold, number - PLAIN + 100 if over else number, speech=speech if over else ()
        )
        events = ears.detect(track)
        spans = [Truth(event.description, event.start_time, event.end_time) for event in events]
        right = [any(_overlap(span, truth) for truth in truths) for span in spans]
        judged += [(event.confidence, ok) for event, ok in zip(events, right, strict=True)]
        hits += match(spans, truths)
        found, true, named = found + len(spans), true + len(truths), named + sum(right)
    return {
        "F1": 2 * hits / (found + true), "precision": hits / found, "recall": hits / true,
        "right name, overlapping": named / found, "sounds": true,
    }  # fmt: skip


def _overlap(span: Truth, truth: Truth) -> bool:
    return span.name == truth.name and span.start_s < truth.end_s and span.end_s > truth.start_s


def _reliability(judged: list[tuple[float, bool]]) -> list[dict[str, float]]:
    rows = []
    for low, high in ((0.0, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01)):
        part = [(c, ok) for c, ok in judged if low <= c < high]
        if part:
            mean, right = np.mean([c for c, _ in part]), np.mean([ok for _, ok in part])
            rows.append(
                {
                    "from": low,
                    "to": min(1.0, high),
                    "events": len(part),
                    "said": float(mean),
                    "right": float(right),
                }
            )
    return rows


def _rate(ears: AudioEvents, sounds: list[Samples]) -> dict[str, float]:
    events = sum(len(ears.detect(sound)) for sound in sounds)
    seconds = sum(sound.size for sound in sounds) / data.RATE
    return {"events": events, "seconds": seconds, "a minute": events / seconds * 60}


def _hiss(seconds: int) -> Samples:
    rng = np.random.default_rng(5)
    return (rng.normal(size=seconds * data.RATE) * 10 ** (-55 / 20)).astype(np.float32)


def _speed(ears: AudioEvents) -> dict[str, float]:
    sound = _hiss(60)
    times = []
    for _ in range(5):
        started = time.process_time()
        ears.detect(sound)
        times.append(time.process_time() - started)
    return {"ms of one core a second of sound": float(np.median(times)) / 60 * 1000}


def _line(event: SoundEvent) -> str:
    span = f"{event.start_time:7.2f} {event.end_time:7.2f}"
    return f"{span}  {event.confidence:.2f}  {event.event_type} ({event.description})"
