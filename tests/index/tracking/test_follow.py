"""Things are followed through crossings, hiding places and camera motion."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.tracking.scenes import Actor, follow, look_of, walk
from vidence.index.tracking.follow import Follower
from vidence.index.tracking.motion import CameraStep
from vidence.index.tracking.tracker import TimedBox
from vidence.schema.perception import Box


def test_a_walker_is_one_track_from_first_to_last_sight() -> None:
    (track,) = follow([Actor(walk(0.1, 0.15))], 4.0, noise=0.003)
    assert track.category == "person"
    assert (track.sightings[0].time_s, track.sightings[-1].time_s) == (0.0, 3.9)
    assert len(track.sightings) == 40


def test_two_who_cross_keep_their_identities() -> None:
    left, right = Actor(walk(0.1, 0.15), look_of(1)), Actor(walk(0.8, -0.15), look_of(2))
    tracks = follow([left, right], 5.0, noise=0.003)
    assert len(tracks) == 2
    for track in tracks:
        way = track.sightings[-1].box.x - track.sightings[0].box.x
        assert abs(way) > 0.5, "whoever walked left to right is still walking left to right"


def test_two_who_cross_in_the_same_clothes_are_told_by_their_course() -> None:
    tracks = follow([Actor(walk(0.1, 0.15)), Actor(walk(0.8, -0.15))], 5.0, noise=0.003)
    assert sorted(round(t.sightings[-1].box.x - t.sightings[0].box.x, 1) for t in tracks) == [-0.7, 0.7]


def test_who_is_hidden_for_a_while_is_the_same_after() -> None:
    (track,) = follow([Actor(walk(0.1, 0.15, hidden=(1.5, 3.0)), look_of(3))], 5.0, noise=0.003)
    assert track.sightings[0].time_s == 0.0
    assert track.sightings[-1].time_s == 4.9


def test_hidden_behind_another_who_walks_on() -> None:
    hider = Actor(walk(0.1, 0.15, hidden=(1.8, 2.6)), look_of(4))
    front = Actor(walk(0.8, -0.15), look_of(5))
    tracks = follow([hider, front], 5.0, noise=0.003)
    assert sorted(round(t.sightings[-1].box.x - t.sightings[0].box.x, 1) for t in tracks) == [-0.7, 0.7]


def test_a_panning_camera_does_not_lose_those_who_stand() -> None:
    # The camera turns right by an eighth of the picture every tenth of a second, then stops.
    def pan(time_s: float) -> float:
        return 0.12 * min(round(time_s * 10), 5)

    def stand(x: float) -> Actor:
        return Actor(lambda time_s: Box(x - pan(time_s), 0.3, 0.08, 0.4))

    def step(time_s: float) -> CameraStep:
        return CameraStep(dx=pan(time_s) - pan(time_s - 0.1) if time_s > 0 else 0.0)

    people = [stand(0.62), stand(0.8)]
    assert [track.sightings[0].time_s for track in follow(people, 2.0, camera=step)] == [0.0, 0.0]
    assert any(track.sightings[0].time_s > 0 for track in follow(people, 2.0)), "else this pan tests nothing"


def test_an_unsure_detection_continues_a_track_but_begins_none() -> None:
    follower = Follower(aspect=1.0)
    for frame in range(20):
        time_s = frame / 10
        confidence = 0.9 if frame < 10 else 0.3
        walker = TimedBox(time_s, Box(0.1 + 0.01 * frame, 0.3, 0.1, 0.4), confidence, "person")
        ghost = TimedBox(time_s, Box(0.7, 0.3, 0.1, 0.4), 0.3, "person")
        follower.update(time_s, [walker, ghost])
    (track,) = follower.take(2.0)
    assert len(track.sightings) == 20


def test_a_thing_that_flickers_between_names_is_one_thing() -> None:
    follower = Follower(aspect=1.0)
    for frame in range(12):
        name = "truck" if frame % 3 == 0 else "car"
        follower.update(frame / 10, [TimedBox(frame / 10, Box(0.3, 0.4, 0.2, 0.2), 0.8, name)])
    (track,) = follower.take(1.2)
    assert track.category == "car"


def test_a_person_and_a_dog_at_one_place_are_two() -> None:
    here = Box(0.4, 0.3, 0.2, 0.4)
    tracks = follow([Actor(lambda _: here), Actor(lambda _: here, category="dog")], 2.0)
    assert sorted(track.category for track in tracks) == ["dog", "person"]


_PEOPLE = st.lists(
    st.tuples(st.floats(0, 0.9), st.floats(-0.3, 0.3), st.floats(0, 0.6), st.integers(0, 3)),
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(_PEOPLE, st.integers(0, 1000))
def test_no_one_is_twice_in_a_frame_and_no_sighting_is_used_twice(
    people: list[tuple[float, float, float, int]], seed: int
) -> None:
    actors = [
        Actor(walk(x, speed, y=y, hidden=(1.0, 1.0 + gap / 2)), look_of(index))
        for index, (x, speed, y, gap) in enumerate(people)
    ]
    tracks = follow(actors, 3.0, noise=0.01, seed=seed)
    for track in tracks:
        times = [seen.time_s for seen in track.sightings]
        assert times == sorted(set(times))
    used = Counter(id(seen) for track in tracks for seen in track.sightings)
    assert all(count == 1 for count in used.values())
