"""The lane that looks at sampled frames: one analyst per stage, near-identical frames passed over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from vidence.errors import VidenceError
from vidence.index.pipeline.look import LOOK_SIDE, Look, Sameness
from vidence.index.pipeline.sights import Sights
from vidence.index.pipeline.writer import StageWriter
from vidence.media import Picture
from vidence.models.shelf import ModelShelf
from vidence.schema.observations import Observation
from vidence.store import Store, VectorRow

__all__ = ["Analyst", "Finding", "LooksLane"]

_COMMIT_EVERY = 8
"""Distinct frames between commits: little is lost by a kill, and the disk is not kept busy."""

# A frame due at 1.000 s may carry the time 0.9999.
_EARLY_S = 0.002


@dataclass(frozen=True)
class Finding:
    """What an analyst makes of one frame; `end_time` of its rows is set when the picture changes."""

    rows: tuple[Observation, ...] = ()
    vectors: tuple[VectorRow, ...] = ()


class Analyst(Protocol):
    """Turns a frame into the rows of one stage."""

    def look(self, look: Look) -> Finding | None:
        """Analyse one distinct frame; None when what was said last still holds."""


@dataclass
class _Kept:
    writer: StageWriter
    analyst: Analyst
    pending: Finding | None = None
    rows: list[Observation] = field(default_factory=list)
    vectors: list[VectorRow] = field(default_factory=list)

    def settle(self, time_s: float) -> None:
        """Close what is pending: it held until now."""
        if self.pending is None:
            return
        self.rows += [row.model_copy(update={"end_time": time_s}) for row in self.pending.rows]
        self.vectors += [replace(row, end_time=time_s) for row in self.pending.vectors]
        self.pending = None

    def final_until(self, time_s: float) -> float:
        """Return until when all is settled: what is pending may go on, so a resumed run looks there again."""
        pending = self.pending or Finding()
        starts = [row.start_time for row in pending.rows] + [row.start_time for row in pending.vectors]
        return min(starts, default=time_s)


class LooksLane:
    """Feeds distinct sampled frames to analysts and commits what they find."""

    def __init__(
        self,
        store: Store,
        shelf: ModelShelf,
        analysts: Sequence[tuple[StageWriter, Analyst]],
        *,
        every_s: float,
        duration_s: float,
        progress: Callable[[str, float], None],
        sights: Sights,
    ) -> None:
        self._store, self._shelf, self._sights = store, shelf, sights
        self._kept = [_Kept(writer, analyst) for writer, analyst in analysts]
        self.errors: dict[str, VidenceError] = {}
        """Stages that were given up, each for its own reason; the others go on."""
        self._every_s, self._duration_s, self._progress = every_s, duration_s, progress
        self.resume_s = min(writer.resume_s for writer, _ in analysts)
        self._due_s = self.resume_s
        """A resumed run begins with the very frame that the last commit left open."""
        self._sameness = Sameness()
        self._uncommitted = 0

    def feed(self, picture: Picture) -> None:
        """Take in the next decoded frame."""
        time_s = picture.time_s
        if time_s < self._due_s - _EARLY_S:
            return
        self._due_s = self._after(time_s)
        if self._sameness.is_twin(picture.gray(size=Sameness.SIZE)):
            return
        look = Look(
            time_s,
            picture.rgb(max_side=LOOK_SIDE),
            self._shelf,
            find=partial(self._sights.detect, picture.index),
        )
        for kept in self._kept:
            if time_s < kept.writer.resume_s - _EARLY_S:
                continue
            try:
                finding = kept.analyst.look(look)
            except VidenceError as exc:
                self.errors[kept.writer.stage] = exc
                continue
            if finding is not None:
                kept.settle(time_s)
                kept.pending = finding
        self._kept = [kept for kept in self._kept if kept.writer.stage not in self.errors]
        self._uncommitted += 1
        if self._uncommitted >= _COMMIT_EVERY:
            self._commit(time_s)
        self._report(time_s / self._duration_s if self._duration_s else 1.0)

    def _after(self, time_s: float) -> float:
        """Return the next time on the grid; it depends on the frame alone, so a resumed run keeps to it."""
        step = int((time_s + _EARLY_S) / self._every_s) + 1
        # A variable frame rate must not make a burst.
        return (step if step * self._every_s >= time_s + self._every_s / 2 else step + 1) * self._every_s

    def finish(self) -> None:
        """The video is over: what is pending lasts to its end."""
        with self._store.unit_of_work():
            for kept in self._kept:
                kept.settle(self._duration_s)
                kept.writer.commit(kept.rows, vectors=kept.vectors, upto_s=self._duration_s)
                kept.writer.finish()
        self._report(1.0)

    def _commit(self, upto_s: float) -> None:
        with self._store.unit_of_work():
            for kept in self._kept:
                if upto_s <= kept.writer.resume_s:
                    continue
                final_s = kept.final_until(upto_s)
                kept.writer.commit(kept.rows, vectors=kept.vectors, upto_s=final_s)
                kept.rows, kept.vectors = [], []
        self._uncommitted = 0

    def _report(self, fraction: float) -> None:
        for kept in self._kept:
            self._progress(kept.writer.stage, min(1.0, fraction))
