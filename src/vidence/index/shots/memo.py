"""The state of shot detection: what was found so far, and what is stored so that a killed run resumes.

The next run reads a few seconds of frames again, until the detector's window is as it was; changes that were
decided are not decided again. Final shot changes and signatures are stored in rows (`ShotsNote`), the rest,
which is small and bounded, in the cursor of the stage (`ShotsMemo`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from pydantic import BaseModel, ConfigDict

from vidence.index.shots.sample import ShotChange
from vidence.index.shots.signature import COLOURS, LAYOUT_SHAPE, SignatureFrame, SignatureLog
from vidence.index.thumbnails import THUMB, Thumb
from vidence.schema.observations import Observation

__all__ = [
    "DetectorMemo",
    "FadeMemo",
    "NetworkMemo",
    "ShotLog",
    "ShotsMemo",
    "ShotsNote",
    "StoredFrames",
    "StoredThumb",
]


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")


class StoredFrames(_Stored):
    """Frames of shot signatures, packed."""

    times: tuple[float, ...] = ()
    colours: bytes = b""
    layouts: bytes = b""

    @classmethod
    def of(cls, frames: Sequence[SignatureFrame]) -> Self:
        """Pack frames."""
        features = [frame.features for frame in frames]
        return cls(
            times=tuple(frame.time for frame in frames),
            colours=b"".join(colours.tobytes() for colours, _ in features),
            layouts=b"".join(layout.tobytes() for _, layout in features),
        )

    def frames(self) -> list[SignatureFrame]:
        """Unpack the frames."""
        colours = np.frombuffer(self.colours, np.float32).reshape(-1, COLOURS)
        layouts = np.frombuffer(self.layouts, np.uint8).reshape(-1, *LAYOUT_SHAPE)
        found = zip(self.times, colours, layouts, strict=True)
        return [SignatureFrame(time, features=(colour, layout)) for time, colour, layout in found]


class StoredThumb(_Stored):
    """A whole thumbnail."""

    time: float
    pixels: bytes

    def thumb(self) -> Thumb:
        """Return the (36, 64, 3) picture."""
        return np.frombuffer(self.pixels, np.uint8).reshape(THUMB[1], THUMB[0], 3)


class FadeMemo(_Stored):
    """A run of blank pictures that has not ended."""

    start: float
    before: tuple[StoredThumb, ...]
    hard: bool
    light: float


class DetectorMemo(_Stored):
    """The position of our own detector."""

    first_s: float
    """The oldest picture in its window."""
    change: float
    """Its difference from the picture before it, which is gone."""
    next_s: float
    """The next picture to judge."""
    fed_s: float
    """The last picture fed."""
    blended_s: float
    fade: FadeMemo | None = None


class NetworkMemo(_Stored):
    """The position of a shot network."""

    first_s: float
    """The oldest frame the network still needs."""
    copies: int
    """How many times that frame is repeated to fill the window before the first frame."""
    next_s: float
    fed_s: float
    run: tuple[tuple[float, float], ...] = ()
    """Time and score of the consecutive frames above the limit up to here."""


class ShotsMemo(_Stored):
    """Everything that is not final yet; the cursor of the stage."""

    start_s: float
    """Where the next run starts decoding."""
    recent: tuple[float, ...]
    """The last differences of the draft pass up to that picture."""
    detector: DetectorMemo | NetworkMemo
    opened: StoredFrames
    spacing_s: float


class ShotsNote(Observation):
    """Shot changes and signature frames that were final by `end_time`; rows of the stage until it is done."""

    model_config = _Stored.model_config

    events: tuple[ShotChange, ...]
    closed: StoredFrames


class ShotLog:
    """Collects shot changes and signatures, and knows which of them were not stored yet."""

    def __init__(self, events: Sequence[ShotChange] = (), signatures: SignatureLog | None = None) -> None:
        self.events: list[ShotChange] = list(events)
        self.signatures = signatures or SignatureLog()
        self._stored_events, self._stored_frames = len(self.events), len(self.signatures.closed)

    @classmethod
    def restore(cls, notes: Sequence[ShotsNote], memo: ShotsMemo) -> ShotLog:
        """Return the log of an earlier run."""
        events = [event for note in notes for event in note.events]
        closed = [frame for note in notes for frame in note.closed.frames()]
        return cls(events, SignatureLog(closed, memo.opened.frames(), spacing_s=memo.spacing_s))

    def add_picture(self, time: float, thumb: Thumb) -> None:
        """Add the picture at `time` to the signatures."""
        self.signatures.add(time, thumb)

    def add_change(self, event: ShotChange) -> None:
        """Add a shot change."""
        self.signatures.split(event.time)
        self.events.append(event)

    def news(self, start_s: float, end_s: float) -> ShotsNote:
        """Return what is final and was not returned before."""
        events, closed = self.events[self._stored_events :], self.signatures.closed[self._stored_frames :]
        self._stored_events, self._stored_frames = len(self.events), len(self.signatures.closed)
        return ShotsNote(
            start_time=start_s, end_time=end_s, events=tuple(events), closed=StoredFrames.of(closed)
        )
