"""Summaries: every sentence cites a note, a reader's sentences are kept only where notes bear them out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import JsonValue

from tests.embedded.test_solver import embed
from vidence.llm.scripted import ScriptedEngine
from vidence.runs.ledger import Ledger
from vidence.runs.reading import READER
from vidence.runs.run import Run
from vidence.runs.summary import plain_summary, read_summary, scenes_told, summarise
from vidence.runs.verify import Verifier
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import AnswerLanguage, MemoryUnit, RunInput
from vidence.schema.evidence import EvidenceRecord, hash_of
from vidence.schema.reading import Note, ReaderReply, ReaderVariables

LINES = (
    ("place", 0.0, 60.0, "The scene seems to be in a harbour", None),
    ("seen", 0.0, 30.0, "Two people are in view, with a boat", None),
    ("seen", 5.0, 9.0, "the person in view is named on screen: Anna Berg, biologist", "Anna Berg"),
    ("said", 6.0, 12.0, "The reef lost 30 percent of its coral since 2016.", "Anna Berg"),
    ("said", 14.0, 20.0, "We count the corals every summer with twelve boats.", "Anna Berg"),
    ("written", 5.0, 9.0, "Anna Berg biologist", None),
    ("seen", 30.0, 60.0, "A brown dog is on the left", None),
    ("heard", 40.0, 40.5, "a knock or bang", None),
    ("heard", 0.0, 60.0, "music", None),
)


def record(lines: tuple[tuple[str, float, float, str, str | None], ...] = LINES) -> EvidenceRecord:
    notes: list[JsonValue] = [
        {
            "kind": kind,
            "start_time": start,
            "end_time": end,
            "text": text,
            "confidence": 0.9,
            "speaker": None,
            "name": name,
        }
        for kind, start, end, text, name in lines
    ]
    result: dict[str, JsonValue] = {"notes": notes}
    return EvidenceRecord(
        record_id="rec_1", kind="operation", source="get_notes", result=result, result_hash=hash_of(result)
    )


def run_with(
    reply: str,
    language: AnswerLanguage = "en",
    lines: tuple[tuple[str, float, float, str, str | None], ...] = LINES,
) -> Run[RunInput]:
    engine = ScriptedEngine([reply])
    world = CaptionWorld([MemoryUnit(frame_id=1, caption="a table")])
    run = Run(
        RunInput(question="What is it about?", language=language), world, {"main": engine, READER: engine}
    )
    run.ledger.add(record(lines))
    return run


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_sentence_holds_before_the_verifier(language: AnswerLanguage) -> None:
    summary = plain_summary(record(), language=language, embed=embed)
    ledger = Ledger()
    ledger.add(record())
    verifier = Verifier(ledger)
    parts = [*summary.about, *summary.highlights, *summary.unusual]
    parts += [claim for chapter in summary.chapters for claim in chapter.claims]
    assert len(parts) > 6
    assert {verifier.check(claim).verdict for claim in parts} == {"verified"}


def test_it_tells_who_speaks_what_is_said_and_where() -> None:
    text = plain_summary(record(), language="en", embed=embed).text("about")
    assert "Anna Berg" in text
    assert "30 percent" in text
    assert "harbour" in text
    assert "says: “" in text


def test_what_stands_out_is_the_sudden_sound() -> None:
    summary = plain_summary(record(), language="en", embed=embed)
    assert any("knock or bang" in claim.text for claim in summary.unusual)
    assert not any("music" in claim.text for claim in summary.unusual)


def test_a_title_is_told_once_and_a_clock_after_all_else() -> None:
    shown = (
        ("written", 0.0, 60.0, "2022-02-01 18:26:38 – 18:26:56", None),
        ("seen", 0.0, 9.0, "A title reads “Save the reef” on a blue background", None),
        ("written", 0.0, 9.0, "Save the reef", None),
    )
    about = plain_summary(record((*LINES[:2], *shown)), language="en", embed=embed).text("about")
    assert about.count("Save the reef") == 1
    clock = plain_summary(record(shown[:1]), language="zh", embed=embed)
    assert clock.text("about") == "画面上的时间是2022-02-01 18:26:38 – 18:26:56。"


def test_chapters_follow_one_another_over_the_whole_video() -> None:
    long = tuple(
        ("said", 10.0 * i, 10.0 * i + 8, "The harbour is old." if i < 12 else "Rockets need fuel.", None)
        for i in range(24)
    )
    chapters = plain_summary(record(long), language="en", embed=embed, duration_s=240.0).chapters
    assert chapters[0].start_time == 0.0
    assert chapters[-1].end_time == 240.0
    for one, other in pairwise(chapters):
        assert one.end_time == other.start_time
    assert any(abs(chapter.start_time - 120.0) <= 10.0 for chapter in chapters[1:])


def test_no_notes_make_an_empty_summary() -> None:
    assert plain_summary(record(()), language="en", embed=embed).about == ()


def test_the_readers_sentences_are_kept_where_notes_bear_them_out() -> None:
    told = "Anna Berg says that the reef lost 30 percent of its coral. Peter Miller flew 99 planes to Mars."
    run = run_with(json.dumps({"answer": told, "notes": [4]}))
    summary = summarise(run, record(), embed=embed)
    assert summary.about[0].text == "Anna Berg says that the reef lost 30 percent of its coral."
    assert "Mars" not in summary.text("about")
    assert summary.read_by
    assert all(claim.citations for claim in summary.about)


def test_a_reader_that_repeats_mixes_or_breaks_off_is_cut() -> None:
    good = "Since 2016 the reef lost 30 percent of its coral."
    told = f"{good} {good} The brown dog counts the corals with a knock in the harbour. The reef lost 30"
    run = run_with(json.dumps({"answer": told, "notes": [4]}))
    about = [claim.text for claim in summarise(run, record(), embed=embed).about]
    assert about.count(good) == 1
    assert about[0] == good
    assert not any("counts the corals with" in text or text == "The reef lost 30." for text in about)


@pytest.mark.parametrize(
    ("told", "language"),
    [
        ("Anna Berg, a biologist, talks about the coral of the reef.", "en"),
        ("这段视频主要讲珊瑚和轮船的数量。", "zh"),
    ],
)
def test_what_it_is_about_may_rest_on_several_notes(told: str, language: AnswerLanguage) -> None:
    lines = (
        LINES
        if language == "en"
        else (
            ("said", 6.0, 12.0, "这里的珊瑚从前很多，现在少了三成，大家都很担心。", None),
            ("said", 14.0, 20.0, "我们每年夏天都开着十二条轮船去数它们的数量。", None),
        )
    )
    run = run_with(json.dumps({"answer": told, "notes": [4]}), language, lines)
    summary = summarise(run, record(lines), embed=embed)
    assert summary.about[0].text == told
    assert len(summary.about[0].citations) > 1
    assert len(summary.about) > 1


@pytest.mark.parametrize(
    "told",
    [
        "The video is about rockets and their fuel.",
        "Peter Miller talks about the coral of the reef.",
        "The video is about the 99 boats of the reef and its coral.",
        "It does not talk about the coral of the reef.",
        "Anna Berg sells twelve boats and a brown dog.",
    ],
)
def test_what_it_is_about_must_stand_in_the_notes(told: str) -> None:
    run = run_with(json.dumps({"answer": told, "notes": [4]}))
    assert told not in [claim.text for claim in summarise(run, record(), embed=embed).about]


@pytest.mark.parametrize(
    ("told", "is_kept"),
    [
        ("Anna Berg 讲的是珊瑚礁。", True),
        ("Peter Miller 讲的是珊瑚礁。", False),
        ("Anna Berg 讲了 99 艘船。", False),
    ],
)
def test_what_it_is_about_may_be_told_in_another_language(told: str, is_kept: bool) -> None:
    def alike(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array(
            [[1.0, 0.0] if "coral" in one or "珊瑚" in one else [0.0, 1.0] for one in texts], np.float32
        )

    run = run_with(json.dumps({"answer": told, "notes": [4]}), "zh")
    summary = summarise(run, record(), embed=alike)
    assert (told in [claim.text for claim in summary.about]) == is_kept


def test_what_nothing_is_near_to_is_not_told_in_another_language() -> None:
    def unlike(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[float("礁" in one), float("礁" not in one)] for one in texts], np.float32)

    run = run_with(json.dumps({"answer": "Anna Berg 讲的是珊瑚礁。", "notes": [4]}), "zh")
    assert "Anna Berg 讲的是珊瑚礁。" not in [c.text for c in summarise(run, record(), embed=unlike).about]


def test_a_shorter_form_of_a_sentence_is_left_out() -> None:
    lines = (
        ("seen", 0.0, 30.0, "A person in a red coat is on the right", None),
        ("seen", 30.0, 59.0, "A person is on the right", None),
    )
    about = plain_summary(record(lines), language="en", embed=embed).about
    assert [claim.text for claim in about] == ["A person in a red coat is on the right."]


def test_without_words_no_reader_is_asked() -> None:
    silent = tuple(line for line in LINES if line[0] not in ("said", "written"))
    run = run_with("")
    assert summarise(run, record(silent), embed=embed).read_by == ""


def test_a_reader_that_cannot_tell_leaves_the_plain_summary() -> None:
    run = run_with(json.dumps({"answer": "cannot tell", "notes": []}))
    summary = summarise(run, record(), embed=embed)
    assert summary.read_by == ""
    assert "30 percent" in summary.text("about")


def test_half_sentences_stand_back() -> None:
    lines = (
        ("said", 0.0, 4.0, "of corals and boats in the harbour every", None),
        ("said", 4.0, 8.0, "We count corals and boats in the harbour every year.", None),
        ("said", 8.0, 12.0, "boats in the harbour count every year.", None),
        ("said", 12.0, 16.0, "It is the harbour of the boats of this town.", None),
    )
    summary = plain_summary(record(lines), language="en", embed=embed)
    told = " ".join(claim.text for part in ("about", "unusual") for claim in summary.claims(part))
    assert "We count corals" in told
    assert "“of corals" not in told
    assert "“boats in" not in told


SCENES = (
    ("seen", 0.0, 20.0, "Two grey bottles are on the right", None),
    ("place", 20.0, 40.0, "The scene seems to be in a park", None),
    ("seen", 20.0, 40.0, "Two people are in view, with a dog", None),
    ("seen", 20.0, 40.0, "One, in white, is on the left; the other is on the right", None),
    ("action", 20.0, 40.0, "A person seems to be training a dog", None),
    ("seen", 40.0, 80.0, "A blue bird is in the middle", None),
    (
        "written",
        40.0,
        50.0,
        "The Peach Open Movie Project presents a bird and its friends",
        None,
    ),
)
BEGINS = (0.0, 20.0, 40.0, 79.0)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "(0:20) A person seems to be training a dog. (0:40) A blue bird is in the middle."),
        ("zh", "（0:20）A person seems to be training a dog。（0:40）A blue bird is in the middle。"),
    ],
)
def test_several_scenes_are_told_one_after_the_other(language: AnswerLanguage, told: str) -> None:
    summary = plain_summary(record(SCENES), language=language, embed=embed, scenes=BEGINS)
    assert [chapter.start_time for chapter in summary.chapters] == [0.0, 20.0, 40.0]
    assert told in summary.text("about")
    assert summary.chapters[1].title == "A person seems to be training a dog"
    ledger = Ledger()
    ledger.add(record(SCENES))
    assert {Verifier(ledger).check(claim).verdict for claim in summary.about} == {"verified"}


def test_what_is_told_of_one_moment_stays_in_its_order() -> None:
    [_, park, _] = plain_summary(record(SCENES), language="en", embed=embed, scenes=BEGINS).chapters
    texts = [claim.text for claim in park.claims]
    assert texts.index("Two people are in view, with a dog.") + 1 == texts.index(
        "One, in white, is on the left; the other is on the right."
    )


def test_many_short_scenes_are_joined() -> None:
    chapters = plain_summary(
        record(SCENES), language="en", embed=embed, scenes=[5.0 * k for k in range(16)]
    ).chapters
    assert 2 <= len(chapters) <= 8
    assert all(chapter.end_time - chapter.start_time >= 4 for chapter in chapters)


def test_a_reader_that_tells_of_one_scene_only_is_not_believed() -> None:
    told = "The video is about a person training a dog in a park."
    asked = ReaderVariables(
        question="?",
        language="en",
        notes=tuple(
            Note(number=k, text=line[3], kind="seen", start_s=line[1], end_s=line[2], record_id="rec_1")
            for k, line in enumerate(SCENES, 1)
        ),
    )
    reply = ReaderReply(answer=told, notes=(5,))
    for scenes, is_kept in ((BEGINS, False), ((), True)):
        plain = plain_summary(record(SCENES), language="en", embed=embed, scenes=scenes)
        found = read_summary(plain, reply, asked, read_by="reader", embed=embed)
        assert (told in [claim.text for claim in found.about]) == is_kept


def test_whole_sentences_are_quoted_before_cut_ones() -> None:
    lines = (
        ("said", 0.0, 5.0, "The reef lost 30 percent of its coral since 2016 and", None),
        ("said", 6.0, 9.0, "The reef is old and full of coral.", None),
        ("said", 10.0, 14.0, "We count the coral of the reef every summer.", None),
    )
    text = plain_summary(record(lines), language="en", embed=embed).text("about")
    assert "since 2016 and" not in text
    assert "every summer.”" in text


def test_what_somebody_says_is_not_told_as_what_it_is_about() -> None:
    told = "The reef lost 30 percent of its coral since 2016. Anna Berg talks about the coral of the reef."
    run = run_with(json.dumps({"answer": told, "notes": [4]}))
    about = summarise(run, record(), embed=embed).about
    assert about[0].text == "Anna Berg talks about the coral of the reef."
    assert not any(claim.text.startswith("The reef lost") for claim in about)


Lines = tuple[tuple[str, float, float, str, str | None], ...]
TWO_SCENES: Lines = (
    ("seen", 0.0, 20.0, "A brown dog is on the left", None),
    ("place", 0.0, 20.0, "The scene seems to be on a beach", None),
    ("seen", 20.0, 40.0, "A title reads “Save the reef” on a blue background", None),
)


def about(*lines: tuple[str, float, float, str, str | None], language: AnswerLanguage = "en") -> str:
    return plain_summary(record(lines), language=language, embed=embed).text("about")


@pytest.mark.parametrize(("language", "at"), [("en", "(0:20) "), ("zh", "（0:20）")])
def test_two_scenes_are_told_in_order_with_their_times(language: AnswerLanguage, at: str) -> None:
    source = record(TWO_SCENES)
    summary = plain_summary(source, language=language, embed=embed, duration_s=40.0, scenes=[0.0, 20.0])
    told = scenes_told(summary, source, embed=embed)
    assert told[0].text.startswith(("(0:00) ", "（0:00）"))
    assert [claim.text.startswith(at) for claim in told].count(True) == 1
    assert told[-1].text.startswith(f"{at}A title reads")
    ledger = Ledger()
    ledger.add(source)
    assert {Verifier(ledger).check(claim).verdict for claim in told} == {"verified"}


def test_of_one_scene_its_moments_are_told() -> None:
    shown = ("A brown dog is on the left", "Two people are in view", "A red car drives by", "A boat is near")
    lines = tuple(("seen", 5.0 * k, 5.0 * k + 5, text, None) for k, text in enumerate(shown))
    source = record(lines)
    told = scenes_told(plain_summary(source, language="en", embed=embed), source, embed=embed)
    assert [claim.text[:6] for claim in told] == ["(0:00)", "(0:05)", "(0:10)", "(0:15)"]


def test_of_a_talk_in_one_scene_what_is_said_is_told_in_order() -> None:
    spoken = record((LINES[3], LINES[4], ("seen", 6.0, 20.0, "A brown dog is on the left", None)))
    told = scenes_told(plain_summary(spoken, language="en", embed=embed), spoken, embed=embed)
    assert [claim.text[:6] for claim in told] == ["(0:06)", "(0:14)"]
    assert all("says: “" in claim.text for claim in told)


def test_where_places_change_none_of_them_is_the_place() -> None:
    dog = ("seen", 0.0, 30.0, "A brown dog is on the left", None)
    changing = [("place", 10.0 * k, 10.0 * k + 10, f"The scene seems to be {where}", None)
                for k, where in enumerate(("in a park", "in the snow", "on a street"))]  # fmt: skip
    assert "The scene" not in about(dog, *changing)
    kept = ("place", 0.0, 20.0, "The scene seems to be in the snow, in daylight", None)
    assert "in the snow" in about(dog, kept)


def test_what_belongs_to_another_sentence_is_told_after_it_or_not_at_all() -> None:
    each = ("seen", 0.0, 9.0, "One is on the left; the other is on the right", None)
    people = ("seen", 0.0, 9.0, "Two people are in view, with a chair", None)
    chair = ("seen", 0.0, 20.0, "The chair is on the right", None)
    dog = ("seen", 9.0, 20.0, "A brown dog runs", None)
    text = about(people, each, chair, dog)
    assert "Two people are in view, with a chair. One is on the left" in text
    assert "The chair" not in text
    assert "One is" not in about(each, dog)


def test_a_screen_is_told_where_it_fills_most_of_the_time() -> None:
    screen = "The picture is a screen recording or slides"
    dog = ("seen", 0.0, 15.0, "A brown dog runs", None)
    assert screen not in about(dog, ("seen", 15.0, 20.0, screen, None))
    assert screen in about(dog, ("seen", 5.0, 20.0, screen, None))


def test_the_time_of_speech_decides_what_comes_first() -> None:
    text = about(LINES[3], LINES[4], ("seen", 6.0, 20.0, "A brown dog is on the left", None))
    assert text.index("says") < text.index("dog")
    text = about(LINES[3], ("seen", 0.0, 60.0, "A brown dog is on the left", None))
    assert text.index("dog") < text.index("says")


def test_what_it_is_about_may_hold_one_word_of_its_own() -> None:
    lines: Lines = (
        ("said", 0.0, 5.0, "What I tell you now is about a camera.", None),
        ("said", 5.0, 9.0, "Charge it for the whole night and then reset it.", None),
    )
    good = "This video is about repairing a camera."
    run = run_with(json.dumps({"answer": good, "notes": [1]}), lines=lines)
    assert summarise(run, record(lines), embed=embed).about[0].text == good
    bad = "This video is about a chef repairing a camera in a kitchen."
    run = run_with(json.dumps({"answer": bad, "notes": [1]}), lines=lines)
    assert bad not in summarise(run, record(lines), embed=embed).text("about")
