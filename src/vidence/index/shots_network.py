"""Shots by a network that scores every frame, for those who configure one (TransNetV2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vidence.index.motion import THUMB
from vidence.index.shots import ShotList, Viewable, list_shots
from vidence.index.shots_sample import Event
from vidence.index.shots_signature import SignatureLog
from vidence.models.transnet_onnx import TransNetOnnx

__all__ = ["NetworkShots"]

_CUT_PROBABILITY = 0.5
_LONGEST_CUT = 2
"""Frames in a row above the limit that still mean a hard cut; more are a gradual transition."""


class NetworkShots:
    """Finds shots in pictures fed one by one, holding no more of them than the network reads at once."""

    def __init__(self, network: TransNetOnnx) -> None:
        self._network = network
        self._log = SignatureLog()
        self._pending: list[NDArray[np.uint8]] = []
        self._times: list[float] = []
        """Of the frames that were not judged yet; scores come in this order."""
        self._run: list[tuple[float, float]] = []
        """Time and score of frames above the limit that follow one another."""
        self._events: list[Event] = []

    def feed(self, picture: Viewable) -> None:
        """Take in the next picture."""
        self._log.add(picture.time_s, picture.rgb(size=THUMB))
        frame = picture.rgb(size=self._network.frame_size)
        if not self._pending:
            # The network looks at what lies around a frame; before the first there is only itself.
            self._pending = [frame] * self._network.margin
        self._pending.append(frame)
        self._times.append(picture.time_s)
        if len(self._pending) >= self._network.window_size:
            self._judge()

    def finish_list(self, duration_s: float) -> ShotList:
        """Return the shots and scenes, covering 0 to `duration_s` without gaps."""
        while self._times:
            missing = self._network.window_size - len(self._pending)
            self._pending += [self._pending[-1]] * missing
            self._judge()
        self._close(duration_s)
        return list_shots(self._events, self._log, duration_s, detector_id=self._network.model_id)

    def _judge(self) -> None:
        scores = self._network.window(np.stack(self._pending[: self._network.window_size]))
        judged = self._times[: len(scores)]
        for time_s, score in zip(judged, scores, strict=False):
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
        self._events.append(Event(begins_s, "cut" if is_cut else "dissolve", start_s, time_s, strength))
        self._log.split(begins_s)
        self._run = []
