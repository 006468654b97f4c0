"""The lane that tracks objects: detections at a pace that suits their motion, joined into tracks."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vidence.index.pipeline.frame import NearDuplicateFilter
from vidence.index.pipeline.job import Job, StageWriter
from vidence.index.pipeline.lanes import PassResources
from vidence.index.thumbnails import THUMB, Thumb, is_alike
from vidence.index.tracking.follow import Followed, Follower
from vidence.index.tracking.frame import FrameDetections, camera_step, timed_boxes
from vidence.index.tracking.links import Linked
from vidence.index.tracking.tracklets import COLOURS, load_tracklets, track_row
from vidence.media import DecodedFrame
from vidence.schema.entities import IdentitySeen, TrackSeen
from vidence.schema.perception import Detection, FloatArray, Rgb
from vidence.store import VectorRow

__all__ = ["IDENTITIES", "Pace", "TracksLane"]

IDENTITIES = "identities"
"""The name under which identities are stored: they are made with the tracks, not as a stage."""
_CROP_EVERY_S = 0.8
_SLOWER = 3.0
"""How much less often frames with still objects are analysed than frames with moving ones."""
_CROPS = 3
_CUT = 0.5
"""A picture that differs so much from the one before belongs to another shot."""
_EARLY_S = 0.002
_STRIDE = 0.25
"""An object should move no further than this share of its width between two frames."""
_SLOW_SHARE = 0.8
_LATER, _SOONEST = 0.15, 0.8
"""How far a frame may be moved, as shares of the wait."""


class Pace:
    """Chooses the frames to detect in: often where objects move fast for their size, seldom where none does.

    Args:
        meet_s: the interval of the other lanes; a frame due at about the same time as theirs is moved to
            theirs, because then one detection serves both.
    """

    GRAY_SIZE = NearDuplicateFilter.SIZE

    def __init__(self, *, fast_s: float, slow_s: float, meet_s: float, start_s: float = 0.0) -> None:
        self._fast_s, self._slow_s, self._meet_s = fast_s, slow_s, meet_s
        self._filter = NearDuplicateFilter()
        self._next_s = start_s
        self._wait_s = slow_s

    @property
    def is_slow(self) -> bool:
        """Whether frames are now so far apart that each may take longer."""
        return self._wait_s >= _SLOW_SHARE * self._slow_s

    def is_time(self, time_s: float) -> bool:
        """Tell whether the next frame is due."""
        return time_s >= self._next_s - _EARLY_S

    def is_new(self, time_s: float, gray: NDArray[np.uint8]) -> bool:
        """Tell whether the picture differs from the last one analysed; if not, wait a little."""
        if not self._filter.is_duplicate(gray):
            return True
        self._next_s = time_s + self._fast_s
        return False

    def analysed(self, time_s: float, *, top_speed: float, is_idle: bool) -> None:
        """Schedule the next frame by the speed of the fastest object, in its own widths a second."""
        wanted_s = self._slow_s if is_idle else _STRIDE / max(top_speed, 1e-6)
        self._wait_s = min(max(wanted_s, self._fast_s), self._slow_s)
        self._next_s = self._aligned(time_s, time_s + self._wait_s)

    def _aligned(self, time_s: float, next_s: float) -> float:
        """Move a time to that of another lane: much earlier or a little later."""
        latest_s = next_s + _LATER * self._wait_s
        shared_s = math.floor(latest_s / self._meet_s + 1e-9) * self._meet_s
        return shared_s if shared_s > time_s + _SOONEST * self._wait_s else next_s


class TracksLane:
    """Detects and tracks, commits whole batches of tracks, and links them into identities at the end."""

    def __init__(self, job: Job, writer: StageWriter, resources: PassResources) -> None:
        self._job, self._writer, self._detections = job, writer, resources.detections
        self.resume_s = writer.resume_s
        self._begin(self.resume_s)
        self._count = len(job.store.observations.load(job.video_id, writer.stage, TrackSeen))

    def _begin(self, start_s: float) -> None:
        """Begin a batch of tracks; nothing before it may matter, since a killed run resumes here."""
        profile = self._job.profile
        every_s = profile.track_every_s or profile.frame_every_s
        self._pace = Pace(
            fast_s=every_s, slow_s=_SLOWER * every_s, meet_s=profile.frame_every_s, start_s=start_s
        )
        self._follower: Follower | None = None
        self._older: tuple[FrameDetections, Thumb] | None = None
        self._crop_s = start_s - _CROP_EVERY_S

    def feed(self, picture: DecodedFrame) -> None:
        """Take the next decoded frame."""
        time_s = picture.time_s
        if not self._pace.is_time(time_s):
            return
        gray = picture.gray(size=Pace.GRAY_SIZE)
        if not self._pace.is_new(time_s, gray):
            return
        thumb = picture.rgb(size=THUMB)
        follower = self._following(picture)
        is_cut = self._older is not None and not is_alike(self._older[1], thumb, _CUT)
        if is_cut or follower.is_ready(time_s):
            self._commit(follower.take(time_s), time_s)
            self._begin(time_s)
            self._pace.is_new(time_s, gray)
            follower = self._following(picture)
        with_crops = time_s - self._crop_s >= _CROP_EVERY_S
        if with_crops:
            self._crop_s = time_s
        frame = FrameDetections.take(picture, self._find(picture.index), with_crops=with_crops)
        camera = camera_step(self._older[0], frame) if self._older else None
        follower.update(time_s, timed_boxes(frame), camera)
        self._pace.analysed(time_s, top_speed=follower.top_speed, is_idle=follower.is_idle)
        self._older = (frame, thumb)
        self._job.progress(self._writer.stage, time_s)

    def finish(self) -> None:
        """Close the open tracks, link all tracks into identities, and mark the stage as done."""
        end_s = self._job.duration_s
        if self._follower is not None:
            self._commit(self._follower.take(end_s), end_s)
        identities = self._identities()
        store, video_id = self._job.store, self._job.video_id
        with store.unit_of_work():
            store.observations.clear(video_id, IDENTITIES)
            store.observations.append(video_id, IDENTITIES, identities)
            self._writer.finish()
        self._job.report(self._writer.stage, 1.0)

    def _find(self, index: int) -> Callable[[Rgb], list[Detection]]:
        """Return the detector to use for a frame: with tiles too where there is time for it."""
        cache = self._detections
        return partial(cache.detect_closely if self._pace.is_slow else cache.detect, index)

    def _following(self, picture: DecodedFrame) -> Follower:
        if self._follower is None:
            width, height = picture.size
            self._follower = Follower(aspect=width / height, start_s=picture.time_s)
        return self._follower

    def _commit(self, followed: list[Followed], upto_s: float) -> None:
        rows, vectors = [], []
        for one in followed:
            self._count += 1
            row = track_row(one, f"trk_{self._count:04d}")
            rows.append(row)
            vectors += self._vectors(one, row)
        self._writer.commit(rows, vectors=vectors, upto_s=upto_s)

    def _vectors(self, followed: Followed, row: TrackSeen) -> list[VectorRow]:
        found = [VectorRow(row.start_time, row.end_time, row.track_id + COLOURS, _colours(followed))]
        crops = _best_crops(followed)
        if crops:
            body = self._job.shelf.image_embedder.embed(crops).mean(axis=0)
            found.append(VectorRow(row.start_time, row.end_time, row.track_id, _unit(body)))
        return found

    def _identities(self) -> list[IdentitySeen]:
        tracklets = load_tracklets(self._job.store, self._job.video_id)
        rows = [
            _identity(track, link) for track, link in zip(tracklets.tracks, tracklets.link(), strict=True)
        ]
        return sorted(rows, key=lambda row: row.start_time)


def _identity(track: TrackSeen, link: Linked) -> IdentitySeen:
    return IdentitySeen(
        start_time=track.start_time,
        end_time=track.end_time,
        identity_id=f"idn_{link.identity + 1:03d}",
        track_id=track.track_id,
        category=track.category,
        confidence=link.confidence,
    )


def _best_crops(followed: Followed) -> list[Rgb]:
    """Return the largest and most confident crops."""
    kept = [
        (seen.confidence * seen.box.area, seen.crop) for seen in followed.sightings if seen.crop is not None
    ]
    return [crop for _, crop in sorted(kept, key=lambda pair: -pair[0])[:_CROPS]]


def _colours(followed: Followed) -> FloatArray:
    return _unit(np.mean([seen.colours for seen in followed.sightings if seen.colours is not None], axis=0))


def _unit(vector: FloatArray) -> FloatArray:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)
