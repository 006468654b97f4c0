"""Which frames to fetch next: spread over the videos first, then far from those fetched."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vidence.schema.agent import VideoCard
from vidence.schema.time import TimeRange

__all__ = ["Coverage", "FrameTime"]

_EVERY_S = 1.0
_MOST = 2000
"""The most candidate frames of one video; in a long one they lie farther apart."""


@dataclass(frozen=True)
class FrameTime:
    """A time in one of the videos."""

    video_id: str
    time_s: float


class Coverage:
    """The frames worth looking at, and those that were fetched."""

    def __init__(self, videos: Sequence[VideoCard], shots: Mapping[str, Sequence[TimeRange]]) -> None:
        self._videos = tuple(videos)
        self._left = {video.video_id: _moments(video, shots[video.video_id]) for video in videos}
        self._seen: dict[str, list[float]] = {video.video_id: [] for video in videos}
        self._starts = {video: [shot.start_time for shot in rows] for video, rows in shots.items()}
        self._seen_shots: set[tuple[str, int]] = set()

    @property
    def num_left(self) -> int:
        """How many candidate frames are left."""
        return sum(len(times) for times in self._left.values())

    def spread(self, count: int) -> list[FrameTime]:
        """Take the middles of equal parts, divided among the videos."""
        chosen = []
        for index, video in enumerate(self._videos):
            share = count // len(self._videos) + (index < count % len(self._videos))
            for part in range(share):
                chosen.append(self._take(video.video_id, video.duration_s * (part + 0.5) / share))
        return chosen

    def take_near(self, moments: Sequence[FrameTime], count: int, same_s: float) -> list[FrameTime]:
        """Take the given frames in order, without those next to a fetched one."""
        chosen: list[FrameTime] = []
        for moment in moments:
            if len(chosen) >= count:
                break
            if self._distance(moment) > same_s:
                chosen.append(self._take(moment.video_id, moment.time_s))
        return chosen

    def farthest(self, count: int) -> list[FrameTime]:
        """Take the frames farthest from all fetched ones; shots without a fetched frame come first."""
        chosen: list[FrameTime] = []
        while len(chosen) < count and self.num_left:
            candidates = [FrameTime(video, time) for video, times in self._left.items() for time in times]
            best = max(candidates, key=lambda one: (self._is_new_shot(one), self._distance(one)))
            chosen.append(self._take(best.video_id, best.time_s))
        return chosen

    def _take(self, video_id: str, time_s: float) -> FrameTime:
        self._seen[video_id].append(time_s)
        self._seen_shots.add((video_id, self._shot(video_id, time_s)))
        self._left[video_id] = [time for time in self._left[video_id] if abs(time - time_s) > _EVERY_S / 2]
        return FrameTime(video_id, round(time_s, 3))

    def _distance(self, moment: FrameTime) -> float:
        seen = self._seen[moment.video_id]
        return min((abs(moment.time_s - time) for time in seen), default=float("inf"))

    def _is_new_shot(self, moment: FrameTime) -> bool:
        return (moment.video_id, self._shot(moment.video_id, moment.time_s)) not in self._seen_shots

    def _shot(self, video_id: str, time_s: float) -> int:
        return bisect_right(self._starts[video_id], time_s)


def _moments(video: VideoCard, shots: Sequence[TimeRange]) -> list[float]:
    """Return the middle of every shot, and one time per second in long ones."""
    step = max(_EVERY_S, video.duration_s / _MOST)
    times: list[float] = []
    for shot in shots or [TimeRange(start_time=0, end_time=max(video.duration_s, 0.001))]:
        parts = max(1, round(shot.duration_s / step))
        times += [round(shot.start_time + shot.duration_s * (part + 0.5) / parts, 3) for part in range(parts)]
    return times
