"""What a run that is killed leaves behind for the next one, so that it finds the very same shots.

The next run takes in a few seconds of pictures again, until the window of the detector is as it was; what was
judged then is not judged again. Changes of shot and looks that are final are kept in rows (`ShotsNote`), the
rest, which is small and bounded, in the cursor of the stage (`ShotsMemo`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from pydantic import BaseModel, ConfigDict

from vidence.index.motion import THUMB, Thumb
from vidence.index.shots.sample import Event
from vidence.index.shots.signature import COLOURS, LAYOUT_SHAPE, Moment
from vidence.schema.observations import Observation

__all__ = ["DetectorMemo", "FadeMemo", "LooksKept", "NetworkMemo", "PictureKept", "ShotsMemo", "ShotsNote"]


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")


class LooksKept(_Kept):
    """Some moments and what they look like."""

    times: tuple[float, ...] = ()
    colours: bytes = b""
    layouts: bytes = b""

    @classmethod
    def of(cls, moments: Sequence[Moment]) -> Self:
        """Pack moments."""
        looks = [moment.look for moment in moments]
        return cls(
            times=tuple(moment.time for moment in moments),
            colours=b"".join(colours.tobytes() for colours, _ in looks),
            layouts=b"".join(layout.tobytes() for _, layout in looks),
        )

    def moments(self) -> list[Moment]:
        """Unpack them."""
        colours = np.frombuffer(self.colours, np.float32).reshape(-1, COLOURS)
        layouts = np.frombuffer(self.layouts, np.uint8).reshape(-1, *LAYOUT_SHAPE)
        found = zip(self.times, colours, layouts, strict=True)
        return [Moment(time, look=(colour, layout)) for time, colour, layout in found]


class PictureKept(_Kept):
    """A whole thumbnail."""

    time: float
    pixels: bytes

    def thumb(self) -> Thumb:
        """Return the (36, 64, 3) picture."""
        return np.frombuffer(self.pixels, np.uint8).reshape(THUMB[1], THUMB[0], 3)


class FadeMemo(_Kept):
    """A stretch of blank pictures under way."""

    start: float
    before: tuple[PictureKept, ...]
    hard: bool
    light: float


class DetectorMemo(_Kept):
    """Where our own detector stands."""

    first_s: float
    """The oldest picture in its window."""
    change: float
    """How far that one stood from the picture before it, which is gone."""
    next_s: float
    """The next picture to judge."""
    fed_s: float
    """The last picture taken in."""
    blended_s: float
    fade: FadeMemo | None = None


class NetworkMemo(_Kept):
    """Where a network stands."""

    first_s: float
    """The oldest frame it will still be shown."""
    copies: int
    """How many times that frame stands in for those that are not there before the first."""
    next_s: float
    fed_s: float
    run: tuple[tuple[float, float], ...] = ()
    """Time and score of the frames above the limit that follow one another up to here."""


class ShotsMemo(_Kept):
    """All that is not final yet; the cursor of the stage."""

    start_s: float
    """Where the next run begins to decode."""
    recent: tuple[float, ...]
    """The last changes of the draft up to that picture, which is its first."""
    detector: DetectorMemo | NetworkMemo
    opened: LooksKept
    spacing_s: float


class ShotsNote(Observation):
    """Changes of shot and looks that were final by `end_time`; the rows of the stage until it is done."""

    model_config = _Kept.model_config

    events: tuple[Event, ...]
    closed: LooksKept
