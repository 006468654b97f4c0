"""Identities: tracks cut into appearances, found by place, and told in words where they are not."""

from __future__ import annotations

import pytest

from tests.queries.made import Films, shots
from vidence.errors import OpRetry, VidenceError
from vidence.index.tracking.lane import IDENTITIES
from vidence.queries.entities.identities import (
    Identity,
    entity_box,
    find_entity,
    find_identity,
    identity_of,
    load_identities,
)
from vidence.schema.entities import BRIDGE_S, Entity, IdentitySeen, TrackPoint, TrackSeen
from vidence.schema.observations import NormalBox
from vidence.schema.time import TimeRange

LEFT: NormalBox = (0.1, 0.2, 0.2, 0.4)
RIGHT: NormalBox = (0.7, 0.2, 0.2, 0.4)
STEP_S = 0.5


def _track(
    track_id: str,
    start: float,
    end: float,
    *,
    box: NormalBox = LEFT,
    category: str = "dog",
    drift: float = 0.0,
) -> TrackSeen:
    """Return a track of two boxes a second, which moves to the right by `drift` a second."""
    count = round((end - start) / STEP_S) + 1
    points = tuple(
        TrackPoint(start + n * STEP_S, box[0] + drift * n * STEP_S, *box[1:], 0.8) for n in range(count)
    )
    return TrackSeen(
        start_time=start, end_time=end, track_id=track_id, category="dog", confidence=0.8, points=points
    )


def _identity(*tracks: TrackSeen, link: float = 1.0, name: str = "one") -> Identity:
    return Identity(name, tracks[0].category, tuple((track, link) for track in tracks))


def _link(
    identity_id: str, track: TrackSeen, *, confidence: float = 0.9, category: str = "dog"
) -> IdentitySeen:
    return IdentitySeen(
        start_time=track.start_time,
        end_time=track.end_time,
        identity_id=identity_id,
        track_id=track.track_id,
        category=category,
        confidence=confidence,
    )


def _entity(video_id: str, *, at: float, box: NormalBox, category: str = "dog") -> Entity:
    return Entity(
        entity_id="ent_1",
        video_id=video_id,
        description="the brown dog",
        category=category,
        timestamp=at,
        bbox=box,
        confidence=0.7,
        signature="dog:brown",
    )


def _spans(identity: Identity, *edges: float, within: TimeRange | None = None) -> list[tuple[float, float]]:
    found = identity.appearances(shots(*edges), within=within)
    return [(one.start_s, one.end_s) for one in found]


def test_the_box_between_two_sightings_is_interpolated() -> None:
    moving = _identity(_track("t1", 0, 2, drift=0.2), link=0.5)
    place = moving.box_at(0.25)
    assert place is not None
    assert place[0] == pytest.approx((0.15, 0.2, 0.2, 0.4))
    assert place[1] == pytest.approx(0.8 * 0.5), "a doubtful link makes the place doubtful"


@pytest.mark.parametrize(("time_s", "seen"), [(2.0, True), (2.5, True), (2.7, False), (9.0, False)])
def test_an_object_counts_as_present_shortly_after_its_last_sight(time_s: float, seen: bool) -> None:
    assert (_identity(_track("t1", 0, 2)).box_at(time_s) is not None) is seen


def test_a_track_at_the_time_goes_before_one_that_ended_just_before() -> None:
    both = _identity(_track("t1", 0, 2), _track("t2", 2.5, 4, box=RIGHT))
    place = both.box_at(2.5)
    assert place is not None
    assert place[0] == RIGHT


def test_an_appearance_ends_at_a_cut() -> None:
    found = _identity(_track("t1", 0, 4)).appearances(shots(0, 2, 10))
    assert [(one.segment_id, one.start_s, one.end_s) for one in found] == [
        ("seg_001", 0.0, 1.5),
        ("seg_002", 2.0, 4.0),
    ]


def test_without_shots_everything_is_the_first_segment() -> None:
    [one] = _identity(_track("t1", 0, 4)).appearances([])
    assert (one.segment_id, one.start_s, one.end_s) == ("seg_001", 0, 4)


@pytest.mark.parametrize(
    ("again_at", "expected"),
    [(3.0, [(0.0, 4.0)]), (2.0 + BRIDGE_S + 0.1, [(0.0, 2.0), (3.2, 4.2)])],
    ids=["short loss", "long loss"],
)
def test_only_a_long_gap_makes_two_appearances(again_at: float, expected: list[tuple[float, float]]) -> None:
    again = _track("t2", again_at, again_at + 1)
    found = _spans(_identity(_track("t1", 0, 2), again), 0, 10)
    assert found == [pytest.approx(one) for one in expected]


def test_a_gap_inside_one_track_makes_two_appearances() -> None:
    track = _track("t1", 0, 2)
    later = _track("t1", 6, 7)
    whole = track.model_copy(update={"points": track.points + later.points, "end_time": 7.0})
    assert _spans(_identity(whole), 0, 10) == [(0, 2), (6, 7)]


def test_joined_appearances_are_as_sure_as_the_least_sure() -> None:
    identity = Identity("one", "dog", ((_track("t1", 0, 2), 0.9), (_track("t2", 2.5, 4), 0.4)))
    [joined] = identity.appearances(shots(0, 10))
    assert joined.confidence == 0.4
    assert len(joined.points) == 5 + 4


def test_appearances_can_be_limited_to_a_span() -> None:
    identity = _identity(_track("t1", 0, 4), _track("t2", 8, 9))
    assert _spans(identity, 0, 10, within=TimeRange(start_time=1, end_time=3)) == [(1, 3)]
    assert _spans(identity, 0, 10, within=TimeRange(start_time=5, end_time=7)) == []


def test_appearances_come_in_order_of_time() -> None:
    assert _spans(_identity(_track("t2", 8, 9), _track("t1", 0, 1)), 0, 10) == [(0, 1), (8, 9)]


def test_tracks_are_grouped_by_their_identity(films: Films) -> None:
    first, second, other = _track("t1", 0, 2), _track("t2", 5, 7), _track("t3", 1, 3, box=RIGHT)
    links = [_link("dog_1", first, confidence=1.0), _link("dog_2", other), _link("dog_1", second)]
    video_id = films.add({"tracks": [first, other, second], IDENTITIES: links}).video_id
    one, two = load_identities(films.store, video_id)
    assert (one.identity_id, two.identity_id) == ("dog_1", "dog_2")
    assert [(track.track_id, link) for track, link in one.tracks] == [("t1", 1.0), ("t2", 0.9)]


def test_a_track_that_two_identities_share_is_divided_between_them(films: Films) -> None:
    track = _track("t1", 0, 4)
    links = [
        _link("dog_1", track).model_copy(update={"end_time": 2.0}),
        _link("dog_2", track).model_copy(update={"start_time": 2.5}),
    ]
    video_id = films.add({"tracks": [track], IDENTITIES: links}).video_id
    one, two = load_identities(films.store, video_id)
    assert _spans(one, 0, 10) == [(0, 2)]
    assert _spans(two, 0, 10) == [(2.5, 4)]


def test_an_identity_is_called_what_it_was_called_longest(films: Films) -> None:
    brief, long = _track("t1", 0, 1), _track("t2", 2, 8)
    links = [_link("one", brief, category="cat"), _link("one", long, category="dog")]
    video_id = films.add({"tracks": [brief, long], IDENTITIES: links}).video_id
    assert [one.category for one in load_identities(films.store, video_id)] == ["dog"]


def test_a_video_without_tracks_has_no_identities(films: Films) -> None:
    assert load_identities(films.store, films.add().video_id) == []


def test_the_identity_with_the_most_overlap_at_the_time_is_meant() -> None:
    left, right = _identity(_track("t1", 0, 4), name="l"), _identity(_track("t2", 0, 4, box=RIGHT), name="r")
    nearly: NormalBox = (0.68, 0.22, 0.2, 0.4)
    assert find_identity([left, right], "dog", 1.0, nearly) is right
    assert find_identity([left, right], "dog", 1.0, LEFT) is left
    assert find_identity([left, right], "dog", 1.0, (0.4, 0.2, 0.2, 0.4)) is None
    assert find_identity([left, right], "dog", 9.0, LEFT) is None


def test_an_animal_may_be_called_another_animal_but_no_person() -> None:
    dog = _identity(_track("t1", 0, 4))
    assert find_identity([dog], "cat", 1.0, LEFT) is dog
    assert find_identity([dog], "person", 1.0, LEFT) is None


def test_an_entity_that_was_never_tracked_has_only_its_registered_box() -> None:
    alone = identity_of(_entity("vid", at=3.0, box=RIGHT), [_identity(_track("t1", 0, 4))])
    assert alone.identity_id == "ent_1"
    assert alone.box_at(3.0) == (RIGHT, 0.7)
    assert alone.box_at(5.0) is None
    assert _spans(alone, 0, 10) == [(3, 3)]


def test_an_entity_is_found_by_its_id_with_its_identity(films: Films) -> None:
    track = _track("t1", 0, 4)
    video_id = films.add({"tracks": [track], IDENTITIES: [_link("dog_1", track)]}).video_id
    kept = films.store.entities.add(
        video_id,
        lambda entity_id: _entity(video_id, at=1.0, box=LEFT).model_copy(update={"entity_id": entity_id}),
    )
    entity, identity = find_entity(films.store, video_id, kept.entity_id)
    assert (entity, identity.identity_id) == (kept, "dog_1")
    with pytest.raises(VidenceError):
        find_entity(films.store, video_id, "ent_none")


def test_asking_where_it_is_not_names_the_times_at_which_it_is_seen(films: Films) -> None:
    material = films.add(cuts=(6.0,))
    entity, identity = (
        _entity(material.video_id, at=1.0, box=LEFT),
        _identity(_track("t1", 0, 2), _track("t2", 7, 9)),
    )
    assert entity_box(films.store, entity, identity, 1.0)[0] == LEFT
    with pytest.raises(OpRetry, match=r"the brown dog\) is not in the picture at 4.5 s") as refused:
        entity_box(films.store, entity, identity, 4.5)
    assert "0.0–2.0 s, 7.0–9.0 s" in str(refused.value)


def test_of_many_times_only_some_are_named(films: Films) -> None:
    material = films.add(duration_s=60.0)
    entity = _entity(material.video_id, at=0.0, box=LEFT)
    often = _identity(*[_track(f"t{n}", n * 5.0, n * 5.0 + 1) for n in range(8)])
    with pytest.raises(OpRetry, match=r"25\.0–26\.0 s and 2 more"):
        entity_box(films.store, entity, often, 50.0)
