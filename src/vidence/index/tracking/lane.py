"""The lane that follows things: detections at a pace that suits their motion, joined into tracks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from vidence.index.motion import THUMB, Thumb, is_alike
from vidence.index.pipeline.job import Job
from vidence.index.pipeline.sights import Sights
from vidence.index.pipeline.writer import StageWriter
from vidence.index.tracking.eyes import Glance, camera_step, sightings
from vidence.index.tracking.follow import Followed, Follower
from vidence.index.tracking.links import Linked
from vidence.index.tracking.pace import Pace
from vidence.index.tracking.rows import track_row
from vidence.index.tracking.stretches import COLOURS, load_stretches
from vidence.media import Picture
from vidence.schema.entities import IdentitySeen, TrackSeen
from vidence.schema.perception import Detection, FloatArray, Rgb
from vidence.store import VectorRow

__all__ = ["IDENTITIES", "TracksLane"]

IDENTITIES = "identities"
"""Where the identities are kept among the observations: they are made with the tracks, not as a stage."""
_CROP_EVERY_S = 0.8
_SLOWER = 3.0
"""How much less often still things are looked at than moving ones."""
_CROPS = 3
_CUT = 0.5
"""A picture that differs so much from the one before belongs to another shot."""


class TracksLane:
    """Looks, follows, commits whole batches of tracks, and links them when the video is over."""

    def __init__(self, job: Job, writer: StageWriter, sights: Sights) -> None:
        self._job, self._writer, self._sights = job, writer, sights
        self.resume_s = writer.resume_s
        every_s = job.profile.track_every_s or job.profile.frame_every_s
        self._pace = Pace(
            fast_s=every_s,
            slow_s=_SLOWER * every_s,
            meet_s=job.profile.frame_every_s,
            start_s=self.resume_s,
        )
        self._follower: Follower | None = None
        self._older: tuple[Glance, Thumb] | None = None
        self._crop_s = -_CROP_EVERY_S
        self._count = len(job.store.observations.load(job.video_id, writer.stage, TrackSeen))

    def feed(self, picture: Picture) -> None:
        """Take in the next decoded frame."""
        time_s = picture.time_s
        if not self._pace.is_time(time_s) or not self._pace.is_new(time_s, picture.gray(size=Pace.GRAY_SIZE)):
            return
        thumb = picture.rgb(size=THUMB)
        follower = self._following(picture)
        is_cut = self._older is not None and not is_alike(self._older[1], thumb, _CUT)
        if is_cut or follower.is_ready(time_s):
            self._commit(follower.take(time_s), time_s)
            self._crop_s = time_s - _CROP_EVERY_S
        with_crops = time_s - self._crop_s >= _CROP_EVERY_S
        if with_crops:
            self._crop_s = time_s
        glance = Glance.take(picture, self._find(picture.index), with_crops=with_crops)
        camera = camera_step(self._older[0], glance) if self._older and not is_cut else None
        follower.update(time_s, sightings(glance), camera)
        self._pace.looked(time_s, top_speed=follower.top_speed, is_idle=follower.is_idle)
        self._older = (glance, thumb)
        self._job.progress(self._writer.stage, min(1.0, time_s / max(self._job.duration_s, 1e-6)))

    def finish(self) -> None:
        """Close what is still followed, link all tracks, and mark the stage as done."""
        end_s = self._job.duration_s
        if self._follower is not None:
            self._commit(self._follower.take(end_s), end_s)
        identities = self._identities()
        store, video_id = self._job.store, self._job.video_id
        with store.unit_of_work():
            store.observations.clear(video_id, IDENTITIES)
            store.observations.append(video_id, IDENTITIES, identities)
            self._writer.finish()
        self._job.progress(self._writer.stage, 1.0)

    def _find(self, index: int) -> Callable[[Rgb], list[Detection]]:
        """Look closely where there is time for it."""
        look = self._sights.detect_closely if self._pace.has_leisure else self._sights.detect
        return partial(look, index)

    def _following(self, picture: Picture) -> Follower:
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
        stretches = load_stretches(self._job.store, self._job.video_id)
        rows = [
            _identity(track, link) for track, link in zip(stretches.tracks, stretches.link(), strict=True)
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
    """Return the largest and surest of the kept crops."""
    kept = [
        (seen.confidence * seen.box.area, seen.crop) for seen in followed.sightings if seen.crop is not None
    ]
    return [crop for _, crop in sorted(kept, key=lambda pair: -pair[0])[:_CROPS]]


def _colours(followed: Followed) -> FloatArray:
    return _unit(np.mean([seen.look for seen in followed.sightings if seen.look is not None], axis=0))


def _unit(vector: FloatArray) -> FloatArray:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)
