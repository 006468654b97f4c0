"""Shots by a network that scores every frame, where the settings choose one (TransNetV2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vidence.index.shots.detector import ShotList, Viewable, list_shots
from vidence.index.shots.memo import NetworkMemo, ShotLog
from vidence.index.shots.sample import ShotChange
from vidence.index.thumbnails import THUMB
from vidence.models.vision.transnet_onnx import TransNetOnnx

__all__ = ["NetworkShots"]

_CUT_PROBABILITY = 0.5
_LONGEST_CUT = 2
"""Frames in a row above the limit that still mean a hard cut; more are a gradual transition."""


class NetworkShots:
    """Finds shots in pictures fed one by one, holding no more of them than the network takes at once.

    Args:
        log: collects what is found; with a `memo`, the log of the earlier run.
        memo: the position of that run. Feed the pictures from its `first_s` on.
    """

    def __init__(
        self, network: TransNetOnnx, *, log: ShotLog | None = None, memo: NetworkMemo | None = None
    ) -> None:
        self._network, self._past = network, memo
        self.log = log or ShotLog()
        self._pending: list[tuple[float, NDArray[np.uint8]]] = []
        self._times: list[float] = []
        """The times of the frames without a score yet, in order."""
        self._run: list[tuple[float, float]] = list(memo.run) if memo else []
        """Time and score of consecutive frames above the limit."""

    def feed(self, picture: Viewable) -> None:
        """Take the next picture."""
        time_s, past = picture.time_s, self._past
        if past is not None and time_s < past.first_s:
            return
        if past is None or time_s > past.fed_s:
            self.log.add_picture(time_s, picture.rgb(size=THUMB))
        frame = picture.rgb(size=self._network.frame_size)
        if not self._pending:
            # The network needs the frames around each frame; the first is repeated for those before it.
            self._pending = [(time_s, frame)] * (past.copies if past else self._network.margin)
        self._pending.append((time_s, frame))
        if past is None or time_s >= past.next_s:
            self._times.append(time_s)
        if len(self._pending) >= self._network.window_size:
            self._score()

    def memo(self) -> NetworkMemo | None:
        """Return the network's position, for a later run to resume from; None before the first picture."""
        if not self._times or (self._past is not None and self._times[-1] <= self._past.fed_s):
            return self._past
        first_s = self._pending[0][0]
        return NetworkMemo(
            first_s=first_s,
            copies=sum(time_s == first_s for time_s, _ in self._pending) - 1,
            next_s=self._times[0],
            fed_s=self._times[-1],
            run=tuple(self._run),
        )

    def finish_list(self, duration_s: float) -> ShotList:
        """Return the shots and scenes, covering 0 to `duration_s` without gaps."""
        while self._times:
            missing = self._network.window_size - len(self._pending)
            self._pending += [self._pending[-1]] * missing
            self._score()
        self._close(duration_s)
        return list_shots(
            self.log.events, self.log.signatures, duration_s, detector_id=self._network.model_id
        )

    def _score(self) -> None:
        shown = self._pending[: self._network.window_size]
        scores = self._network.window(np.stack([frame for _, frame in shown]))
        scored = self._times[: len(scores)]
        for time_s, score in zip(scored, scores, strict=False):
            if score >= _CUT_PROBABILITY:
                self._run.append((time_s, float(score)))
            else:
                self._close(time_s)
        self._times = self._times[len(scores) :]
        self._pending = self._pending[len(scores) :]

    def _close(self, time_s: float) -> None:
        """End a run of high scores at the first frame of the new shot."""
        if not self._run:
            return
        start_s, strength = self._run[0][0], max(score for _, score in self._run)
        is_cut = len(self._run) <= _LONGEST_CUT
        begins_s = time_s if is_cut else (start_s + time_s) / 2
        self.log.add_change(ShotChange(begins_s, "cut" if is_cut else "dissolve", start_s, time_s, strength))
        self._run = []
