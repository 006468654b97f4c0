"""`vidence bench tracking`: MOTA, IDF1 and switches, beside a public ByteTrack on the same detections."""

from __future__ import annotations

import importlib
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np
from rich.console import Console

from vidence.app import Workspace, open_workspace
from vidence.bench.mot import MotScore, score_tracks
from vidence.bench.report import output, print_json, print_table
from vidence.bench.shared import require, shared_folder
from vidence.errors import MissingExtra
from vidence.index.tracking.follow import Followed, Follower
from vidence.index.tracking.frame import FrameDetections, camera_step, timed_boxes
from vidence.index.tracking.tracker import Tracker
from vidence.index.tracking.tracklets import load_tracklets, track_row
from vidence.media import open_video
from vidence.queries.entities.identities import load_identities
from vidence.schema.entities import TrackSeen
from vidence.schema.perception import Box, Detection, Rgb
from vidence.settings import load_settings
from vidence.store import Store

__all__ = ["Measurement", "TrackingClip", "command", "count_distinct", "measure", "read_clip", "read_truth"]

_CLIPS = ("TUD-Campus.avi", "TUD-Stadtmitte.avi", "vtest.avi")
_ONLINE, _OURS, _INDEXED = "vidence, frame by frame", "vidence", "vidence, as indexed"
_EVEN = 0.5
"""Link probability for counting: at even odds wrong links and missed links cancel out."""
_MIN_SEEN_S = 0.5
_PEER = "ByteTrack (trackers)"

Boxes = dict[int, dict[int, Box]]


@dataclass(frozen=True)
class TrackingClip:
    """One clip with its truth and everything the trackers are given."""

    name: str
    size: tuple[int, int]
    fps: float
    glances: tuple[FrameDetections, ...]
    truth: Boxes
    indexed: list[tuple[int, TrackSeen]]
    """The tracks of people in the index, each with the number of its identity."""
    counted: int
    """How many different people the index counts."""

    @property
    def aspect(self) -> float:
        return self.size[0] / self.size[1]


@dataclass(frozen=True)
class Measurement:
    """One method on one clip."""

    clip: str
    method: str
    score: MotScore
    people: int
    most_at_once: int
    true_most_at_once: int
    looks: int
    """Frames on which the detector ran."""


@click.command("tracking")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """Compare trackers of people on three clips with hand-drawn tracks.

    \b
    Example:
      vidence bench tracking --json
    """
    require("The comparison with ByteTrack", "trackers", "supervision")
    console, notes = output(), Console(stderr=True)
    with tempfile.TemporaryDirectory(prefix="vidence-bench-home-") as home:
        settings = load_settings()
        with open_workspace(settings.model_copy(update={"home": Path(home)})) as workspace:
            clips = [
                read_clip(workspace, shared_folder() / "media", name, tell=notes.print) for name in _CLIPS
            ]
    found = measure(clips)
    if as_json:
        print_json(console, [_as_json(one) for one in found])
    else:
        _print(console, found)


def read_clip(
    workspace: Workspace, media: Path, name: str, *, tell: Callable[[str], None] = print
) -> TrackingClip:
    """Detect the people in every frame, once for all trackers, and index the clip."""
    tell(f"{name} …")
    glances = []

    def find(image: Rgb) -> list[Detection]:
        return workspace.indexer.shelf.detector.detect([image])[0]

    with open_video(media / "videos" / name) as reader:
        for picture in reader.frames():
            glances.append(FrameDetections.take(picture, find).only("person"))
            size = picture.size
        fps = float(reader.info.video.fps)
    truth = read_truth(media / "gt" / f"{Path(name).stem}_mot.txt", size)
    video_id = workspace.add(media / "videos" / name).video.video_id
    workspace.index(video_id, stages=["tracks"])
    counted = count_distinct(workspace.store, video_id, {"person"})
    return TrackingClip(name, size, fps, tuple(glances), truth, _indexed_tracks(workspace, video_id), counted)


def count_distinct(store: Store, video_id: str, categories: Collection[str]) -> int:
    """Return the number of distinct objects of some categories, at least the most seen at one time."""
    tracklets = load_tracklets(store, video_id).of(frozenset(categories))
    seen_s: defaultdict[int, float] = defaultdict(float)
    for track, link in zip(tracklets.tracks, tracklets.link(at_least=_EVEN), strict=True):
        seen_s[link.identity] += track.end_time - track.start_time
    identities = [one for one in load_identities(store, video_id) if one.category in categories]
    times = {point.time_s for one in identities for track, _ in one.tracks for point in track.points}
    at_once = (sum(one.box_at(time_s, slack_s=0.0) is not None for one in identities) for time_s in times)
    return max(sum(length_s >= _MIN_SEEN_S for length_s in seen_s.values()), max(at_once, default=0))


def _indexed_tracks(workspace: Workspace, video_id: str) -> list[tuple[int, TrackSeen]]:
    return [
        (number, track)
        for number, one in enumerate(load_identities(workspace.store, video_id))
        if one.category == "person"
        for track, _ in one.tracks
    ]


def read_truth(path: Path, size: tuple[int, int]) -> Boxes:
    """Read MOTChallenge ground truth without the boxes marked to be ignored."""
    found: Boxes = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        frame, person, x, y, w, h, counts = (float(cell) for cell in line.split(",")[:7])
        if counts:
            box = Box((x - 1) / size[0], (y - 1) / size[1], w / size[0], h / size[1])
            found.setdefault(int(frame), {})[int(person)] = box
    return found


def measure(clips: Sequence[TrackingClip]) -> list[Measurement]:
    """Run every method on every clip."""
    swept = [[_peer(clip, settings) for clip in clips] for settings in _peer_settings()]
    best = max(swept, key=lambda row: sum((one.score for one in row), MotScore()).idf1)
    name = f"{_PEER}, best of {len(swept)} settings"
    rows = [*swept[0], *(replace(one, method=name) for one in best)]
    for method, run in ((_ONLINE, _frame_by_frame), (_OURS, _every_frame), (_INDEXED, _indexed)):
        for clip in clips:
            boxes, looks = run(clip)
            rows.append(_measured(clip, method, boxes, looks))
    return rows


def _peer(clip: TrackingClip, settings: Mapping[str, float]) -> Measurement:
    people = [glance.found for glance in clip.glances]
    boxes = _run_peer(people, size=clip.size, fps=clip.fps, **settings)
    return _measured(clip, _PEER, boxes, len(clip.glances))


def _peer_settings() -> Iterator[Mapping[str, float]]:
    """Yield the default settings of ByteTrack, then those of the sweep."""
    yield {}
    for start, high in ((0.5, 0.4), (0.6, 0.3), (0.6, 0.4), (0.6, 0.5), (0.7, 0.4), (0.7, 0.6)):
        for overlap in (0.1, 0.2):
            yield {
                "track_activation_threshold": start,
                "high_conf_det_threshold": high,
                "minimum_iou_threshold": overlap,
            }


def _run_peer(
    frames: Sequence[Sequence[Detection]], *, size: tuple[int, int], fps: float, **settings: float
) -> dict[int, dict[int, Box]]:
    """Return the boxes of ByteTrack by frame (from 1) and track."""
    try:
        trackers, supervision = importlib.import_module("trackers"), importlib.import_module("supervision")
    except ImportError as exc:
        raise MissingExtra("The comparison with ByteTrack", "bench") from exc
    tracker = trackers.ByteTrackTracker(frame_rate=fps, **settings)
    scale = np.array([size[0], size[1], size[0], size[1]], float)
    found: dict[int, dict[int, Box]] = {}
    for number, detections in enumerate(frames, 1):
        boxes = [(d.box.x, d.box.y, d.box.x + d.box.w, d.box.y + d.box.h) for d in detections]
        given = supervision.Detections(
            xyxy=np.array(boxes).reshape(-1, 4) * scale,
            confidence=np.array([d.confidence for d in detections]),
            class_id=np.zeros(len(detections), int),
        )
        told = tracker.update(given)
        found[number] = {
            int(track): Box.from_corners(*(float(value) for value in corners / scale))
            for corners, track in zip(told.xyxy, told.tracker_id, strict=True)
            if track >= 0
        }
    return found


def _measured(clip: TrackingClip, method: str, boxes: Boxes, looks: int) -> Measurement:
    most, true_most = (max((len(b) for b in frames.values()), default=0) for frames in (boxes, clip.truth))
    score = score_tracks(clip.truth, boxes)
    people = clip.counted if method == _INDEXED else score.found_ids
    return Measurement(clip.name, method, score, people, most, true_most, looks)


def _frame_by_frame(clip: TrackingClip) -> tuple[Boxes, int]:
    """Associate detections online, as a live tracker does, without filling gaps."""
    tracker, older = Tracker(aspect=clip.aspect), None
    tracks = []
    for glance in clip.glances:
        tracks += tracker.update(glance.time_s, timed_boxes(glance), camera_step(older, glance))
        older = glance
    tracks += tracker.finish()
    frame_of = {glance.time_s: number for number, glance in enumerate(clip.glances, 1)}
    boxes: Boxes = {}
    for index, track in enumerate(tracks):
        for seen in track.sightings:
            boxes.setdefault(frame_of[seen.time_s], {})[index] = seen.box
    return boxes, len(clip.glances)


def _every_frame(clip: TrackingClip) -> tuple[Boxes, int]:
    """Track as the index does, but on every frame."""
    follower, older = Follower(aspect=clip.aspect), None
    followed: list[Followed] = []
    for glance in clip.glances:
        if follower.is_ready(glance.time_s):
            followed += follower.take(glance.time_s)
        follower.update(glance.time_s, timed_boxes(glance), camera_step(older, glance))
        older = glance
    followed += follower.take(clip.glances[-1].time_s)
    rows = [track_row(one, f"trk_{number:04d}") for number, one in enumerate(followed, 1)]
    return _boxes(clip, list(enumerate(rows))), len(clip.glances)


def _indexed(clip: TrackingClip) -> tuple[Boxes, int]:
    """Return the identities of the index, at the frame rate of the default profile."""
    looks = {point.time_s for _, row in clip.indexed for point in row.points}
    return _boxes(clip, clip.indexed), len(looks)


def _boxes(clip: TrackingClip, rows: Sequence[tuple[int, TrackSeen]]) -> Boxes:
    boxes: Boxes = {}
    for frame, glance in enumerate(clip.glances, 1):
        for whose, row in rows:
            place = row.box_at(glance.time_s)
            if place is not None:
                boxes.setdefault(frame, {})[whose] = Box(*place)
    return boxes


def _print(console: Console, found: Sequence[Measurement]) -> None:
    headings = ["method", "MOTA", "IDF1", "switches", "missed", "false", "people", "most at once", "looks"]
    for clip in (*dict.fromkeys(one.clip for one in found), None):
        rows: list[list[str | int | float | None]] = []
        for method in dict.fromkeys(one.method for one in found):
            mine = [one for one in found if one.method == method and clip in (one.clip, None)]
            total = sum((one.score for one in mine), MotScore())
            most = f"{sum(m.most_at_once for m in mine)}/{sum(m.true_most_at_once for m in mine)}"
            rows.append([
                method, total.mota, total.idf1, total.switches, total.misses, total.false_alarms,
                f"{sum(one.people for one in mine)}/{total.truth_ids}", most, sum(one.looks for one in mine),
            ])  # fmt: skip
        print_table(console, clip or "all three", headings, rows)


def _as_json(one: Measurement) -> dict[str, object]:
    score = one.score
    return {
        "clip": one.clip,
        "method": one.method,
        "mota": score.mota,
        "idf1": score.idf1,
        "switches": score.switches,
        "missed": score.misses,
        "false": score.false_alarms,
        "people": one.people,
        "true_people": score.truth_ids,
        "most_at_once": one.most_at_once,
        "true_most_at_once": one.true_most_at_once,
        "looks": one.looks,
    }
