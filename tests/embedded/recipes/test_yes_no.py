"""Yes and no, with evidence for the one and an honest other."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import VIDEO, ask, prove, seen, thing
from tests.embedded.recipes.told import Told, acting, line, sound, text
from vidence.schema.agent import OperationCall


def test_a_sound_that_is_there_is_heard() -> None:
    assert ask("Can a bark be heard?", Told(heard=[sound("dog_bark", 3, 5)])).answer.startswith("Yes")


def test_a_silent_track_is_named_as_the_reason() -> None:
    assert "silent" in ask("Can a bark be heard?", Told()).answer
    mute = VIDEO.model_copy(update={"has_audio": False})
    assert "no sound track" in ask("Can a bark be heard?", Told(), video=mute).answer


def test_another_sound_is_no_bark() -> None:
    finding = ask("Can a bark be heard?", Told(heard=[sound("music", 0, 9)]))
    assert finding.answer.startswith("No")
    assert "music" in finding.answer


@pytest.mark.parametrize(("people", "answer"), [(1, "No"), (2, "Yes")])
def test_whether_anyone_else_is_there(people: int, answer: str) -> None:
    world = Told(objects=[thing("person", 0.2 + 0.5 * place) for place in range(people)])
    assert ask("Is any other person visible?", world).answer.startswith(answer)


def test_a_thing_is_there_when_several_frames_show_it() -> None:
    assert ask("Is there a dog?", Told(objects=[thing("dog", 0.4)])).answer.startswith("Yes")
    assert ask("Is there a dog?", Told(objects=[thing("person", 0.4)])).answer.startswith("No")


def test_a_thing_in_one_frame_alone_needs_the_search_to_agree() -> None:
    once = {"objects": [thing("cat", 0.4)], "from_s": 1.0, "until_s": 1.5}
    assert ask("Is there a cat?", Told(**once)).answer.startswith("No")  # type: ignore[arg-type]
    found = Told(**once, found=[(1.0, 1.5, 0.6)])  # type: ignore[arg-type]
    assert ask("Is there a cat?", found).answer.startswith("Yes")


def test_a_colour_is_denied_with_the_one_that_was_measured() -> None:
    world = Told(objects=[thing("cup", 0.5, color="blue")])
    assert ask("Is the mug blue?", world).answer.startswith("Yes")
    denied = ask("Is the mug red?", world).answer
    assert denied.startswith("No")
    assert "blue" in denied


def test_what_is_mentioned_is_quoted() -> None:
    world = Told(said=[line(1, 3, "We sail for Bergen tonight.")])
    assert "Bergen" in ask("Does the speaker mention Bergen?", world).answer
    assert ask("Does the speaker mention Lisbon?", world).answer.startswith("No")


@pytest.mark.parametrize("question", ["Does the man fall?", "那个人摔倒了吗？", "Is there a unicorn?"])
def test_what_no_detector_knows_is_left_to_those_who_look(question: str) -> None:
    assert ask(question, Told(found=[(4, 6, 0.8)])).cannot_tell


@pytest.mark.parametrize("question", ["Does it say THE END on screen?", "屏幕上有 THE END 吗？"])
def test_words_are_read_where_the_index_has_read_them(question: str) -> None:
    last = {"objects": [text("The  End.")], "from_s": 18.9, "until_s": 19.4}
    found = ask(question, Told(found=[(18.5, 19.8, 0.9)], **last))  # type: ignore[arg-type]
    assert found.answer.startswith(("Yes: “The End.”", "有：“The End.”"))
    other = ask(question, Told(objects=[text("THE BEGINNING")]))
    assert other.answer.startswith(("No", "没有"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Does anyone speak Chinese?", "Yes: “请看这里。”."),
        ("有人说英语吗？", "有：“Look here.”。"),
    ],
)
def test_a_language_is_told_by_what_was_heard(question: str, answer: str) -> None:
    both = Told(said=[line(1, 2, "Look here."), line(3, 4, "请看这里。")])
    assert ask(question, both).answer == answer
    other = "Look here." if "Chinese" in question else "请看这里。"
    assert ask(question, Told(said=[line(1, 2, other)])).answer.startswith(("No", "没有"))


def test_a_person_seen_is_not_said_to_be_a_woman() -> None:
    assert ask("Is there a woman?", Told(objects=[thing("person", 0.4)])).cannot_tell
    assert ask("Is there a woman?", Told()).answer.startswith("No")
    assert ask("Is there a person?", Told(objects=[thing("person", 0.4)])).probability > 0.6


@pytest.mark.parametrize("question", ["Does anyone sneeze?", "有人打喷嚏吗？"])
def test_what_can_be_heard_is_listened_for(question: str) -> None:
    assert ask(question, Told(heard=[sound("sneeze", 3, 5)])).answer.startswith(("Yes", "有"))
    assert ask(question, Told(heard=[sound("music", 3, 5)])).cannot_tell


def test_whether_a_tie_has_a_pattern_is_not_whether_there_is_one() -> None:
    assert ask("Does this tie have a pattern?", Told()).cannot_tell


def test_a_dog_that_barks_need_not_run() -> None:
    barking = Told(heard=[sound("dog_bark", 3, 5)], objects=[thing("dog", 0.4)])
    assert "bark" not in ask("Does the dog run away?", barking).answer


@pytest.mark.parametrize(
    ("question", "world", "answer"),
    [
        ("Is it raining?", Told(scene={"weather": "rainy"}), "Yes, in the rain."),
        ("Is it night?", Told(scene={"time_of_day": "daytime"}), "No, in daylight."),
        ("Is it indoors?", Told(scene={"location": "indoor_office"}), "Yes, in an office."),
        ("这是在室外吗？", Told(scene={"location": "indoor_office"}), "不是，办公室里。"),
        ("有音乐吗？", Told(heard=[sound("music", 0, 9)]), "有，在 0.0–9.0 秒可以听到音乐声。"),
        ("有人说话吗？", Told(said=[line(1, 2, "你好。")]), "有：“你好。”。"),
        ("有人说话吗？", Told(), "没有，视频中没有人说话。"),
        ("屏幕上有文字吗？", Told(objects=[text("EXIT")]), "有：“EXIT”。"),
        ('Is the word "ENTER" shown on screen?', Told(objects=[text("EXIT")]), "No, no such text was found."),
        (
            "有别的人吗？",
            Told(objects=[thing("person", 0.2), thing("person", 0.7)]),
            "有，1.2 秒时画面中有 2 个人。",
        ),
    ],
)
def test_yes_and_no_are_proven_by_the_sense_that_is_asked(question: str, world: Told, answer: str) -> None:
    assert prove(question, world).answer == answer


def test_a_thing_of_another_colour_is_another_thing() -> None:
    def red_only(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return Told()(call)
        asked = str(call.arguments.get("query", ""))
        return seen(call, [thing("car", 0.4, color="red")] if "red" in asked else [])

    assert prove("Is there a red car?", red_only).answer.startswith("Yes")
    assert prove("Is there a blue car?", red_only).answer.startswith("No")


@pytest.mark.parametrize(("cats", "answer"), [(2, "No"), (6, "Yes")])
def test_a_dog_that_is_a_cat_in_some_frames_is_no_cat(cats: int, answer: str) -> None:
    looks: list[float] = []

    def world(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return Told()(call)
        looks.append(call.arguments["timestamp"])
        category = "cat" if len(set(looks)) <= cats else "dog"
        return Told(objects=[thing(category, 0.4)])(call)

    assert ask("Is there a cat?", world).answer.startswith(answer)


@pytest.mark.parametrize(
    ("question", "noted", "yes"),
    [
        ("Is he climbing?", "A person seems to be rock climbing", "Yes: A person seems to be rock climbing."),
        ("他是在攀岩吗？", "一个人看起来是在攀岩", "是，一个人看起来是在攀岩。"),
    ],
)
def test_an_action_that_was_recognised_is_affirmed(question: str, noted: str, yes: str) -> None:
    finding = prove(question, acting(noted))
    assert finding.answer == yes
    [cited] = finding.claims[0].citations
    assert cited.quote == noted


@pytest.mark.parametrize("question", ["Is he swimming?", "Is the person cooking?", "他在游泳吗？"])
def test_an_action_that_was_not_recognised_is_left_open(question: str) -> None:
    assert ask(question, acting("A person seems to be rock climbing")).cannot_tell


@pytest.mark.parametrize(
    ("question", "no", "yes"),
    [
        ("Is the shop empty?", "No, at 1.2 s 2 people are in the picture.", "Yes, nobody was seen."),
        ("店里是空的吗？", "不是，1.2 秒时画面中有 2 个人。", "是的，没有看到人。"),
    ],
)
def test_a_place_is_empty_where_nobody_is_seen(question: str, no: str, yes: str) -> None:
    crowd = Told(objects=[thing("person", 0.2), thing("person", 0.7)])
    assert prove(question, crowd).answer == no
    assert prove(question, Told()).answer == yes


def test_a_thing_between_the_looks_is_found_where_a_search_points() -> None:
    long = VIDEO.model_copy(update={"duration_s": 200.0})
    short = {"objects": [thing("dog", 0.4)], "from_s": 40.0, "until_s": 44.0}
    assert ask("Is there a dog?", Told(**short), video=long).answer.startswith("No")  # type: ignore[arg-type]
    found = Told(**short, found=[(40.0, 44.0, 0.8)])  # type: ignore[arg-type]
    assert ask("Is there a dog?", found, video=long).answer.startswith("Yes, at 42.0 s")


def test_a_no_is_proven_by_a_look_without_a_doubtful_one() -> None:
    world = Told(objects=[thing("person", 0.4, confidence=0.43)], from_s=0.0, until_s=12.0)
    finding = prove("Is there any person in the picture?", world)
    assert finding.answer.startswith("No")
