"""Worlds without a video: captions handed in, fetched by focus, by coverage, or by the caller's function."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from vidence.errors import ExtensionError, OpRetry, UserError, VidenceError
from vidence.language.tokens import query_terms, terms
from vidence.runs.inputs import UnitLike, check_units
from vidence.runs.ledger import frame_record
from vidence.schema.agent import MemoryUnit, OperationCall, VideoCard
from vidence.schema.evidence import EvidenceRecord

__all__ = ["CaptionWorld", "FetchFrames", "GivenWorld", "spread"]

FetchFrames = Callable[..., Sequence[UnitLike]]
"""`fetch_new_frames(count)` or `fetch_new_frames(count, focus)`."""

Embed = Callable[[Sequence[str]], Any]
"""Sentences to an (N, D) array of unit vectors."""
_WORDS, _MEANING = 0.5, 0.5


class CaptionWorld:
    """A fixed list of captions; each is fetched once."""

    def __init__(
        self,
        captions: Sequence[MemoryUnit],
        *,
        videos: tuple[VideoCard, ...] = (),
        embed: Embed | None = None,
    ) -> None:
        self._units = _checked(captions)
        self._videos = videos
        self._embed = embed
        self._places = _places(self._units)
        self._seen: set[int] = set()
        self._vectors: Any = None

    @property
    def videos(self) -> tuple[VideoCard, ...]:
        return self._videos

    @property
    def num_unseen(self) -> int:
        return len(self._units) - len(self._seen)

    def first_frames(self, count: int) -> list[MemoryUnit]:
        """Return captions spread evenly over the whole."""
        return self._take(spread(len(self._units), count))

    def fetch_new_frames(self, count: int, focus: str | None = None) -> list[MemoryUnit]:
        """Return unseen captions: those that speak of `focus`, else those farthest from what was seen."""
        chosen = self._about(focus, count) if focus and focus.strip() else []
        wanted = min(count, self.num_unseen) - len(chosen)
        return self._take([*chosen, *self._farthest({*self._seen, *chosen}, wanted)])

    def call(self, call: OperationCall) -> EvidenceRecord:
        """Refuse: there is no video behind the captions."""
        raise _no_video(call)

    def frame_records(self, frame_ids: Sequence[int]) -> list[EvidenceRecord]:
        """Return fetched captions as records."""
        wanted = set(frame_ids)
        return [
            frame_record(unit)
            for index, unit in enumerate(self._units)
            if index in self._seen and unit.frame_id in wanted
        ]

    def _take(self, indices: Sequence[int]) -> list[MemoryUnit]:
        self._seen.update(indices)
        return [self._units[index] for index in sorted(indices)]

    def _about(self, focus: str, count: int) -> list[int]:
        scores = self._word_scores(focus)
        if self._embed is not None:
            scores = _WORDS * scores / max(float(scores.max(initial=0.0)), 1e-9)
            scores = scores + _MEANING * self._likeness(self._embed, focus)
        unseen = [index for index in range(len(self._units)) if index not in self._seen and scores[index] > 0]
        return sorted(unseen, key=lambda index: (-scores[index], index))[:count]

    def _word_scores(self, focus: str) -> Any:
        held = self._terms
        in_captions = Counter(term for words in held for term in words)
        asked = query_terms(focus)
        weight = {term: math.log(1 + len(held) / (0.5 + in_captions[term])) for term in asked}
        return np.array([sum(weight[term] for term in asked if term in words) for words in held])

    @cached_property
    def _terms(self) -> list[set[str]]:
        return [set(terms(unit.caption)) for unit in self._units]

    def _likeness(self, embed: Embed, focus: str) -> Any:
        if self._vectors is None:
            self._vectors = embed([unit.caption for unit in self._units])
        return np.maximum(self._vectors @ embed([focus])[0], 0.0)

    def _farthest(self, seen: set[int], count: int) -> list[int]:
        """Return the captions farthest from all that were fetched, the first of equals."""
        away = np.full(len(self._units), np.inf)
        for index in seen:
            away = np.minimum(away, np.abs(self._places - self._places[index]))
        away[list(seen)] = -1.0
        chosen: list[int] = []
        for _ in range(count):
            index = len(self._units) // 2 if not seen and not chosen else int(np.argmax(away))
            chosen.append(index)
            away = np.minimum(away, np.abs(self._places - self._places[index]))
            away[chosen] = -1.0
        return chosen


class GivenWorld:
    """Frames handed in, and more from the caller's function."""

    def __init__(self, first: Sequence[UnitLike], fetch: FetchFrames | None = None) -> None:
        self._first = check_units(first)
        if fetch is not None and not callable(fetch):
            raise UserError(f"fetch_new_frames is {type(fetch).__name__}; give a function of a count.")
        self._fetch = fetch
        self._seen: dict[int, MemoryUnit] = {}
        self._is_exhausted = fetch is None

    @property
    def videos(self) -> tuple[VideoCard, ...]:
        return ()

    @property
    def num_unseen(self) -> int | None:
        return 0 if self._is_exhausted else None

    def first_frames(self, count: int) -> list[MemoryUnit]:
        """Return the frames handed in, at most `count` of them."""
        return self._new(self._first[:count])

    def fetch_new_frames(self, count: int, focus: str | None = None) -> list[MemoryUnit]:
        """Return the new frames that the caller's function returns; none of them ends the search."""
        if self._fetch is None:
            return []
        arguments: tuple[Any, ...] = (count, focus) if _takes_focus(self._fetch) else (count,)
        try:
            found = self._fetch(*arguments)
        except VidenceError:
            raise
        except Exception as exc:
            raise ExtensionError("fetch_new_frames", exc) from exc
        fresh = self._new(check_units(found, what="The result of fetch_new_frames")[:count])
        self._is_exhausted = not fresh
        return fresh

    def call(self, call: OperationCall) -> EvidenceRecord:
        """Refuse: there is no video behind the captions."""
        raise _no_video(call)

    def frame_records(self, frame_ids: Sequence[int]) -> list[EvidenceRecord]:
        """Return fetched frames as records."""
        return [frame_record(self._seen[frame]) for frame in frame_ids if frame in self._seen]

    def _new(self, units: Sequence[MemoryUnit]) -> list[MemoryUnit]:
        fresh = []
        for unit in units:
            if unit.frame_id not in self._seen:
                self._seen[unit.frame_id] = unit
                fresh.append(unit)
        return fresh


def spread(total: int, count: int) -> list[int]:
    """Return `count` indices in the middles of equal parts of `range(total)`."""
    count = max(0, min(count, total))
    return sorted({int((number + 0.5) * total / count) for number in range(count)})


def _checked(captions: Sequence[MemoryUnit]) -> tuple[MemoryUnit, ...]:
    doubled = [frame for frame, times in Counter(unit.frame_id for unit in captions).items() if times > 1]
    if doubled:
        raise UserError(f"Frame id {doubled[0]} is given to more than one caption; each needs its own.")
    return tuple(captions)


def _places(units: Sequence[MemoryUnit]) -> Any:
    """Return the position of each caption: its time where all have one, else its index."""
    times = [unit.timestamp_s for unit in units if unit.timestamp_s is not None]
    return np.array(times if len(times) == len(units) else range(len(units)), dtype=np.float64)


def _no_video(call: OperationCall) -> OpRetry:
    return OpRetry(f"{call.operation} cannot be called: there is no video here. Fetch frames instead.")


def _takes_focus(function: FetchFrames) -> bool:
    try:
        inspect.signature(function).bind(1, None)
    except TypeError:
        return False
    return True
