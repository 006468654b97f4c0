"""Evidence in words: speech, sounds, text on screen and captions, in two languages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.queries.made import Films, text
from vidence.language.question.search import read_search
from vidence.queries.search.heard import captions_read, is_misread, screen_read, sounds_heard, words_heard
from vidence.queries.search.material import Hit, Material
from vidence.schema.observations import Caption, SoundEvent
from vidence.schema.speech import Utterance, Word


def _said(start: float, words: str, *, confidence: float = 1.0) -> Utterance:
    return Utterance(start_time=start, end_time=start + 2, text=words, confidence=confidence)


def _speech(films: Films, *lines: str) -> Material:
    return films.add({"transcript": [_said(2.0 * n, line) for n, line in enumerate(lines)]})


def _scores(hits: Sequence[Hit]) -> dict[float, float]:
    return {hit.start_s: round(hit.score, 3) for hit in hits}


def test_the_share_of_the_words_that_were_said_is_the_score(films: Films) -> None:
    material = _speech(films, "the old bridge", "nothing of it", "a bridge over water")
    found = _scores(list(words_heard(read_search("old bridge"), material)))
    assert found[0.0] == 1.0
    assert 0 < found[4.0] < 0.5, "the rarer of two words weighs more"
    assert 2.0 not in found


def test_another_form_of_a_word_is_the_same_word(films: Films) -> None:
    [hit] = words_heard(read_search("bridges"), _speech(films, "one bridge", "no river"))
    assert (hit.start_s, hit.end_s, hit.score, hit.source) == (0.0, 2.0, 1.0, "speech")


def test_chinese_speech_is_found_by_chinese_words(films: Films) -> None:
    material = _speech(films, "这座老桥很漂亮", "今天天气不错")
    found = _scores(list(words_heard(read_search("老桥"), material)))
    assert max(found, key=lambda start: found[start]) == 0.0
    [exact] = words_heard(read_search("“天气不错”"), material)
    assert (exact.start_s, exact.score) == (2.0, 1.0)


def test_doubtful_words_count_less_but_not_for_nothing(films: Films) -> None:
    rows = [_said(0, "the bridge", confidence=0.8), _said(2, "the bridge", confidence=0.1)]
    found = _scores(list(words_heard(read_search("bridge"), films.add({"transcript": rows}))))
    assert found == {0.0: 0.8, 2.0: 0.5}


@pytest.mark.parametrize(("asked", "weak"), [("someone speaking", 0.25), ("有人说话", 0.25), ("a cup", None)])
def test_any_speech_speaks_weakly_for_a_question_about_speaking(
    films: Films, asked: str, weak: float | None
) -> None:
    found = list(words_heard(read_search(asked), _speech(films, "hello there")))
    assert [hit.score for hit in found] == ([] if weak is None else [weak])


def test_quoted_words_must_all_be_said_as_whole_words(films: Films) -> None:
    material = _speech(films, "Good morning, all!", "good evening", "a mourning dove")
    assert _scores(list(words_heard(read_search('"good morning"'), material))) == {0.0: 1.0}
    assert _scores(list(words_heard(read_search('"good"'), material))) == {0.0: 1.0, 2.0: 1.0}
    assert list(words_heard(read_search('"morn"'), material)) == []


def test_two_quotations_are_both_needed(films: Films) -> None:
    material = _speech(films, "red and blue", "red only")
    assert _scores(list(words_heard(read_search('"red" and "blue"'), material))) == {0.0: 1.0}


def test_quoted_words_last_as_long_as_they_are_said_with_a_little_context(films: Films) -> None:
    times = ((0.0, 0.5), (4.0, 4.5), (4.5, 5.0), (9.0, 9.5))
    words = tuple(
        Word(text=word, start_time=start, end_time=end, confidence=1.0)
        for word, (start, end) in zip(("So", "good", "morning,", "all."), times, strict=True)
    )
    said = Utterance(start_time=0, end_time=9.5, text="So good morning, all.", words=words)
    [hit] = words_heard(read_search('"good morning"'), films.add({"transcript": [said]}))
    assert (hit.start_s, hit.end_s) == pytest.approx((3.6, 5.4))
    [edge] = words_heard(read_search('"so"'), films.add({"transcript": [said]}))
    assert edge.start_s == 0.0


def test_a_silent_video_has_nothing_heard(films: Films) -> None:
    material = films.add()
    assert list(words_heard(read_search("someone speaking"), material)) == []
    assert list(sounds_heard(read_search("music"), material)) == []


SOUNDS = [
    SoundEvent.of("dog_bark", 0, 1, 0.8),
    SoundEvent.of("rain", 2, 3, 0.5),
    SoundEvent.of("music", 4, 6, 0.9, "background_music"),
]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("barking", {0.0: 0.8}),
        ("狗叫", {0.0: 0.8}),
        ("rain", {2.0: 0.5}),
        ("雨声", {2.0: 0.5}),
        ("a song", {4.0: 0.9}),
        ("音乐", {4.0: 0.9}),
        ("animal", {0.0: 0.56}),
        ("a volcano", {}),
    ],
)
def test_a_sound_is_found_by_its_names_and_less_surely_by_its_kind(
    films: Films, asked: str, expected: dict[float, float]
) -> None:
    material = films.add({"sounds": SOUNDS})
    assert _scores(list(sounds_heard(read_search(asked), material))) == pytest.approx(expected)


@pytest.mark.parametrize("asked", ["what can be heard", "a strange sound"])
def test_any_sound_speaks_weakly_for_a_question_about_sound(films: Films, asked: str) -> None:
    found = list(sounds_heard(read_search(asked), films.add({"sounds": SOUNDS})))
    assert len(found) == 3
    assert all(hit.score < 0.15 for hit in found)


def test_a_named_sound_excludes_the_others(films: Films) -> None:
    found = list(sounds_heard(read_search("the sound of rain"), films.add({"sounds": SOUNDS})))
    assert [hit.start_s for hit in found] == [2.0]


def test_quoted_words_are_no_sounds(films: Films) -> None:
    assert list(sounds_heard(read_search('"rain"'), films.add({"sounds": SOUNDS}))) == []


def test_a_sound_with_a_name_of_its_own_is_found_by_its_words(films: Films) -> None:
    material = films.add({"sounds": [SoundEvent.of("steam_whistle", 0, 1, 0.6)]})
    assert _scores(list(sounds_heard(read_search("a whistle"), material))) == {0.0: 0.6}


@pytest.mark.parametrize(
    ("asked", "score"),
    [('"platform"', 0.9), ('"PLATFORM 4"', 0.9), ('"plotform"', 0.7), ('"cat"', 0.0)],
)
def test_text_on_screen_allows_for_a_misread_letter(films: Films, asked: str, score: float) -> None:
    material = films.add({"ocr": [text(0, 10, "Platform 4")]})
    found = [hit.score for hit in screen_read(read_search(asked), material)]
    assert found == ([pytest.approx(score, abs=0.03)] if score else [])


def test_words_that_were_run_together_are_found_less_surely(films: Films) -> None:
    [hit] = screen_read(read_search('"hotel"'), films.add({"ocr": [text(0, 10, "GRANDHOTEL")]}))
    assert hit.score == pytest.approx(0.81)


def test_short_words_are_never_guessed(films: Films) -> None:
    material = films.add({"ocr": [text(0, 10, "CAR")]})
    assert list(screen_read(read_search("cap"), material)) == []


@pytest.mark.parametrize("asked", ["the text on the screen", "画面上的文字"])
def test_any_text_answers_a_question_about_text(films: Films, asked: str) -> None:
    material = films.add({"ocr": [text(0, 4, "EXIT", confidence=0.8), text(4, 10)]})
    [hit] = screen_read(read_search(asked), material)
    assert hit.score == pytest.approx(0.4)
    assert hit.source == "screen"


def test_chinese_text_on_screen_is_found_inside_a_line(films: Films) -> None:
    material = films.add({"ocr": [text(0, 10, "欢迎来到北京站")]})
    assert [hit.score for hit in screen_read(read_search("“北京”"), material)] == [0.9]


def test_words_may_stand_on_several_lines(films: Films) -> None:
    material = films.add({"ocr": [text(0, 10, "GRAND", "HOTEL")]})
    assert [hit.score for hit in screen_read(read_search('"grand hotel"'), material)] == [0.9]


def _caption(start: float, en: str, zh: str) -> Caption:
    return Caption(start_time=start, end_time=start + 5, segment_id="seg_001", en=en, zh=zh, confidence=0.8)


def test_a_caption_counts_by_the_share_of_the_query_it_holds(films: Films) -> None:
    rows = [_caption(0, "A dog runs on a beach.", "一只狗在海滩上跑。"), _caption(5, "A street.", "一条街。")]
    material = films.add({"captions": rows})
    assert _scores(list(captions_read(read_search("dog beach"), material))) == {0.0: 0.8}
    assert _scores(list(captions_read(read_search("dog kennel"), material))) == {0.0: 0.4}
    assert 0.0 in _scores(list(captions_read(read_search("海滩"), material)))
    assert list(captions_read(read_search('"dog"'), material)) == []


@pytest.mark.parametrize(
    ("word", "other", "is_near"),
    [
        ("penguin", "engin", False),
        ("vidence", "vidance", True),
        ("nasa", "nase", True),
        ("astronomical", "astronornical", True),
        ("house", "mouth", False),
    ],
)
def test_only_a_letter_or_two_may_be_misread(word: str, other: str, is_near: bool) -> None:
    assert is_misread(word, other) is is_near
