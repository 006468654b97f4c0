"""`vidence bench speech`: word errors, word times, speed, and text invented where nobody speaks."""

from __future__ import annotations

import csv
import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import click
import numpy as np
from rich.console import Console

from vidence.bench.report import Timing, output, print_json, print_table, ratio
from vidence.bench.shared import SOUND_RATE, load_sound, shared_folder
from vidence.language.identify import HAN
from vidence.models.cache import ModelCache
from vidence.models.context import ModelContext
from vidence.models.speech.transcriber import WhisperRecognizer, build, build_tiny_en
from vidence.schema.perception import FloatArray
from vidence.schema.speech import Transcription
from vidence.settings import load_settings

__all__ = [
    "Negative",
    "SpeechBench",
    "SpokenClip",
    "as_json",
    "command",
    "edit_distance",
    "normalise",
    "render",
    "run",
]

_GAP_S = 0.7
_NUMBERS = {"mr": "mister", "mrs": "missus", "dr": "doctor", "st": "saint"}
_BUILDERS = {"whisper-base": build, "whisper-tiny-en": build_tiny_en}


@dataclass(frozen=True)
class SpokenClip:
    """One clip with its transcript and what was heard."""

    name: str
    words: int
    errors: int
    heard: str
    word_time_error_s: float | None
    """Median distance of word starts from the truth, where the truth is known."""


@dataclass(frozen=True)
class Negative:
    """Sound in which nobody speaks; `heard` should be empty."""

    kind: str
    clips: int
    clips_with_text: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class SpeechBench:
    """The whole benchmark."""

    model: str
    clips: tuple[SpokenClip, ...]
    joined_errors: int
    """Errors when all clips are heard as one recording, which is how videos are heard."""
    timing: Timing
    """The speed on that recording."""
    negatives: tuple[Negative, ...]

    @property
    def words(self) -> int:
        return sum(clip.words for clip in self.clips)

    @property
    def wer(self) -> float:
        return ratio(sum(clip.errors for clip in self.clips), self.words)

    @property
    def joined_wer(self) -> float:
        return ratio(self.joined_errors, self.words)


@click.command("speech")
@click.option("--model", type=click.Choice(sorted(_BUILDERS)), default="whisper-base", show_default=True)
@click.option("--esc", default=4, show_default=True, help="Environmental clips per class.")
@click.option("--json", "wants_json", is_flag=True, help="Print JSON.")
def command(model: str, esc: int, wants_json: bool) -> None:
    """Measure word errors, word times, speed, and text invented where nobody speaks.

    \b
    Example:
      vidence bench speech --model whisper-base
    """
    settings = load_settings()
    result = run(settings.model_home, model=model, threads=settings.threads, esc_per_class=esc)
    console = output()
    if wants_json:
        print_json(console, as_json(result))
    else:
        render(console, result)


def run(home: Path, *, model: str = "whisper-base", threads: int = 2, esc_per_class: int = 4) -> SpeechBench:
    """Measure a speech model on the shared media.

    Args:
        home: where the model cache is.
        esc_per_class: how many environmental clips of each of the 50 classes to listen to.
    """
    recognizer = _BUILDERS[model](ModelContext(ModelCache(home), threads=threads))
    folder = shared_folder()
    clips = _spoken(folder / "media")
    recognizer.transcribe(clips[0].samples)  # Opening the model is not part of its speed.
    scored = tuple(_score(clip, recognizer) for clip in clips)
    errors, timing = _joined(clips, recognizer)
    negatives = tuple(
        _negative(kind, sounds, recognizer) for kind, sounds in _silent_sets(folder, esc_per_class)
    )
    return SpeechBench(model, scored, errors, timing, negatives)


def render(console: Console, result: SpeechBench) -> None:
    """Print the benchmark as three tables."""
    times = [c.word_time_error_s for c in result.clips if c.word_time_error_s is not None]
    print_table(
        console,
        f"Speech: {result.model}",
        ["set", "words", "WER", "WER as one", "× real time", "× per core", "word start ±s"],
        [
            [
                "media/audio/speech",
                result.words,
                result.wer,
                result.joined_wer,
                result.timing.times_real_time,
                result.timing.times_real_time_per_core,
                median(times) if times else None,
            ]
        ],
    )
    print_table(
        console,
        "Clips with errors",
        ["clip", "words", "errors", "heard"],
        [[c.name, c.words, c.errors, c.heard[:90]] for c in result.clips if c.errors],
    )
    print_table(
        console,
        "Text where nobody speaks (0 is right)",
        ["sound", "clips", "with text", "examples"],
        [[n.kind, n.clips, n.clips_with_text, " | ".join(n.examples)[:90]] for n in result.negatives],
    )


def as_json(result: SpeechBench) -> dict[str, object]:
    """Return the benchmark as plain data."""
    return {**asdict(result), "wer": result.wer, "joined_wer": result.joined_wer}


def normalise(text: str) -> list[str]:
    """Return the words of a text without case, punctuation and hyphens; Chinese by character."""
    plain = re.sub(r"[^\w' ]", " ", text.lower())
    words = re.findall(rf"[{HAN}]|[^\s{HAN}]+", plain)
    return [_NUMBERS.get(word, word) for word in words]


def edit_distance(truth: Sequence[str], heard: Sequence[str]) -> int:
    """Return how many words must be changed, added or left out to turn one into the other."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(truth, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(heard, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other))
    return row[-1]


@dataclass(frozen=True)
class _Spoken:
    name: str
    text: str
    samples: FloatArray
    starts: tuple[tuple[str, float], ...]


def _spoken(media: Path) -> list[_Spoken]:
    with (media / "gt" / "speech_transcripts.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        _Spoken(
            row["file"],
            row["transcript"],
            load_sound(media / "audio" / "speech" / row["file"]),
            tuple(_word_starts(media / "gt" / (Path(row["file"]).stem + ".json"))),
        )
        for row in rows
    ]


def _word_starts(path: Path) -> Iterator[tuple[str, float]]:
    if path.is_file():
        for word in json.loads(path.read_text(encoding="utf-8"))["w"]:
            yield re.sub(r"\(\d+\)$", "", word["t"]).lower(), float(word["b"])


def _score(clip: _Spoken, recognizer: WhisperRecognizer) -> SpokenClip:
    found = recognizer.transcribe(clip.samples)
    heard = " ".join(segment.text for segment in found.segments)
    truth = normalise(clip.text)
    return SpokenClip(
        clip.name, len(truth), edit_distance(truth, normalise(heard)), heard, _time_error(clip, found)
    )


def _time_error(clip: _Spoken, found: Transcription) -> float | None:
    """Return the median difference between the start times of matching words."""
    heard = [(normalise(w.text), w.start_time) for segment in found.segments for w in segment.words]
    gaps, at = [], 0
    for word, start in clip.starts:
        for i in range(at, min(at + 4, len(heard))):
            if heard[i][0] == [word]:
                gaps.append(abs(heard[i][1] - start))
                at = i + 1
                break
    return float(median(gaps)) if gaps else None


def _joined(clips: Sequence[_Spoken], recognizer: WhisperRecognizer) -> tuple[int, Timing]:
    gap = np.zeros(int(_GAP_S * SOUND_RATE), dtype=np.float32)
    sound = np.concatenate([part for clip in clips for part in (clip.samples, gap)])
    wall, cpu = time.perf_counter(), time.process_time()
    found = recognizer.transcribe(sound)
    timing = Timing(len(sound) / SOUND_RATE, time.perf_counter() - wall, time.process_time() - cpu)
    truth = [word for clip in clips for word in normalise(clip.text)]
    return edit_distance(truth, normalise(" ".join(s.text for s in found.segments))), timing


def _negative(kind: str, sounds: Sequence[FloatArray], recognizer: WhisperRecognizer) -> Negative:
    texts = [" ".join(s.text for s in recognizer.transcribe(sound).segments) for sound in sounds]
    spoken = [text for text in texts if text]
    return Negative(kind, len(sounds), len(spoken), tuple(spoken[:5]))


def _silent_sets(folder: Path, esc_per_class: int) -> Iterator[tuple[str, list[FloatArray]]]:
    rng = np.random.default_rng(7)
    seconds = np.arange(20 * SOUND_RATE) / SOUND_RATE
    yield "digital silence", [np.zeros(20 * SOUND_RATE, dtype=np.float32)]
    noises = [rng.normal(0, level, 20 * SOUND_RATE).astype(np.float32) for level in (0.001, 0.03, 0.3)]
    yield "white noise", noises
    chords = [sum(np.sin(2 * np.pi * base * k * seconds) for k in (1, 1.25, 1.5)) for base in (220, 330, 440)]
    yield "sine chords", [np.asarray(0.1 * chord, dtype=np.float32) for chord in chords]
    yield "film music", [load_sound(folder / "media" / "videos" / "bbb_480p.mp4")]
    if esc_per_class:
        yield "ESC-50 clips", [load_sound(path) for path in _esc(folder / "audio_events", esc_per_class)]


def _esc(folder: Path, per_class: int) -> Iterator[Path]:
    seen: dict[str, int] = {}
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            seen[row["category"]] = seen.get(row["category"], 0) + 1
            if seen[row["category"]] <= per_class:
                yield folder / "clips" / row["file"]
