"""One attribute is asked for: the weather, the time of day, the language that is spoken."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.embedded.recipes.seen import VIDEO, record_of
from tests.embedded.recipes.told import Told, line
from tests.embedded.test_answering import Session
from vidence.embedded.recipes.attributes import answer as tell_attribute
from vidence.embedded.recipes.attributes import attribute_of
from vidence.embedded.recipes.recipe import Finding, Inquiry, advance
from vidence.language.question import read_question
from vidence.ops.get_notes import GetNotesResult
from vidence.schema.agent import OperationCall, SolverVariables
from vidence.schema.reading import NotedLine, ReaderReply


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("How is the weather?", "weather"),
        ("天气怎么样？", "weather"),
        ("What time of day is it?", "time_of_day"),
        ("现在是一天中的什么时候？", "time_of_day"),
        ("What language do they speak?", "language"),
        ("他说的是哪国语言？", "language"),
        ("牌子上是什么语言？", None),
        ("How is the food?", None),
        ("What time does he leave?", None),
        ("Is this a colour photograph?", "tone"),
        ("Is the picture in black and white?", "tone"),
        ("Was the film shot in color or black and white?", "tone"),
        ("这是黑白的吗？", "tone"),
        ("视频是彩色的还是黑白的？", "tone"),
        ("Is this a screen recording?", "made"),
        ("What kind of video is this?", "made"),
        ("这是录屏吗？", "made"),
        ("这是什么类型的视频？", "made"),
        ("Is this a cartoon?", "made"),
        ("Is there a drawing on the wall?", None),
        ("What kind of car is this?", None),
        ("Is the dog black and white?", None),
        ("Is there a colour photograph on the wall?", None),
        ("Is her shirt black in color?", None),
        ("这只狗是黑白的吗？", None),
    ],
)
def test_the_attribute_is_read_from_the_question(question: str, attribute: str | None) -> None:
    assert attribute_of(read_question(question)) == attribute


@pytest.mark.parametrize(
    ("question", "language", "told"),
    [("What is the weather like?", "en", "sunny"), ("What time of day is it?", "en", "daylight"),
     ("天气怎么样？", "zh", "晴")],
)  # fmt: skip
def test_most_looks_decide_about_the_scene(question: str, language: str, told: str) -> None:
    world = Told(scene={"location": "outdoor_park", "weather": "sunny", "time_of_day": "daytime"})
    payload = Session(world, ReaderReply()).answer(question, language)
    assert told in payload.final_answer
    assert payload.claims


@pytest.mark.parametrize(
    ("said", "answer"),
    [("The weather is nice and we are in the garden.", "English"), ("今天天气很好，我们去公园。", "Chinese")],
)
def test_the_transcript_tells_which_language_is_spoken(said: str, answer: str) -> None:
    world = Told(said=[line(1, 3, said)])
    payload = Session(world, ReaderReply()).answer("What language is spoken?")
    assert payload.final_answer == f"{answer}."


def test_an_unknown_language_is_not_guessed() -> None:
    world = Told(said=[line(1, 3, "Je suis très content de vous voir ici.")])
    assert Session(world, ReaderReply()).answer("What language is spoken?").cannot_tell


_GREY_EN, _GREY_ZH = "The picture is black and white and dark", "画面是黑白的，较暗"


@pytest.mark.parametrize(
    ("question", "note", "answer"),
    [
        ("Is this a colour photograph?", _GREY_EN, "No."),
        ("Is the picture in black and white?", _GREY_EN, "Yes."),
        ("Is this in color or black and white?", _GREY_EN, "Black and white."),
        ("这是黑白的吗？", _GREY_ZH, "是的。"),
        ("Is this a colour photograph?", "A person in red stands by a car", "Yes."),
        ("Is this black and white?", "A person in red stands by a car", "No."),
        ("视频是彩色的还是黑白的？", "画面以绿色为主", "彩色的。"),
    ],
)
def test_a_note_tells_whether_the_picture_is_in_colour(question: str, note: str, answer: str) -> None:
    finding = _about_tone(question, note)
    assert finding.answer == answer
    assert finding.claims[0].citations[0].quote == note


def test_grey_things_do_not_show_whether_the_picture_is_in_colour() -> None:
    assert _about_tone("Is this a colour photograph?", "A black dog and a white cat").cannot_tell


_SCREEN_EN, _SCREEN_ZH = "The picture is a screen recording or slides", "画面是录屏或幻灯片"
_GRAPHIC_EN = "The picture is a drawing or graphic"


@pytest.mark.parametrize(
    ("question", "note", "answer"),
    [
        ("What kind of video is this?", _SCREEN_EN, "A screen recording or slides."),
        ("What kind of video is this?", _GRAPHIC_EN, "Drawings or graphics."),
        ("这是什么视频？", _SCREEN_ZH, "录屏或幻灯片。"),
        ("Is this a screen recording?", _SCREEN_EN, "Yes."),
        ("Is this a screen recording?", _GRAPHIC_EN, "No."),
        ("Is this a cartoon?", _SCREEN_EN, "No."),
        ("Is this a drawing?", _GRAPHIC_EN, "Yes."),
        ("Is this real footage?", _GRAPHIC_EN, "No."),
        ("这是录屏吗？", _SCREEN_ZH, "是的。"),
    ],
)
def test_a_note_tells_how_the_video_was_made(question: str, note: str, answer: str) -> None:
    finding = _about_tone(question, note)
    assert finding.answer == answer
    assert finding.claims[0].citations[0].quote == note


def test_a_place_was_no_screen_but_may_be_animated() -> None:
    place = "The scene seems to be in a park"
    assert _about_tone("Is this a screen recording?", place, "place").answer == "No."
    assert _about_tone("Is this a cartoon?", place, "place").cannot_tell
    assert _about_tone("Is this a cartoon?", _GRAPHIC_EN).cannot_tell
    assert _about_tone("What kind of video is this?", place, "place").cannot_tell


def _about_tone(question: str, note: str, kind: Literal["seen", "place"] = "seen") -> Finding:
    line = NotedLine(kind=kind, start_time=0.0, end_time=20.0, text=note, confidence=0.9)
    form = read_question(question).form
    record = record_of(
        OperationCall(
            operation="get_notes", arguments={"video_id": VIDEO.video_id, "language": form.language}
        ),
        lambda call: GetNotesResult(notes=[line]),
        "rec_00000001",
    )
    variables = SolverVariables(
        question=question, language=form.language, videos=(VIDEO,), records=(record,) if record else ()
    )
    finding = advance(tell_attribute(Inquiry(form, variables, lambda texts: None)), variables)
    assert isinstance(finding, Finding)
    return finding
