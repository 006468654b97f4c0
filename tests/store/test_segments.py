"""Shots and scenes come back as they were kept."""

from __future__ import annotations

import pytest

from vidence.errors import UserError
from vidence.schema.catalogue import VideoRecord
from vidence.schema.observations import Segment
from vidence.store.sqlite import SqliteStore

SHOTS = [
    Segment(segment_id="seg_001", start_time=0.0, end_time=1.0 / 3, type="shot", transition="start"),
    Segment(segment_id="seg_002", start_time=1.0 / 3, end_time=2.002, type="shot", transition="dissolve"),
]
SCENE = Segment(segment_id="seg_001", start_time=0.0, end_time=2.002, type="scene", transition="start")


def test_segments_keep_their_order_and_their_last_digit(store: SqliteStore, video: VideoRecord) -> None:
    store.segments.replace(video.video_id, "fine", SHOTS)
    assert store.segments.load(video.video_id, "fine") == tuple(SHOTS)


def test_replacing_one_granularity_leaves_the_other(store: SqliteStore, video: VideoRecord) -> None:
    store.segments.replace(video.video_id, "fine", SHOTS)
    store.segments.replace(video.video_id, "coarse", [SCENE])
    store.segments.replace(video.video_id, "fine", SHOTS[:1])
    assert store.segments.load(video.video_id, "fine") == (SHOTS[0],)
    assert store.segments.load(video.video_id, "coarse") == (SCENE,)


def test_nothing_kept_is_empty(store: SqliteStore, video: VideoRecord) -> None:
    assert store.segments.load(video.video_id, "fine") == ()


def test_segments_of_an_unknown_video_are_refused(store: SqliteStore) -> None:
    with pytest.raises(UserError, match="not in the catalogue"):
        store.segments.replace("vid_0", "fine", SHOTS)
