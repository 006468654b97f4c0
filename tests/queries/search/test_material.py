"""Loading what the index holds of a video, and the time that each sampled frame represents."""

from __future__ import annotations

import numpy as np
import pytest

from tests.queries.made import Films, frame, objects, text, thing, vector
from vidence.errors import UnknownName
from vidence.queries.search.material import FrameSpan, Material


def _places(material: Material, *spans: tuple[float, float]) -> list[tuple[float, float]]:
    placed = material.place([FrameSpan(start, end) for start, end in spans])
    return [(round(one.start_s, 3), round(one.end_s, 3)) for one in placed]


def test_a_video_without_shots_is_one_shot(films: Films) -> None:
    material = films.add(duration_s=7.5)
    [whole] = material.shots
    assert (whole.segment_id, whole.start_time, whole.end_time) == ("seg_001", 0.0, 7.5)
    assert material.shot_at(7.0) is whole


def test_rows_of_every_stage_come_back_as_they_were_written(films: Films) -> None:
    seen, read = objects(0, thing("dog", color="brown")), text(2, 4, "出口", "EXIT")
    material = films.add({"objects": [seen], "ocr": [read], "frames": [frame(0, 2, red=0.5)]})
    assert material.objects == [seen]
    assert material.texts == [read]
    assert material.frames[0].colours[0].label == "red"
    assert not any((material.labels, material.actions, material.speech, material.sounds, material.captions))


def test_rows_belong_to_their_video_only(films: Films) -> None:
    films.add({"objects": [objects(0, thing("cat"))]})
    assert films.add().objects == []


def test_a_video_that_is_not_in_the_catalogue_is_refused(films: Films) -> None:
    with pytest.raises(UnknownName):
        _ = Material(films.store, "vid_none").duration_s


@pytest.mark.parametrize(
    ("time_s", "segment_id"),
    [(0.0, "seg_001"), (3.999, "seg_001"), (4.0, "seg_002"), (8.5, "seg_003"), (99.0, "seg_003")],
)
def test_a_cut_belongs_to_the_shot_that_begins_there(films: Films, time_s: float, segment_id: str) -> None:
    assert films.add(cuts=(4.0, 8.0)).shot_at(time_s).segment_id == segment_id


def test_a_time_just_before_the_first_shot_belongs_to_it(films: Films) -> None:
    assert films.add(cuts=(4.0,)).shot_at(-1.0).segment_id == "seg_001"


def test_a_frame_represents_the_time_nearest_to_it(films: Films) -> None:
    assert _places(films.add(), (0, 1), (1, 2), (2, 3)) == [(0, 0.5), (0.5, 1.5), (1.5, 2.5)]


def test_the_last_frame_lasts_to_the_end_of_the_video(films: Films) -> None:
    assert _places(films.add(duration_s=3.0), (0, 1), (1, 2), (2, 3))[-1] == (1.5, 3.0)


def test_a_frame_never_reaches_into_another_shot(films: Films) -> None:
    placed = _places(films.add(cuts=(2.0,)), (0, 1), (1, 2.8), (2, 3))
    assert placed[1] == (0.5, 2.0)
    assert placed[2] == (2.0, 2.5)


def test_a_frame_that_stays_the_same_lasts_until_half_a_step_before_the_next(films: Films) -> None:
    assert _places(films.add(), (0, 6), (6, 7), (7, 8)) == [(0, 5.5), (5.5, 6.5), (6.5, 7.5)]


def test_a_sparse_sampling_counts_as_steps_of_two_seconds(films: Films) -> None:
    assert _places(films.add(duration_s=60.0), (10, 20), (20, 30)) == [(9, 19), (19, 29)]


def test_a_step_too_short_to_be_one_is_not_the_sampling_step(films: Films) -> None:
    assert _places(films.add(), (1.0, 1.02), (1.02, 2.02), (2.02, 3.02))[2] == (1.52, 2.52)


def test_every_place_has_some_length(films: Films) -> None:
    material = films.add(cuts=(2.0,))
    assert all(end > start for start, end in _places(material, (1.9995, 2.0), (2.0, 2.0), (9.9, 9.95)))


def test_embeddings_of_frames_end_at_cuts_and_those_of_clips_keep_their_span(films: Films) -> None:
    rows = [
        vector(0, 1, 1, 0, label="frame"),
        vector(1, 3, 0, 1, label="frame"),
        vector(1, 3, 1, 1, label="speech"),
    ]
    found = films.add(cuts=(2.0,), vectors={"image_vectors": rows}).vectors("image_vectors")
    assert list(found.labels) == ["frame", "frame", "speech"]
    assert found.spans[1] == FrameSpan(0.5, 2.0)
    assert found.spans[2] == FrameSpan(1.0, 3.0)
    assert np.array_equal(found.matrix[2], [1, 1])


def test_a_stage_without_embeddings_has_an_empty_matrix(films: Films) -> None:
    found = films.add().vectors("lens_vectors")
    assert (list(found.spans), list(found.labels), found.matrix.shape) == ([], [], (0, 0))
