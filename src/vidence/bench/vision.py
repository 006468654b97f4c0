"""`vidence bench vision`: objects, colours, camera motion and activities, each beside a baseline."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np

from vidence.app import Workspace
from vidence.bench.report import output, print_json, print_table, ratio
from vidence.bench.shared import scratch_workspace, shared_folder
from vidence.errors import FileProblem
from vidence.index.activity.event import snake_case
from vidence.language.objects import ObjectQuery, parse_query
from vidence.language.tables import read_table
from vidence.media import open_video
from vidence.models.vision.tiles import TiledDetector
from vidence.queries.activity.clips import missing_clips, recognize_clip
from vidence.queries.objects.frame import FrameObjects
from vidence.queries.objects.match import Measured, match_score
from vidence.schema.perception import Box, Detection, Rgb
from vidence.schema.time import TimeRange

__all__ = ["STATIC_CLIPS", "Figure", "command", "load_activities"]

_SECTIONS = ("objects", "people", "colours", "camera", "activities")
_SURE = 0.5
_MIN_IOU = 0.5
_MOT_CLIPS = ("vtest.avi", "TUD-Campus.avi", "TUD-Stadtmitte.avi")
_MOT_FRAMES = 8
_COLOUR_LOOKS = 5
_RAW_STATES = 0.3
"""Score from which the best guess of the raw action model counts as stated."""
_MOVES = {"zoom in": "zoom", "zoom out": "zoom", "pan left": "pan", "pan right": "pan", "tilt up": "tilt"}
_LOWER = re.compile(r"\b(trousers|pants|jeans|skirt|shorts)\b")
STATIC_CLIPS: Mapping[str, tuple[float, ...]] = {
    "intel_bottle.mp4": (3.0, 17.5, 32.0),
    "intel_talk.mp4": (10.0, 25.0, 35.0),
    "sam2_dog.mp4": (1.5, 4.0, 7.5),
    "TUD-Campus.avi": (0.7, 1.4, 2.1),
    "TUD-Stadtmitte.avi": (1.5, 3.5, 6.0),
    "vtest.avi": (10.0, 40.0, 70.0),
    "meeting_c3.webm": (3.5, 14.0, 32.0),
}
"""Single shots from a camera on a stand, and times to ask about."""
_TOP = re.compile(r"\b(caps?|lids?)\b")

Finder = Callable[[Rgb], Sequence[Detection]]
Truth = Sequence[tuple[str, Box]]


@dataclass(frozen=True)
class Figure:
    """One measured share, and what it is a share of."""

    what: str
    how: str
    measure: str
    value: float
    of: int


@click.command("vision")
@click.option("--only", type=click.Choice(_SECTIONS), multiple=True, help="Measure only these.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(only: tuple[str, ...], as_json: bool) -> None:
    """Measure objects, colours, camera motion and activities.

    \b
    Example:
      vidence bench vision --only objects --only camera
    """
    media = shared_folder() / "media"
    measures: dict[str, Callable[[Workspace, Path], Iterator[Figure]]] = {
        "objects": _photographs,
        "people": _people,
        "colours": _colours,
        "camera": _camera,
        "activities": _activities,
    }
    with scratch_workspace() as workspace:
        figures = [
            figure
            for name, measure in measures.items()
            if not only or name in only
            for figure in measure(workspace, media)
        ]
    if as_json:
        print_json(output(), [asdict(figure) for figure in figures])
        return
    for what in dict.fromkeys(figure.what for figure in figures):
        rows = [(f.how, f.measure, f.value, f.of) for f in figures if f.what == what]
        print_table(output(), what, ("how", "measure", "value", "of"), rows)


def _finders(workspace: Workspace) -> dict[str, Finder]:
    shelf = workspace.indexer.shelf
    tiled = TiledDetector(shelf.detector, grid=2)
    return {
        "one look (baseline)": lambda image: shelf.detector.detect([image])[0],
        "2 × 2 tiles": lambda image: tiled.detect([image])[0],
        "detect_objects": lambda image: FrameObjects(0.0, image, shelf).find(),
    }


def _photographs(workspace: Workspace, media: Path) -> Iterator[Figure]:
    listed = json.loads((media / "gt" / "detection.json").read_text("utf-8"))["images"]
    cases = [(_read(media / "images" / item["file"]), _truth_of(item)) for item in listed]
    for name, find in _finders(workspace).items():
        hits = placed = total = 0
        for image, truth in cases:
            found = [one for one in find(image) if one.confidence >= 0.3]
            hits += len(_hits(truth, found))
            # Judge the label of the best detection in the right place.
            for label, box in truth:
                near = [one for one in found if one.box.iou(box) >= _MIN_IOU]
                placed += bool(near) and max(near, key=lambda one: one.confidence).category == label
            total += len(truth)
        yield Figure("photographs", name, "recall at IoU 0.5", ratio(hits, total), total)
        yield Figure("photographs", name, "label right in place", ratio(placed, total), total)


def _people(workspace: Workspace, media: Path) -> Iterator[Figure]:
    cases = [case for clip in _MOT_CLIPS for case in _mot_frames(media, clip)]
    for name, find in _finders(workspace).items():
        hits = total = claimed = 0
        for image, truth in cases:
            found = [one for one in find(image) if one.category == "person" and one.confidence >= _SURE]
            hits, total, claimed = hits + len(_hits(truth, found)), total + len(truth), claimed + len(found)
        yield Figure("people in streets", name, "recall at IoU 0.5", ratio(hits, total), total)
        yield Figure("people in streets", name, "precision", ratio(hits, claimed), claimed)


def _colours(workspace: Workspace, media: Path) -> Iterator[Figure]:
    items = json.loads((media / "qa.json").read_text("utf-8"))["items"]
    asked = [
        item
        for item in items
        if re.match(r"what (are the )?colou?rs?\b", item["question"], re.IGNORECASE) and item["evidence"]
    ]
    answers = [_colour_answer(workspace, media, item) for item in asked]
    right = sum(_accepts(item["check"], answer) for item, answer in zip(asked, answers, strict=True))
    words = [str(item["answer"]).lower() for item in asked]
    constants = Counter(word for text in words for word in set(re.findall(r"[a-z]+", text)))
    constant = constants.most_common(1)[0][0]
    yield Figure("colour questions", "detect_objects", "accuracy", ratio(right, len(asked)), len(asked))
    guessed = sum(_accepts(item["check"], constant) for item in asked)
    how = f"always {constant!r} (baseline)"
    yield Figure("colour questions", how, "accuracy", ratio(guessed, len(asked)), len(asked))


def _camera(workspace: Workspace, media: Path) -> Iterator[Figure]:
    cases = [
        (media / "videos" / clip, time, "static") for clip, times in STATIC_CLIPS.items() for time in times
    ]
    told = [(_motion(workspace, path, time), expected) for path, time, expected in cases]
    yield Figure("camera, clips on a stand", "get_scene_attributes", "accuracy", _agree(told), len(told))
    film = Path(__file__).parents[3] / "samples" / "vidence_sample.mp4"
    if not film.is_file():
        return
    shots = json.loads(film.with_suffix(".json").read_text("utf-8"))["shots"]
    moves = [_MOVES.get(shot["camera_motion"], shot["camera_motion"]) for shot in shots]
    got = [_motion(workspace, film, (shot["start"] + shot["end"]) / 2) for shot in shots]
    pairs = list(zip(got, moves, strict=True))
    yield Figure("camera, sample film", "get_scene_attributes", "accuracy", _agree(pairs), len(pairs))
    best, count = Counter(moves).most_common(1)[0]
    yield Figure(
        "camera, sample film", f"always {best!r} (baseline)", "accuracy", ratio(count, len(moves)), len(moves)
    )


def _activities(workspace: Workspace, media: Path) -> Iterator[Figure]:
    ours, raw = [], []
    for video, span, labels in load_activities():
        path = media / "videos" / video
        arguments = {"video_id": workspace.add(path).video.video_id, **span.model_dump()}
        ours.append((workspace.run("recognize_activity", arguments).result.primary_activity, labels))
        raw.append((_raw_action(workspace, path, span), labels))
    for how, told in (("recognize_activity", ours), ("model's best score (baseline)", raw)):
        right = sum(label in labels if labels else label is None for label, labels in told)
        wrong = sum(label is not None and label not in labels for label, labels in told)
        yield Figure("activities", how, "right", ratio(right, len(told)), len(told))
        yield Figure("activities", how, "wrong", ratio(wrong, len(told)), len(told))


def load_activities() -> Iterator[tuple[str, TimeRange, frozenset[str]]]:
    """Yield spans of the shared clips with the labels that are right for them, if any."""
    for video, start, end, labels in read_table("activities.tsv", room="bench"):
        span = TimeRange(start_time=float(start), end_time=float(end))
        yield video, span, frozenset(labels.split(",")) - {"-"}


def _truth_of(item: dict[str, Any]) -> Truth:
    width, height = item["width"], item["height"]
    boxes = [(one["label"], one["bbox_xywh"]) for one in item["objects"]]
    return [(label, Box(x / width, y / height, w / width, h / height)) for label, (x, y, w, h) in boxes]


def _hits(truth: Truth, found: Sequence[Detection]) -> set[int]:
    """Return the indices of the detections that match a true box, one each."""
    taken: set[int] = set()
    for label, box in truth:
        free = [
            (one.box.iou(box), index)
            for index, one in enumerate(found)
            if index not in taken and one.category == label and one.box.iou(box) >= _MIN_IOU
        ]
        if free:
            taken.add(max(free)[1])
    return taken


def _mot_frames(media: Path, clip: str) -> Iterator[tuple[Rgb, Truth]]:
    boxes: dict[int, list[tuple[float, ...]]] = {}
    for line in (media / "gt" / f"{Path(clip).stem}_mot.txt").read_text("utf-8").splitlines():
        frame, _, *box = map(float, line.split(",")[:6])
        boxes.setdefault(int(frame), []).append(tuple(box))
    with open_video(media / "videos" / clip) as reader:
        times = np.linspace(0.2, reader.info.duration_s - 0.3, _MOT_FRAMES)
        for picture in reader.at([float(time) for time in times]):
            width, height = picture.size
            truth = [
                ("person", Box(x / width, y / height, w / width, h / height))
                for x, y, w, h in boxes.get(picture.index + 1, [])
            ]
            yield picture.rgb(), truth


def _colour_answer(workspace: Workspace, media: Path, item: dict[str, Any]) -> str:
    """Answer a colour question by majority over several frames."""
    query = parse_query(item["question"].replace("'s", ""))
    wanted = query.head.categories if query.head else frozenset({"person"})
    names = ["color", "clothing_color"] + ["lower_clothing_color"] * bool(_LOWER.search(item["question"]))
    if _TOP.search(item["question"]):
        names = ["top_color"]
    votes: dict[str, Counter[str]] = {name: Counter() for name in names}
    start, end = item["evidence"]
    with open_video(media / "videos" / item["video"]) as reader:
        times = np.linspace(start, min(end, reader.info.duration_s), _COLOUR_LOOKS + 1)[:-1]
        for picture in reader.at([float(time) for time in times]):
            frame = FrameObjects(picture.time_s, picture.rgb(max_side=1600), workspace.indexer.shelf)
            things = [frame.measure(one) for one in frame.find(wanted)]
            best = max(things, key=lambda thing: _fit(query, thing, things), default=None)
            told = best.attributes if best is not None else {}
            for name in names:
                votes[name].update([told[name]] if name in told else [])
    return ", ".join(votes[name].most_common(1)[0][0] for name in names if votes[name])


def _fit(query: ObjectQuery, thing: Measured, others: Sequence[Measured]) -> tuple[float, float]:
    return match_score(query, thing, others) * thing.found.confidence, thing.found.confidence


def _accepts(check: dict[str, Any], answer: str) -> bool:
    patterns = check["accept"] if check["kind"] == "regex_all" else [check["accept"]]
    return all(re.search(pattern, answer, re.IGNORECASE) for pattern in patterns)


def _motion(workspace: Workspace, path: Path, time: float) -> str | None:
    video_id = workspace.add(path).video.video_id
    arguments = {"video_id": video_id, "timestamp": time, "attributes": ["camera_motion"]}
    told: str | None = workspace.run("get_scene_attributes", arguments).result.camera_motion
    return told


def _agree(pairs: Sequence[tuple[str | None, str]]) -> float:
    return ratio(sum(got == expected for got, expected in pairs), len(pairs))


def _raw_action(workspace: Workspace, path: Path, span: TimeRange) -> str | None:
    """Return the best label of the action model over the clips of a span, if its score is high enough."""
    shelf = workspace.indexer.shelf
    length_s = shelf.actions.clip_frames / shelf.actions.clip_fps
    with open_video(path) as reader:
        clips = [recognize_clip(reader, clip, shelf) for clip in missing_clips(span, [], length_s)]
    best = max((action for clip in clips for action in clip.actions), key=lambda action: action.score)
    return snake_case(best.label) if best.score >= _RAW_STATES else None


def _read(path: Path) -> Rgb:
    image = cv2.imread(str(path), cv2.IMREAD_COLOR_RGB)
    if image is None:
        raise FileProblem(f"{path} cannot be read as a picture.")
    return np.asarray(image, np.uint8)
