"""What was found of a video's shots so far: where they may change, and what they look like."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.index.motion import Thumb
from vidence.index.shots.memo import LooksKept, ShotsMemo, ShotsNote
from vidence.index.shots.sample import Event
from vidence.index.shots.signature import Moment, SignatureLog

__all__ = ["Found"]


class Found:
    """Gathers changes of shot and looks, and knows which of them were not kept yet."""

    def __init__(self, events: Sequence[Event] = (), log: SignatureLog | None = None) -> None:
        self.events: list[Event] = list(events)
        self.log = log or SignatureLog()
        self._kept_events, self._kept_moments = len(self.events), len(self.log.closed)

    @classmethod
    def restore(cls, notes: Sequence[ShotsNote], memo: ShotsMemo) -> Found:
        """Take up what an earlier run left."""
        events = [event for note in notes for event in note.events]
        closed: list[Moment] = [moment for note in notes for moment in note.closed.moments()]
        return cls(events, SignatureLog(closed, memo.opened.moments(), spacing_s=memo.spacing_s))

    def see(self, time: float, thumb: Thumb) -> None:
        """Take in what the video looks like at `time`."""
        self.log.add(time, thumb)

    def add(self, event: Event) -> None:
        """Take in a change of shot."""
        self.log.split(event.time)
        self.events.append(event)

    def news(self, start_s: float, end_s: float) -> ShotsNote:
        """Return what is final and was not returned before."""
        events, closed = self.events[self._kept_events :], self.log.closed[self._kept_moments :]
        self._kept_events, self._kept_moments = len(self.events), len(self.log.closed)
        return ShotsNote(
            start_time=start_s, end_time=end_s, events=tuple(events), closed=LooksKept.of(closed)
        )
