"""Measure what is heard of speech over music and noise, and what is invented.

PYTHONPATH=src:. python -m training.speech_mix.evaluate --shared ../shared --part report
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.speech_mix.music import STYLES, play
from vidence.bench.shared import load_sound
from vidence.bench.speech import edit_distance, normalise
from vidence.models.cache import ModelCache
from vidence.models.context import ModelContext
from vidence.models.speech.transcriber import WhisperRecognizer, build, build_tiny_en
from vidence.schema.speech import Utterance
from vidence.settings import load_settings

Sound = NDArray[np.float32]
RATE = 16000
LOUDNESS = (20, 10, 5, 0)
_NOISES = {
    "fit": ("rain", "engine", "crackling_fire", "helicopter"),
    "report": ("wind", "sea_waves", "vacuum_cleaner", "train"),
}
_SLACK_S = 0.5


@dataclass(frozen=True)
class Recording:
    """Speech on a background, with what is said when."""

    name: str
    samples: Sound
    said: tuple[tuple[float, float, str], ...]


@dataclass
class Tally:
    """What was heard of one kind of recording."""

    words: int = 0
    errors: int = 0
    missed: int = 0
    invented: int = 0
    minutes: float = 0.0
    seconds: float = 0.0
    examples: list[str] = field(default_factory=list)


def _speech(shared: Path) -> list[tuple[str, Sound]]:
    media = shared / "media"
    with (media / "gt" / "speech_transcripts.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [(row["transcript"], load_sound(media / "audio" / "speech" / row["file"])) for row in rows]


def _backgrounds(shared: Path, part: str) -> Iterator[tuple[str, Sound]]:
    for index, style in enumerate(STYLES[part]):
        yield f"music {index}", play(style, 7 + index, 60)
    film = load_sound(shared / "media" / "videos" / "bbb_480p.mp4")
    half = len(film) // 2
    yield "film music", np.resize(film[:half] if part == "fit" else film[half:], 60 * RATE)
    with (shared / "audio_events" / "labels.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for kind in _NOISES[part][:2]:
        parts = [
            load_sound(shared / "audio_events" / "clips" / row["file"])
            for row in rows
            if row["category"] == kind
        ]
        yield kind, np.resize(np.concatenate(parts), 60 * RATE)


def _mixed(name: str, spoken: list[tuple[str, Sound]], behind: Sound, loudness: float | None) -> Recording:
    """Put sentences three seconds apart on a background; None is the background's ordinary loudness alone."""
    at, said = 3.0, []
    pieces = []
    for text, sound in spoken:
        said.append((at, at + len(sound) / RATE, text))
        pieces.append((int(at * RATE), sound))
        at += len(sound) / RATE + 4.0
    total = np.zeros(int(at * RATE), np.float32)
    level = float(np.sqrt(np.mean(np.concatenate([sound for _, sound in spoken]) ** 2)))
    for first, sound in pieces:
        total[first : first + len(sound)] += sound
    if loudness is None:
        return Recording(name, total, tuple(said))
    music = np.resize(behind, len(total))
    music = music * (level / float(np.sqrt(np.mean(music**2)) + 1e-9)) * 10 ** (-loudness / 20)
    mixed = total + music
    return Recording(name, (mixed / max(1.0, float(np.abs(mixed).max()))).astype(np.float32), tuple(said))


def recordings(shared: Path, part: str) -> Iterator[Recording]:
    """Yield the mixtures of one part; sentences and backgrounds are other ones in the other."""
    english = _speech(shared)[0 if part == "fit" else 1 :: 2]
    for name, behind in _backgrounds(shared, part):
        kind = "music" if "music" in name else "noise"
        for loudness in LOUDNESS:
            yield _mixed(f"{kind} {loudness:2d} dB", english, behind, loudness)
        yield Recording(f"{kind} alone", behind / max(1.0, float(np.abs(behind).max())), ())
    yield _mixed("clean", english, english[0][1], None)


def score(one: Recording, heard: list[Utterance], tally: Tally) -> None:
    """Compare by time: what lies outside all speech was invented."""
    inside: list[list[str]] = [[] for _ in one.said]
    for utterance in heard:
        for word in utterance.words:
            middle = (word.start_time + word.end_time) / 2
            places = [i for i, (a, b, _) in enumerate(one.said) if a - _SLACK_S < middle < b + _SLACK_S]
            if places:
                inside[places[0]].append(word.text)
            else:
                tally.invented += len(normalise(word.text))
    if outside := [
        u.text
        for u in heard
        if not any(a - 1 < (u.start_time + u.end_time) / 2 < b + 1 for a, b, _ in one.said)
    ]:
        tally.examples += [f"INVENTED {text}" for text in outside]
    for (_, _, text), words in zip(one.said, inside, strict=True):
        truth, said = normalise(text), normalise(" ".join(words))
        wrong = edit_distance(truth, said)
        tally.words += len(truth)
        tally.errors += wrong
        tally.missed += max(len(truth) - len(said), 0)
        if wrong > len(truth) * 0.3:
            tally.examples.append(f"{' '.join(truth)[:60]} -> {' '.join(said)[:60]}")
    tally.minutes += len(one.samples) / RATE / 60


def main() -> None:
    """Listen to every mixture and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--part", choices=("fit", "report"), default="fit")
    parser.add_argument("--model", choices=("base", "tiny"), default="base")
    parser.add_argument("--only", default="")
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    builder = build if args.model == "base" else build_tiny_en
    hear: WhisperRecognizer = builder(ModelContext(ModelCache(load_settings().model_home), threads=2))
    tallies: dict[str, Tally] = {}
    for one in recordings(args.shared, args.part):
        if args.only and args.only not in one.name:
            continue
        start = time.process_time()
        heard = list(hear.transcribe(one.samples).segments)
        tally = tallies.setdefault(one.name, Tally())
        tally.seconds += time.process_time() - start
        score(one, heard, tally)
    print(f"{'kind':16s} words   WER missed invented/min  CPU s/min")
    for name, t in sorted(tallies.items()):
        n = max(t.words, 1)
        print(
            f"{name:16s} {t.words:5d} {t.errors / n:5.3f} {t.missed / n:6.3f} {t.invented / t.minutes:8.2f}"
            f" {t.seconds / t.minutes:8.2f}"
        )
        for example in t.examples[: args.show]:
            print("      ", example)


if __name__ == "__main__":
    main()
