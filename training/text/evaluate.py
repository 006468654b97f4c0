"""Measure the reader of text by condition.

PYTHONPATH=src:. python -m training.text.evaluate --shared ../shared --part report
"""

from __future__ import annotations

import argparse
import json
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from training.text.scenes import CONDITIONS, Placed, Scene, backgrounds, scenes
from vidence.bench.speech import edit_distance
from vidence.models.cache import ModelCache
from vidence.models.context import ModelContext
from vidence.models.vision.ppocr import build
from vidence.queries.notes.screen import tidy_text
from vidence.schema.perception import TextLine
from vidence.settings import load_settings

_FOUND = 0.5
_REACH = 0.3


@dataclass
class Tally:
    """What was found of one condition."""

    lines: int = 0
    found: int = 0
    exact: int = 0
    spaced: int = 0
    with_spaces: int = 0
    errors: int = 0
    characters: int = 0
    false: int = 0
    seconds: float = 0.0
    examples: list[tuple[str, str]] = field(default_factory=list)


def _plain(text: str) -> str:
    shown = unicodedata.normalize("NFKC", text).replace("·", "").replace("•", "")
    return "".join(shown.split()).lower()


def _spaced(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).replace("·", "").replace("•", "").split()).lower()


def _place_of(scene: Scene, line: TextLine) -> int | None:
    """Return which of the placed lines a read line lies on."""
    height, width = scene.picture.shape[:2]
    centre = line.box.centre[0] * width, line.box.centre[1] * height
    inside = [cv2.pointPolygonTest(one.corners, centre, True) for one in scene.placed]
    best = int(np.argmax(inside))
    near = _REACH * min(
        float(np.linalg.norm(scene.placed[best].corners[0] - scene.placed[best].corners[3])), 40
    )
    return best if inside[best] > -near else None


def _read_text(placed: Placed, lines: Sequence[TextLine], width: int, height: int) -> str:
    along = placed.corners[1] - placed.corners[0]
    if np.linalg.norm(placed.corners[3] - placed.corners[0]) > np.linalg.norm(along):
        along = placed.corners[3] - placed.corners[0]
    order = sorted(
        lines, key=lambda one: one.box.centre[0] * width * along[0] + one.box.centre[1] * height * along[1]
    )
    return " ".join(line.text for line in order)


def score(scene: Scene, lines: Sequence[TextLine], tally: Tally) -> None:
    """Add one scene to the tally."""
    height, width = scene.picture.shape[:2]
    places = [_place_of(scene, line) for line in lines]
    for index, placed in enumerate(scene.placed):
        here = [line for line, place in zip(lines, places, strict=True) if place == index]
        text = tidy_text(_read_text(placed, here, width, height))
        truth, read = _plain(placed.text), _plain(text)
        errors = min(edit_distance(truth, read), len(truth))
        tally.lines += 1
        tally.errors += errors
        tally.characters += len(truth)
        tally.found += errors <= _FOUND * len(truth)
        tally.exact += truth == read
        if truth == read and " " in placed.text.strip():
            tally.with_spaces += 1
            tally.spaced += _spaced(placed.text) == _spaced(text)
        if _spaced(placed.text) != _spaced(text):
            tally.examples.append(
                (placed.text, " | ".join(f"{one.text} {one.confidence:.2f}" for one in here))
            )
    tally.false += places.count(None)


def main() -> None:
    """Read every scene and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--part", choices=("fit", "report"), default="fit")
    parser.add_argument("--number", type=int, default=16)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    reader = build(ModelContext(ModelCache(load_settings().model_home), threads=1))
    behind = backgrounds(args.shared / "media", args.part)
    tallies: dict[str, Tally] = {}
    print(f"{'condition':22s} lines found exact  CER  spaces  false  ms", flush=True)
    for name in CONDITIONS:
        if args.only and not any(part in name for part in args.only.split(",")):
            continue
        tally = tallies.setdefault(name, Tally())
        for scene in scenes(name, args.part, behind, args.number):
            start = time.process_time()
            [lines] = reader.read([scene.picture])
            tally.seconds += time.process_time() - start
            score(scene, lines, tally)
        _print(name, tally, args.number)
        for truth, read in tally.examples[: args.show]:
            print("      ", truth, "  ->  ", read)
    _total(tallies)
    if args.json:
        args.json.write_text(
            json.dumps({name: vars(one) for name, one in tallies.items()}, ensure_ascii=False)
        )


def _print(name: str, t: Tally, number: int) -> None:
    n = max(t.lines, 1)
    spaces, wrong = f"{t.spaced}/{t.with_spaces}", t.errors / max(t.characters, 1)
    print(
        f"{name:22s} {t.lines:5d} {t.found / n:5.2f} {t.exact / n:5.2f} {wrong:5.2f} {spaces:>7s}"
        f" {t.false:5d} {1000 * t.seconds / number:5.0f}",
        flush=True,
    )


def _total(tallies: dict[str, Tally]) -> None:
    all_of = Tally()
    for name, one in tallies.items():
        if name in ("Cyrillic", "Arabic", "Korean", "Thai", "Hindi"):
            continue
        for key in (
            "lines",
            "found",
            "exact",
            "spaced",
            "with_spaces",
            "errors",
            "characters",
            "false",
            "seconds",
        ):
            setattr(all_of, key, getattr(all_of, key) + getattr(one, key))
    _print("all readable", all_of, max(all_of.lines, 1))


if __name__ == "__main__":
    main()
