"""What a decode pass could not read: stretches without pictures, and pictures that came out damaged."""

from __future__ import annotations

from vidence.media import DecodedFrame
from vidence.schema.media import MediaInfo

__all__ = ["Losses"]

_LEAST_S = 0.2
"""A shorter loss is a dropped frame or two, as many good files have them."""
_SPARSE_S = 1.0
"""Where frames are skipped for speed, only a longer gap is a loss."""
_MOST_NOTES = 5


class Losses:
    """Watches the pictures of a pass go by."""

    def __init__(self, info: MediaInfo, *, start_s: float, is_sparse: bool) -> None:
        self._info, self._is_sparse = info, is_sparse
        self._reached_s, self._index = start_s, None if start_s else -1
        self._gaps: list[tuple[float, float]] = []
        self._damaged: list[float] = []

    def saw(self, picture: DecodedFrame) -> None:
        """Take note of the next picture."""
        time_s = float(picture.time)
        if self._is_sparse:
            is_lost = time_s - self._reached_s > _SPARSE_S
        else:
            is_lost = self._index is not None and picture.index > self._index + 1
        if is_lost and time_s - self._reached_s > _LEAST_S:
            self._gaps.append((self._reached_s, time_s))
        if picture.is_damaged:
            self._damaged.append(time_s)
        self._reached_s, self._index = time_s + self._step_s, picture.index

    def notes(self) -> list[str]:
        """Return what was lost in plain words."""
        gaps = list(self._gaps)
        end_s = self._info.video.duration_s
        if end_s - self._reached_s > max(_LEAST_S, _SPARSE_S if self._is_sparse else 0.0):
            gaps.append((self._reached_s, end_s))
        told = [f"no pictures could be read from {start:.1f} s to {end:.1f} s" for start, end in gaps]
        if len(told) > _MOST_NOTES:
            lost_s = sum(end - start for start, end in gaps[_MOST_NOTES:])
            told[_MOST_NOTES:] = [
                f"and no pictures in {len(gaps) - _MOST_NOTES} more places ({lost_s:.1f} s)"
            ]
        if self._damaged:
            first, last = self._damaged[0], self._damaged[-1]
            told.append(f"{len(self._damaged)} damaged pictures between {first:.1f} s and {last:.1f} s")
        return told

    @property
    def _step_s(self) -> float:
        return 1 / max(float(self._info.video.fps), 0.1)
