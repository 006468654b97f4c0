"""Similar segments: what is compared with what, and which spans come back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from tests.queries.made import Films, frame, motion, objects, span, thing, vector
from vidence.queries.search.grid import Grid
from vidence.queries.search.similar import Likeness, SimilarSpan, is_whole_shot, similar_segments
from vidence.schema.observations import MotionSeen, ObjectsSeen

CUTS = (2.0, 4.0, 6.0, 8.0)
EACH = ((0.0, 2.0), (2.0, 4.0), (4.0, 6.0), (6.0, 8.0), (8.0, 10.0))


def _leaning(angle: float) -> tuple[float, float]:
    return float(np.cos(angle)), float(np.sin(angle))


def _shots(
    films: Films, angles: Sequence[float] = (0, 0, 0, 0, 0), *, light: Sequence[float] = (0.5,) * 5
) -> Grid:
    """Return five shots of two seconds whose embeddings lean away from the first by these angles."""
    vectors = [vector(*place, *_leaning(angle)) for place, angle in zip(EACH, angles, strict=True)]
    frames = [
        frame(start + part / 4, start + (part + 1) / 4, brightness=value)
        for (start, _), value in zip(EACH, light, strict=True)
        for part in range(8)
    ]
    return Grid(
        films.add(
            {"frames": frames, "motion": [motion(0, 10)]},
            cuts=CUTS,
            vectors={"image_vectors": vectors, "lens_vectors": vectors},
        )
    )


def _ids(found: Sequence[SimilarSpan]) -> list[str]:
    return [one.segment_id for one in found]


@pytest.mark.parametrize(
    ("reference", "expected"),
    [((0.0, 2.0), True), ((0.3, 2.0), True), ((0.5, 1.5), False), ((2.0, 3.5), False)],
)
def test_a_reference_that_covers_most_of_a_shot_stands_for_it(
    films: Films, reference: tuple[float, float], expected: bool
) -> None:
    assert is_whole_shot(_shots(films).material, span(*reference)) is expected


@pytest.mark.parametrize("likeness", ["visual", "semantic"])
def test_shots_come_back_the_most_similar_first(films: Films, likeness: Likeness) -> None:
    grid = _shots(films, (0, 0.4, 1.5, 0.1, 0.2))
    found = similar_segments(grid, span(0, 2), likeness=likeness, limit=9)
    assert _ids(found) == ["seg_004", "seg_005", "seg_002"]
    assert [(one.start_s, one.end_s) for one in found] == [(6, 8), (8, 10), (2, 4)]
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert 0.5 <= scores[-1] <= scores[0] <= 1


def test_the_reference_itself_is_never_an_answer(films: Films) -> None:
    for reference in EACH:
        found = similar_segments(_shots(films), span(*reference), likeness="visual", limit=9)
        assert len(found) == 4
        assert reference not in [(one.start_s, one.end_s) for one in found]


def test_no_more_come_back_than_were_asked_for(films: Films) -> None:
    assert len(similar_segments(_shots(films), span(0, 2), likeness="visual", limit=2)) == 2


def test_only_what_lies_inside_the_given_span_comes_back(films: Films) -> None:
    found = similar_segments(_shots(films), span(0, 2), likeness="visual", limit=9, span=span(3.5, 8))
    assert sorted(_ids(found)) == ["seg_003", "seg_004"]


def test_nothing_comes_back_where_nothing_may_be_compared(films: Films) -> None:
    grid = _shots(films)
    assert similar_segments(grid, span(0, 10), likeness="visual", limit=9) == []
    assert similar_segments(grid, span(0, 2), likeness="visual", limit=9, span=span(4.1, 5.9)) == []


def test_another_light_makes_the_same_picture_less_similar(films: Films) -> None:
    grid = _shots(films, light=(0.8, 0.8, 0.7, 0.6, 0.1))
    found = similar_segments(grid, span(0, 2), likeness="visual", limit=9)
    assert _ids(found) == ["seg_002", "seg_003", "seg_004"]
    assert found[0].score > found[1].score > found[2].score


def test_light_says_nothing_about_the_meaning(films: Films) -> None:
    grid = _shots(films, light=(0.8, 0.8, 0.7, 0.6, 0.1))
    scores = {one.score for one in similar_segments(grid, span(0, 2), likeness="semantic", limit=9)}
    assert len(scores) == 1


def test_a_thing_seen_in_both_makes_shots_more_similar_in_meaning(films: Films) -> None:
    seen = [
        objects(start, thing(name), length=2.0)
        for start, name in ((0.0, "dog"), (2.0, "cup"), (4.0, "dog"), (6.0, "cup"), (8.0, "cup"))
    ]
    vectors = [vector(*place, 1, 0) for place in EACH]
    grid = Grid(films.add({"objects": seen}, cuts=CUTS, vectors={"lens_vectors": vectors}))
    found = similar_segments(grid, span(0, 2), likeness="semantic", limit=1)
    assert _ids(found) == ["seg_003"]
    everything = similar_segments(grid, span(0, 2), likeness="semantic", limit=9)
    assert everything[0].score > everything[1].score + 0.2


def _one_shot(
    films: Films, moved: Sequence[MotionSeen], *, seen: Sequence[ObjectsSeen] = (), duration_s: float = 20.0
) -> Grid:
    return Grid(
        films.add(
            {"motion": moved, "objects": seen, "frames": [frame(0, duration_s)]},
            duration_s=duration_s,
            vectors={"lens_vectors": [vector(0, duration_s, 1, 0)]},
        )
    )


def test_a_pan_is_like_a_pan_to_the_same_side_only(films: Films) -> None:
    grid = _one_shot(
        films,
        [
            motion(0, 4, dx=0.2),
            motion(4, 8),
            motion(8, 12, dx=-0.2),
            motion(12, 16, dx=0.2),
            motion(16, 20),
        ],
    )
    found = similar_segments(grid, span(0, 4), likeness="motion", limit=1)
    assert [(one.start_s, one.end_s) for one in found] == [(12.0, 16.0)]
    assert found[0].score > 0.95
    everything = similar_segments(grid, span(0, 4), likeness="motion", limit=9)
    assert all(one.end_s <= 8 + 1e-6 or one.start_s >= 12 - 2 for one in everything)


def test_spans_of_an_action_lie_apart_from_each_other(films: Films) -> None:
    grid = _one_shot(films, [motion(0, 20, activity=0.2)])
    found = similar_segments(grid, span(2, 4), likeness="motion", limit=20)
    assert len(found) >= 4
    for one, other in combinations(found, 2):
        assert one.end_s + 1.0 <= other.start_s + 1e-3 or other.end_s + 1.0 <= one.start_s + 1e-3
    assert all(one.end_s <= 2 + 1e-3 or one.start_s >= 4 - 1e-3 for one in found)


def test_spans_are_as_long_as_the_reference_and_end_at_cuts(films: Films) -> None:
    grid = Grid(films.add({"motion": [motion(0, 10, activity=0.2)]}, cuts=(5.0,)))
    found = similar_segments(grid, span(1, 2.5), likeness="motion", limit=20)
    assert found
    for one in found:
        assert one.end_s - one.start_s == pytest.approx(1.5)
        assert one.end_s <= 5 + 1e-6 or one.start_s >= 5 - 1e-6
        assert one.segment_id == ("seg_001" if one.end_s <= 5 else "seg_002")


def test_within_a_scene_the_amount_of_motion_decides_about_meaning(films: Films) -> None:
    grid = _one_shot(films, [motion(0, 4, activity=0.3), motion(4, 14), motion(14, 20, activity=0.3)])
    found = similar_segments(grid, span(1, 3), likeness="semantic", limit=9)
    assert found
    assert found[0].score > 0.9
    assert all(one.start_s < 4 or one.end_s > 14 for one in found), "a still span is not like a busy one"


def test_a_thing_that_appears_is_like_another_appearance(films: Films) -> None:
    counts = [0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    seen = [objects(float(start), *[thing("cat")] * count) for start, count in enumerate(counts)]
    grid = _one_shot(films, [motion(0, 20)], seen=seen)
    best = similar_segments(grid, span(1, 3), likeness="semantic", limit=1)[0]
    assert best.start_s <= 12 <= best.end_s


@pytest.mark.parametrize("seen", [(), (objects(0), objects(1))], ids=["no rows", "empty frames"])
def test_a_part_of_a_shot_without_objects_can_be_compared(films: Films, seen: tuple[ObjectsSeen]) -> None:
    grid = _one_shot(films, [motion(0, 20)], seen=seen)
    found = similar_segments(grid, span(1, 3), likeness="semantic", limit=9)
    assert found
    assert all(one.score > 0.9 for one in found)
