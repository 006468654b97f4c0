"""Where a tracked object is between, before and after the frames it was seen in."""

from __future__ import annotations

import pytest

from vidence.schema.entities import BRIDGE_S, TrackPoint, TrackSeen


def _track(*times: float) -> TrackSeen:
    points = tuple(TrackPoint(t, 0.1 * n, 0.2, 0.1, 0.3, 0.9) for n, t in enumerate(times))
    return TrackSeen(
        start_time=times[0], end_time=times[-1], track_id="t1", category="dog", confidence=0.9, points=points
    )


def test_between_two_sightings_the_box_moves_evenly() -> None:
    assert _track(1.0, 2.0).box_at(1.5) == pytest.approx((0.05, 0.2, 0.1, 0.3))


def test_a_long_gap_is_not_bridged() -> None:
    track = _track(1.0, 1.0 + BRIDGE_S + 0.1)
    assert track.box_at(1.5) is None
    assert track.box_at(1.2, slack_s=0.3) == (0.0, 0.2, 0.1, 0.3)


def test_outside_the_track_only_slack_helps() -> None:
    track = _track(1.0, 2.0)
    assert track.box_at(0.9) is None
    assert track.box_at(2.4) is None
    assert track.box_at(2.4, slack_s=0.5) == (0.1, 0.2, 0.1, 0.3)
