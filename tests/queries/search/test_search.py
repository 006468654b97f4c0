"""Searching one video and many: evidence becomes spans, ranked and limited, from rows in a real store."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.queries.made import Films, Rows, objects, span, text, thing
from vidence.language.question.search import read_search
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf
from vidence.queries.search.fuse import Modality
from vidence.queries.search.material import Material
from vidence.queries.search.meaning import Phrases
from vidence.queries.search.search import SearchSpan, evidence, search_library, search_video
from vidence.schema.observations import SoundEvent
from vidence.schema.speech import Utterance
from vidence.schema.time import TimeRange

Search = Callable[..., list[SearchSpan]]


def _said(start: float, end: float, words: str) -> Utterance:
    return Utterance(start_time=start, end_time=end, text=words)


ROWS: Rows = {
    "transcript": [_said(2, 4, "look at the old bridge"), _said(14, 16, "现在我们来看这座老桥")],
    "sounds": [SoundEvent.of("dog_bark", 8, 9, 0.9)],
    "ocr": [text(10, 12, "PLATFORM 4"), text(12, 20)],
    "objects": [
        objects(0, length=5.0),
        objects(5, thing("dog", color="brown"), length=5.0),
        objects(10, length=10.0),
    ],
}


@pytest.fixture
def shelf(tmp_path: Path) -> ModelShelf:
    """Models that are never opened: the videos here hold no embeddings."""
    return ModelShelf(ModelCache(tmp_path / "models"))


@pytest.fixture
def search(shelf: ModelShelf) -> Search:
    def run(
        asked: str,
        material: Material,
        *,
        modality: Modality = "multimodal",
        limit: int = 5,
        within: TimeRange | None = None,
    ) -> list[SearchSpan]:
        query = read_search(asked)
        phrases = Phrases(query, shelf, pictures=False)
        return search_video(query, material, phrases, modality=modality, limit=limit, span=within)

    return run


@pytest.fixture
def film(films: Films) -> Material:
    return films.add(ROWS, duration_s=20.0, cuts=(5.0, 10.0))


@pytest.mark.parametrize(
    ("asked", "start", "end", "segment_id", "modality"),
    [
        ("the old bridge", 2, 4, "seg_001", "audio"),
        ("老桥", 14, 16, "seg_003", "audio"),
        ("a dog barking", 8, 9, "seg_002", "multimodal"),
        ("狗叫声", 8, 9, "seg_002", "multimodal"),
        ('"platform 4"', 10, 11, "seg_003", "visual"),
    ],
)
def test_the_best_span_is_where_the_evidence_is(
    search: Search, film: Material, asked: str, start: float, end: float, segment_id: str, modality: str
) -> None:
    best = search(asked, film)[0]
    assert (best.start_s, best.end_s) == (start, end)
    assert (best.video_id, best.segment_id) == (film.video_id, segment_id)
    assert best.modality == modality


def test_what_is_nowhere_is_not_found(search: Search, film: Material) -> None:
    assert search("a submarine", film) == []
    assert search('"submarine"', film) == []
    assert search("潜水艇", film) == []


def test_the_likeliest_span_comes_first_and_no_two_overlap(search: Search, films: Films) -> None:
    rows: Rows = {
        "transcript": [
            _said(0, 2, "a bridge"),
            _said(4, 6, "the old stone bridge"),
            _said(8, 9, "an old hat"),
        ]
    }
    found = search("old stone bridge", films.add(rows))
    assert found[0].start_s == 4
    assert [one.confidence for one in found] == sorted((one.confidence for one in found), reverse=True)
    spans = sorted((one.start_s, one.end_s) for one in found)
    assert all(earlier[1] <= later[0] for earlier, later in pairwise(spans))


def test_no_more_spans_come_back_than_were_asked_for(search: Search, films: Films) -> None:
    rows: Rows = {"transcript": [_said(start, start + 1, "a bridge") for start in (0, 3, 6)]}
    material = films.add(rows)
    assert len(search("bridge", material)) == 3
    assert len(search("bridge", material, limit=2)) == 2


def test_only_the_modality_asked_for_is_searched(search: Search, film: Material) -> None:
    assert search("the old bridge", film, modality="visual") == []
    assert search('"platform 4"', film, modality="audio") == []
    [heard] = search("a dog barking", film, modality="audio")
    assert heard.sources == ("sounds",)


def test_a_span_limits_the_search_and_cuts_its_results(search: Search, film: Material) -> None:
    [cut] = search("the old bridge", film, within=span(3, 9))
    assert (cut.start_s, cut.end_s) == (3, 4)
    assert search("the old bridge", film, within=span(5, 9)) == []


def test_speech_goes_on_across_a_cut_and_a_picture_does_not(search: Search, films: Films) -> None:
    rows: Rows = {"transcript": [_said(3, 7, "the old bridge")]}
    [heard] = search("the old bridge", films.add(rows, cuts=(5.0,)))
    assert (heard.start_s, heard.end_s) == (3, 7)
    brown = thing("dog", color="brown")
    seen: Rows = {"objects": [objects(float(start), brown) for start in range(10)]}
    found = search("a brown dog", films.add(seen, cuts=(5.0,)))
    assert found
    assert all(one.end_s <= 5 or one.start_s >= 5 for one in found)


@pytest.mark.parametrize("asked", ["at the end", "12-14 seconds", "结尾"])
def test_a_time_alone_is_an_answer_where_nothing_else_is_known(
    search: Search, films: Films, asked: str
) -> None:
    found = search(f"what is there {asked}?", films.add(duration_s=20.0))
    assert found
    assert found[0].start_s >= 12
    assert found[0].sources == ()


def test_sources_are_named_the_strongest_first(search: Search, films: Films) -> None:
    rows: Rows = {
        "sounds": [SoundEvent.of("dog_bark", 2, 4, 0.95)],
        "objects": [objects(2, thing("dog", confidence=0.6), length=2.0)],
    }
    best = search("dog", films.add(rows))[0]
    assert best.sources[0] == "sounds"


def test_quoted_words_are_looked_for_in_speech_and_on_screen_only(shelf: ModelShelf, film: Material) -> None:
    query = read_search('"dog"')
    assert list(evidence(query, film, Phrases(query, shelf, pictures=False))) == []
    plain = read_search("dog")
    sources = {hit.source for hit in evidence(plain, film, Phrases(plain, shelf, pictures=False))}
    assert {"objects", "sounds"} <= sources


def test_absence_is_not_answered_with_presence(shelf: ModelShelf, film: Material) -> None:
    query = read_search("the dog is out of the picture")
    hits = list(evidence(query, film, Phrases(query, shelf, pictures=False)))
    assert not {"objects", "described", "labels"} & {hit.source for hit in hits}
    assert all(hit.end_s <= 5 or hit.start_s >= 9 for hit in hits if hit.source == "change")


def test_a_phrase_knows_its_script(shelf: ModelShelf) -> None:
    assert Phrases(read_search("红色的杯子"), shelf).is_chinese
    assert not Phrases(read_search("a red cup"), shelf).is_chinese
    assert Phrases(read_search("a red cup"), shelf, pictures=False).encoder is None


def _library(
    films: Films, shelf: ModelShelf, asked: str, videos: list[str], *, limit: int = 5
) -> list[SearchSpan]:
    query = read_search(asked)
    return search_library(films.store, shelf, query, videos=videos, modality="multimodal", limit=limit)


def test_the_best_spans_of_all_videos_come_first(films: Films, shelf: ModelShelf) -> None:
    doubtful = films.add({"ocr": [text(0, 10, "EXIT", confidence=0.6)]})
    sure = films.add({"ocr": [text(0, 10, "EXIT", confidence=0.99)]})
    films.add({"ocr": [text(0, 10, "ENTRY")]})
    everything = [video.video_id for video in films.store.catalogue.list()]
    found = _library(films, shelf, '"exit"', everything)
    assert [one.video_id for one in found] == [sure.video_id, doubtful.video_id]
    assert [one.video_id for one in _library(films, shelf, '"exit"', everything, limit=1)] == [sure.video_id]


def test_only_the_given_videos_are_searched(films: Films, shelf: ModelShelf) -> None:
    one, other = (films.add({"ocr": [text(0, 10, "出口")]}) for _ in range(2))
    assert [hit.video_id for hit in _library(films, shelf, "“出口”", [other.video_id])] == [other.video_id]
    assert _library(films, shelf, "“出口”", []) == []
    assert len(_library(films, shelf, "“出口”", [one.video_id, other.video_id])) == 2


@pytest.mark.parametrize("asked", ['"exit"', "“出口”"])
def test_the_one_video_of_a_large_library_is_found(films: Films, shelf: ModelShelf, asked: str) -> None:
    others = [films.add({"ocr": [text(0, 10, "ENTRY 入口")]}).video_id for _ in range(40)]
    wanted = films.add({"ocr": [text(0, 10, "EXIT", "出口")]}).video_id
    found = _library(films, shelf, asked, [*others, wanted])
    assert [one.video_id for one in found] == [wanted]
    assert _library(films, shelf, asked, others + others[:1]) == []


def test_a_weaker_span_is_kept_beside_a_better_one_but_a_far_weaker_one_is_not(
    search: Search, films: Films
) -> None:
    lines = [
        text(start, start + 1, "EXIT", confidence=sure) for start, sure in ((0, 0.99), (4, 0.8), (8, 0.3))
    ]
    found = search("where is the text exit?", films.add({"ocr": lines}))
    assert [one.start_s for one in found] == [0, 3.5]
    assert found[1].confidence < 0.9 * found[0].confidence
