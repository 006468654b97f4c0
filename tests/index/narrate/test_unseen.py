"""Shots that the index has no frame of are looked at when they are described."""

from __future__ import annotations

from pathlib import Path

import pytest

from vidence.errors import BackendError
from vidence.index.narrate.evidence import SampledFrame, ShotEvidence
from vidence.index.narrate.unseen import analyse_unseen, is_unseen
from vidence.media import open_video
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf
from vidence.schema.observations import SeenObject, TextSeen
from vidence.schema.time import TimeRange
from vidence.settings import load_settings

SPAN = TimeRange(start_time=0.0, end_time=1.0)
DOG = SeenObject(category="dog", confidence=0.9, bbox=(0.1, 0.1, 0.5, 0.5))
SAMPLE = SampledFrame(0.0, 1.0, objects=(DOG,))
READ = TextSeen(start_time=0.0, end_time=1.0, lines=())


def test_a_shot_is_unseen_without_a_frame_or_without_a_search_for_text() -> None:
    assert is_unseen(ShotEvidence(SPAN))
    assert is_unseen(ShotEvidence(SPAN, samples=(SAMPLE,)))
    assert is_unseen(ShotEvidence(SPAN, texts=(READ,)))
    assert not is_unseen(ShotEvidence(SPAN, samples=(SAMPLE,), texts=(READ,)))


@pytest.fixture
def shelf() -> ModelShelf:
    shelf = ModelShelf(ModelCache(load_settings().model_home))
    for capability in ("objects", "image_labels", "ocr", "pose"):
        try:
            shelf.get(capability)
        except BackendError as exc:
            pytest.skip(f"no model for {capability}: {exc}")
    return shelf


def test_seen_shots_are_returned_untouched_without_opening_a_model(plain: Path, tmp_path: Path) -> None:
    seen = ShotEvidence(SPAN, samples=(SAMPLE,), texts=(READ,))
    with open_video(plain) as reader:
        assert analyse_unseen([seen, seen], reader, ModelShelf(ModelCache(tmp_path))) == [seen, seen]


def test_an_unseen_shot_gets_a_frame_past_its_middle(plain: Path, shelf: ModelShelf) -> None:
    seen = ShotEvidence(SPAN, samples=(SAMPLE,), texts=(READ,))
    with open_video(plain) as reader:
        found, kept = analyse_unseen([ShotEvidence(SPAN), seen], reader, shelf)
    assert kept is seen
    (sample,) = found.samples
    assert sample.time_s == pytest.approx(0.6, abs=0.11)
    assert sample.seconds == pytest.approx(1.0)
    assert sample.objects == (), "a black picture shows nothing"
    (text,) = found.texts
    assert (text.lines, text.end_time) == ((), 1.0)


def test_what_the_index_has_is_kept_and_only_the_rest_is_added(plain: Path, shelf: ModelShelf) -> None:
    with open_video(plain) as reader:
        (unread, unlooked) = analyse_unseen(
            [ShotEvidence(SPAN, samples=(SAMPLE,)), ShotEvidence(SPAN, texts=(READ,))], reader, shelf
        )
    assert unread.samples == (SAMPLE,)
    assert len(unread.texts) == 1
    assert unlooked.texts == (READ,)
    assert len(unlooked.samples) == 1
