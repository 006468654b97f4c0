"""The texts about a video that are embedded, read from the rows of a real store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vidence.errors import BackendError
from vidence.index.pipeline.derived import caption_shots, embed_texts, split_label
from vidence.index.pipeline.job import Cancelled, Job
from vidence.media import probe
from vidence.schema.observations import Caption, ObjectsSeen, SeenObject, SeenText, Segment, TextSeen
from vidence.schema.speech import Utterance


@pytest.fixture
def filled(job: Job) -> Job:
    """The job, with rows in its store and a model for texts."""
    try:
        job.shelf.get("text_embeddings")
    except BackendError as exc:
        pytest.skip(f"no model for texts: {exc}")
    append, video_id = job.store.observations.append, job.video_id
    for stage in ("captions", "transcript", "ocr", "objects"):
        job.store.stages.begin(video_id, stage, "1")
    shot = Segment(segment_id="seg_001", start_time=0, end_time=2, type="shot", transition="start")
    job.store.segments.replace(video_id, "fine", [shot])
    captions = [
        Caption(
            start_time=0,
            end_time=2,
            segment_id="seg_001",
            en="A dog runs.",
            zh="一只狗在跑。",
            confidence=0.9,
        ),
        Caption(start_time=0, end_time=2, segment_id="seg_001", en="Nothing.", zh="没有。", confidence=0.3),
    ]
    append(video_id, "captions", captions)
    said = [
        Utterance(start_time=0.5, end_time=1, text=" Hello there. ", confidence=0.9),
        Utterance(start_time=1, end_time=1.5, text="  ", confidence=0.9),
    ]
    append(video_id, "transcript", said)
    append(video_id, "ocr", [_read(0.0, "EXIT", 0.9), _read(1.0, "EXIT", 0.95), _read(1.5, "SMUDGE", 0.5)])
    box = (0.4, 0.4, 0.2, 0.3)
    dog = SeenObject(category="dog", confidence=0.9, bbox=box, attributes={"color": "black"})
    person = SeenObject(category="person", confidence=0.9, bbox=(0.1, 0.2, 0.1, 0.6))
    append(
        video_id,
        "objects",
        [ObjectsSeen(start_time=n / 2, end_time=n / 2 + 0.5, objects=(dog, person)) for n in range(4)],
    )
    return job


def _read(start: float, text: str, confidence: float) -> TextSeen:
    line = SeenText(text=text, confidence=confidence, bbox=(0.1, 0.8, 0.3, 0.05))
    return TextSeen(start_time=start, end_time=start + 0.5, lines=(line,))


def _labels(job: Job) -> list[str]:
    return [row.label for row in job.store.vectors.load(job.video_id, "text_vectors")]


def test_a_label_is_split_into_its_source_and_its_text() -> None:
    assert split_label("speech: Hello: there") == ("speech", "Hello: there")
    assert split_label("caption") == ("caption", "")


def test_every_confident_text_is_embedded_once_with_its_source(filled: Job) -> None:
    embed_texts(filled)
    assert sorted(_labels(filled)) == [
        "caption: A dog runs.",
        "caption: 一只狗在跑。",
        "seen: black dog",
        "seen: person",
        "seen: playing with a dog",
        "speech: Hello there.",
        "text: EXIT",
    ]
    stage = filled.store.stages.get(filled.video_id, "text_vectors")
    assert stage is not None
    assert stage.is_done


def test_a_text_lasts_from_its_first_reading_to_its_last(filled: Job) -> None:
    embed_texts(filled)
    (exit_sign,) = [
        row for row in filled.store.vectors.load(filled.video_id, "text_vectors") if "EXIT" in row.label
    ]
    assert (exit_sign.start_time, exit_sign.end_time) == (0.0, 1.5)


def test_vectors_are_unit_vectors_and_differ_by_text(filled: Job) -> None:
    embed_texts(filled)
    vectors = np.stack([row.vector for row in filled.store.vectors.load(filled.video_id, "text_vectors")])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(vectors)), abs=0.01)
    assert len({vector.tobytes() for vector in vectors}) == len(vectors)


def test_a_resumed_run_embeds_only_what_is_left(filled: Job) -> None:
    filled.writer("text_vectors").commit(upto_s=1.0, cursor=4)
    embed_texts(filled)
    # They are in order of their time, and then of their source.
    assert _labels(filled) == ["seen: playing with a dog", "text: EXIT", "speech: Hello there."]


def test_a_job_told_to_stop_embeds_nothing(filled: Job) -> None:
    filled.stop.set()
    with pytest.raises(Cancelled):
        embed_texts(filled)
    assert _labels(filled) == []


@pytest.fixture
def black(job: Job, plain: Path) -> Job:
    """A job over a black video of two shots, with every model that captions need."""
    for capability in ("objects", "image_labels", "ocr", "pose", "image_text"):
        try:
            job.shelf.get(capability)
        except BackendError as exc:
            pytest.skip(f"no model for {capability}: {exc}")
    shots = [
        Segment(segment_id="seg_001", start_time=0, end_time=0.6, type="shot", transition="start"),
        Segment(segment_id="seg_002", start_time=0.6, end_time=1.2, type="shot"),
    ]
    job.store.segments.replace(job.video_id, "fine", shots)
    return replace(job, path=plain, places=(plain,), info=probe(plain))


def _captions(job: Job) -> list[Caption]:
    return job.store.observations.load(job.video_id, "captions", Caption)


def test_every_shot_gets_a_caption_in_both_languages(black: Job) -> None:
    caption_shots(black)
    first, second = _captions(black)
    assert (first.segment_id, second.segment_id) == ("seg_001", "seg_002")
    assert (second.start_time, second.end_time) == (0.6, 1.2)
    assert first.en == second.en == "Nothing in the picture can be named with confidence."
    assert first.zh == "无法确认画面中有什么。"
    assert first.confidence < 0.4, "too little to be found by a question"


def test_a_resumed_run_captions_the_next_shot(black: Job) -> None:
    black.writer("captions").commit(upto_s=0.6)
    caption_shots(black)
    assert [caption.segment_id for caption in _captions(black)] == ["seg_002"]
    stage = black.store.stages.get(black.video_id, "captions")
    assert stage is not None
    assert stage.is_done
