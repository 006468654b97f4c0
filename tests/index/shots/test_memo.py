"""What shot detection stores for a later run: nothing twice, nothing lost."""

from __future__ import annotations

import numpy as np

from tests.index.timelines import look
from vidence.index.shots.memo import DetectorMemo, ShotLog, ShotsMemo, ShotsNote, StoredFrames, StoredThumb
from vidence.index.shots.sample import ShotChange
from vidence.index.shots.signature import SignatureFrame


def _change(time: float) -> ShotChange:
    return ShotChange(time, "cut", time - 0.04, time, 0.9)


def _filled(log: ShotLog, start_s: float, end_s: float) -> ShotLog:
    for step in range(round(start_s * 4), round(end_s * 4)):
        log.add_picture(step / 4, look(step % 9))
    return log


def _memo(log: ShotLog) -> ShotsMemo:
    detector = DetectorMemo(first_s=0, change=0, next_s=0, fed_s=0, blended_s=0)
    return ShotsMemo(
        start_s=0,
        recent=(1.0,),
        detector=detector,
        opened=StoredFrames.of(log.signatures.opened),
        spacing_s=log.signatures.spacing_s,
    )


def _times(frames: list[SignatureFrame]) -> list[float]:
    return [frame.time for frame in frames]


def test_packed_frames_come_back_the_same() -> None:
    frames = [SignatureFrame(float(seed), look(seed)) for seed in range(3)]
    packed = StoredFrames.of(frames)
    again = StoredFrames.model_validate_json(packed.model_dump_json()).frames()
    assert _times(again) == [0.0, 1.0, 2.0]
    for before, after in zip(frames, again, strict=True):
        assert np.array_equal(before.features[0], after.features[0])
        assert np.array_equal(before.features[1], after.features[1])
    assert StoredFrames.of([]).frames() == []


def test_a_thumbnail_comes_back_the_same() -> None:
    stored = StoredThumb(time=1.5, pixels=look(0).tobytes())
    again = StoredThumb.model_validate_json(stored.model_dump_json())
    assert np.array_equal(again.thumb(), look(0))


def test_news_are_told_once() -> None:
    log = _filled(ShotLog(), 0, 2)
    log.add_change(_change(1.0))
    note = log.news(0, 2)
    assert note.events == (_change(1.0),)
    assert note.closed.times == (0.0, 0.25, 0.5, 0.75)
    empty = log.news(2, 3)
    assert (empty.events, empty.closed.times) == ((), ())
    _filled(log, 2, 3).add_change(_change(2.5))
    assert log.news(3, 4).events == (_change(2.5),)


def test_a_restored_log_has_everything_and_no_news() -> None:
    log = _filled(ShotLog(), 0, 2)
    log.add_change(_change(1.0))
    first = log.news(0, 2)
    _filled(log, 2, 4).add_change(_change(3.0))
    second = log.news(2, 4)
    notes = [ShotsNote.model_validate_json(note.model_dump_json()) for note in (first, second)]
    restored = ShotLog.restore(notes, _memo(log))
    assert restored.events == log.events
    assert _times(restored.signatures.closed) == _times(log.signatures.closed)
    assert _times(restored.signatures.opened) == _times(log.signatures.opened)
    assert restored.signatures.spacing_s == log.signatures.spacing_s
    assert restored.news(4, 5).events == ()
