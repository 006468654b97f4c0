"""A video as signals on a regular time grid; cumulative sums make the mean over any span cheap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vidence.models.vision.imagenet import meanings
from vidence.queries.search.material import FrameSpan, Material

__all__ = ["CURVE", "Grid", "Signal"]

CURVE = 6
"""Number of parts a span is divided into to compare how values develop."""
_FINEST_S, _MOST_CELLS = 0.25, 20_000
_MIN_OBJECT, _MIN_LABEL, _MIN_ACTION = 0.4, 0.1, 0.25
Floats = NDArray[np.float64]


class Signal:
    """Values over time, with means over many spans at once."""

    def __init__(self, values: NDArray[np.floating], step_s: float) -> None:
        self._sums = np.concatenate(
            [np.zeros((1, values.shape[1])), np.cumsum(values, axis=0, dtype=np.float64)]
        )
        self._step_s = step_s

    def mean(self, starts: Floats, ends: Floats) -> Floats:
        """Return the (spans, values) means."""
        last = len(self._sums) - 1
        first = np.clip(np.round(starts / self._step_s).astype(int), 0, max(last - 1, 0))
        until = np.clip(np.round(ends / self._step_s).astype(int), first + 1, max(last, 1))
        return np.asarray((self._sums[until] - self._sums[first]) / (until - first)[:, None])

    def curve(self, starts: Floats, ends: Floats) -> Floats:
        """Return the (spans, parts, values) means of the equal parts of each span."""
        shares = np.linspace(0, 1, CURVE + 1)
        edges = starts[:, None] + (ends - starts)[:, None] * shares
        parts = [self.mean(edges[:, n], edges[:, n + 1]) for n in range(CURVE)]
        return np.stack(parts, axis=1)


class Grid:
    """The signals of one video, each computed on first use."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.step_s = max(_FINEST_S, material.duration_s / _MOST_CELLS)
        self._cells = max(1, int(np.ceil(material.duration_s / self.step_s)))

    @cached_property
    def looks(self) -> Signal:
        """Image embeddings of the frames: content, colour and layout."""
        return self._of_vectors("image_vectors")

    @cached_property
    def words(self) -> Signal:
        """Image–text embeddings of the frames."""
        return self._of_vectors("lens_vectors")

    @cached_property
    def light(self) -> Signal:
        """Brightness, contrast, saturation."""
        rows = self.material.frames
        values = [[row.brightness, row.contrast, row.saturation] for row in rows]
        return self._steps(self.material.place(rows), np.array(values).reshape(-1, 3))

    @cached_property
    def motion(self) -> Signal:
        """Camera pan, tilt and zoom, shake, and how much of the picture moves by itself."""
        rows = self.material.motion
        values = [[row.dx, row.dy, row.zoom, row.shake, row.activity] for row in rows]
        return self._steps(
            [FrameSpan(r.start_time, r.end_time) for r in rows], np.array(values).reshape(-1, 5)
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Everything that was named anywhere in the video: things, kinds of picture, actions."""
        counted = Counter(name for _, found in self._named for name in found)
        return tuple(sorted(counted))

    @cached_property
    def named(self) -> Signal:
        """The confidence of each of `names`."""
        values = np.zeros((self._cells, len(self.names)), np.float32)
        column = {name: index for index, name in enumerate(self.names)}
        for span, found in self._named:
            first, last = self._range(span)
            for name, score in found.items():
                part = values[first:last, column[name]]
                np.maximum(part, score, out=part)
        return Signal(values, self.step_s)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The categories of things seen."""
        return tuple(sorted({one.category for row in self.material.objects for one in row.objects}))

    @cached_property
    def counts(self) -> Signal:
        """How many things of each of `kinds` there are."""
        rows = self.material.objects
        values = np.array(
            [
                [
                    sum(o.category == kind and o.confidence >= _MIN_OBJECT for o in row.objects)
                    for kind in self.kinds
                ]
                for row in rows
            ]
        )
        return self._steps(self.material.place(rows), values.reshape(len(rows), len(self.kinds)))

    @cached_property
    def _named(self) -> list[tuple[FrameSpan, dict[str, float]]]:
        material = self.material
        found: list[tuple[FrameSpan, dict[str, float]]] = []
        for row, span in zip(material.objects, material.place(material.objects), strict=True):
            found.append(
                (span, _best((o.category, o.confidence) for o in row.objects if o.confidence >= _MIN_OBJECT))
            )
        for seen, span in zip(material.labels, material.place(material.labels), strict=True):
            kinds = (
                (m.group.name, i.score)
                for i in seen.labels
                if i.score >= _MIN_LABEL
                for m in meanings(i.label)
            )
            found.append((span, _best((name, min(1.0, 0.3 + score)) for name, score in kinds)))
        for done in material.actions:
            span = FrameSpan(done.start_time, done.end_time)
            found.append((span, _best((a.label, a.score) for a in done.actions if a.score >= _MIN_ACTION)))
        return found

    def _of_vectors(self, stage: str) -> Signal:
        placed = self.material.vectors(stage)
        return self._steps(placed.spans, placed.matrix)

    def _steps(self, spans: Sequence[FrameSpan], values: NDArray[np.floating]) -> Signal:
        laid = np.zeros((self._cells, values.shape[1]), np.float32)
        for span, row in zip(spans, values, strict=True):
            first, last = self._range(span)
            laid[first:last] = row
        return Signal(laid, self.step_s)

    def _range(self, span: FrameSpan) -> tuple[int, int]:
        first = round(span.start_s / self.step_s)
        return first, max(first + 1, round(span.end_s / self.step_s))


def _best(named: Iterable[tuple[str, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, score in named:
        found[name] = max(score, found.get(name, 0.0))
    return found
