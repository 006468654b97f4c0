"""Theory of Mind: false beliefs, beliefs about beliefs, and who said what to whom."""

from __future__ import annotations

import pytest

from vidence.embedded.planning.beliefs import report_beliefs, tom_skill
from vidence.language.identify import question_language
from vidence.llm.structured import parse_reply
from vidence.prompts.build import build_tom_prompt
from vidence.schema.beliefs import BeliefReport, BeliefVariables, StoryEvent

SALLY = (
    "Sally and Anne are in the room. Sally puts her marble in the basket. Sally goes out for a walk. "
    "Anne takes the marble out of the basket and puts it into the box. Sally comes back."
)
HONG = (
    "小红和小明在房间里玩。小红把球放进篮子里，然后离开了房间。"
    "小明把球从篮子里拿出来，放到了盒子里。小红回来了。"
)
TOMI = """1 Oliver entered the kitchen.
2 Emma entered the kitchen.
3 The melon is in the green bucket.
4 Emma exited the kitchen.
5 Oliver moved the melon to the blue crate.
6 Emma entered the garden."""


def _ask(story: str, question: str) -> BeliefReport:
    return report_beliefs(
        BeliefVariables(question=question, language=question_language(question), story=story)
    )


@pytest.mark.parametrize(
    ("story", "question", "answer"),
    [
        (SALLY, "Where will Sally look for her marble?", "basket"),
        (SALLY, "Where does Anne think the marble is?", "box"),
        (SALLY, "Where is the marble really?", "box"),
        (SALLY, "Where was the marble at the beginning?", "basket"),
        (SALLY, "Where does Anne think Sally will look for the marble?", "basket"),
        (SALLY, "Does Sally know where the marble is?", "No"),
        (SALLY, "Does Anne know where the marble is?", "Yes"),
        (SALLY, "Who knows where the marble is?", "Anne"),
        (SALLY, "Who thinks the marble is in the basket?", "Sally"),
        (SALLY, "Who moved the marble?", "Anne"),
        (HONG, "小红会去哪里找球？", "篮子"),
        (HONG, "小明认为球在哪里？", "盒子"),
        (HONG, "小明认为小红会去哪里找球？", "篮子"),
        (HONG, "球现在在哪里？", "盒子"),
        (HONG, "球一开始在哪里？", "篮子"),
        (HONG, "小红知道球在哪里吗？", "否"),
        (HONG, "谁知道球在哪里？", "小明"),
        (TOMI, "Where will Emma look for the melon?", "green bucket"),
        (TOMI, "Where does Oliver think that Emma searches for the melon?", "green bucket"),
        (TOMI, "Where will Oliver look for the melon?", "blue crate"),
    ],
)
def test_beliefs_follow_from_what_was_seen(story: str, question: str, answer: str) -> None:
    assert _ask(story, question).answer == answer


def test_whoever_sees_the_move_has_no_false_belief() -> None:
    story = "Sally puts the ball in the basket. Anne moves the ball to the box."
    assert _ask(story, "Where will Sally look for the ball?").answer == "box"


def test_sleepers_and_errands_miss_what_happens() -> None:
    asleep = "小刚把钥匙放在桌子上，就睡着了。小美把钥匙放进了包里。小刚醒了。"
    assert _ask(asleep, "小刚会去哪里找钥匙？").answer == "桌子"
    errand = "Emma puts the keys on the table and leaves the room. Tom hides the keys under the sofa."
    assert _ask(errand, "Where does Emma think the keys are?").answer == "table"


def test_being_told_changes_a_belief() -> None:
    story = f"{SALLY} Anne told Sally that the marble is in the box."
    assert _ask(story, "Where will Sally look for her marble?").answer == "box"


def test_a_lie_is_believed_by_who_hears_it_and_not_by_who_tells_it() -> None:
    story = "Tom puts the key in the drawer. Mia enters the hall. Tom told Mia that the key is in the vase."
    assert _ask(story, "Where does Mia think the key is?").answer == "vase"
    assert _ask(story, "Where does Tom think the key is?").answer == "drawer"
    assert _ask(story, "Where is the key?").answer == "drawer"


def test_a_secret_move_is_seen_by_nobody_else() -> None:
    story = "妈妈把糖果放进抽屉里。小刚趁妈妈不注意，把糖果藏到了柜子里。"
    assert _ask(story, "妈妈以为糖果在哪里？").answer == "抽屉"
    assert _ask(story, "小刚以为糖果在哪里？").answer == "柜子"


def test_who_said_what_to_whom() -> None:
    story = "小刚告诉妈妈糖果在冰箱里。Tom told Mia that the key is in the vase."
    assert _ask(story, "Who told Mia where the key is?").answer == "Tom"
    assert "vase" in _ask(story, "What did Tom tell Mia?").answer
    assert _ask(story, "谁告诉了妈妈糖果在哪里？").answer == "小刚"


def test_every_belief_names_the_events_it_rests_on() -> None:
    report = _ask(SALLY, "Where will Sally look for her marble?")
    sally = next(one for one in report.beliefs if one.person == "Sally")
    assert (sally.believes, sally.is_true, sally.because) == ("basket", False, ("e3",))
    assert report.evidence == ("e3",)
    assert "not seen by Sally" in report.explanation


def test_what_cannot_be_known_is_not_guessed() -> None:
    assert _ask("Ben enters the garden.", "Where will Ben look for the hat?").cannot_tell
    assert _ask("", "小红会去哪里找球？").cannot_tell
    assert _ask(SALLY, "What colour is the sky?").cannot_tell


def test_events_with_known_witnesses_are_believed_over_presence() -> None:
    events = (
        StoryEvent(event_id="v1", kind="place", actor="A", thing="cup", place="shelf", witnesses=("B",)),
        StoryEvent(event_id="v2", kind="place", actor="A", thing="cup", place="sink", witnesses=()),
    )
    report = report_beliefs(
        BeliefVariables(question="Where does B think the cup is?", language="en", events=events)
    )
    assert (report.answer, report.evidence) == ("shelf", ("v1",))


def test_the_skill_answers_in_the_wire_format() -> None:
    prompt = build_tom_prompt(BeliefVariables(question="小红会去哪里找球？", language="zh", story=HONG))
    assert parse_reply(tom_skill(prompt), BeliefReport).value.answer == "篮子"


@pytest.mark.parametrize(
    ("story", "question", "answer"),
    [
        (SALLY, "Where does Sally believe that the marble is?", "basket"),
        (SALLY, "Where would Sally go to find the marble first?", "basket"),
        (SALLY, "Where does Sally think Anne thinks the marble is?", "basket"),
        (SALLY, "Does Sally think the marble is in the basket?", "Yes"),
        (SALLY, "Does Anne think the marble is in the basket?", "No"),
        (SALLY, "Who hid the marble?", "Anne"),
        (SALLY, "Who thinks the marble is in the fridge?", "nobody"),
        (HONG, "小红以为球在哪里？", "篮子"),
        (HONG, "小红会先去哪里找球？", "篮子"),
        (HONG, "小红认为小明认为球在哪里？", "篮子"),
        (HONG, "小明知道球在哪里吗？", "是"),
        (HONG, "谁以为球在篮子里？", "小红"),
        (HONG, "谁把球放到了盒子里？", "小明"),
    ],
)
def test_the_same_is_asked_in_other_words(story: str, question: str, answer: str) -> None:
    assert _ask(story, question).answer == answer


def test_a_pronoun_in_the_question_means_the_only_thing() -> None:
    assert _ask(SALLY, "Where will Sally look for it?").answer == "basket"
    assert _ask(HONG, "小红会去哪里找它？").answer == "篮子"


def test_a_false_belief_is_explained_by_what_was_not_seen() -> None:
    english = _ask(SALLY, "Where does Anne think Sally will look for the marble?")
    assert "Sally puts her marble in the basket" in english.explanation
    chinese = _ask(HONG, "小红会去哪里找球？")
    assert chinese.explanation.endswith("之后的变化小红没有看到。")
    assert "not seen" not in _ask(SALLY, "Where does Anne think the marble is?").explanation


def test_everybodys_belief_is_reported_with_its_truth() -> None:
    report = _ask(TOMI, "Where is the melon?")
    assert {(one.person, one.believes, one.is_true) for one in report.beliefs} == {
        ("Oliver", "blue crate", True),
        ("Emma", "green bucket", False),
    }
    assert all(one.about == "melon" for one in report.beliefs)


def test_somebody_who_never_saw_the_thing_believes_nothing() -> None:
    report = _ask("Tom puts the key in the drawer. Mia enters the hall.", "Where does Mia think the key is?")
    assert report.cannot_tell
    assert next(one for one in report.beliefs if one.person == "Mia").believes is None


def test_a_question_about_no_mind_still_lists_the_beliefs() -> None:
    report = _ask(SALLY, "What colour is the sky?")
    assert report.answer == "It cannot be told from what happened."
    assert {one.person for one in report.beliefs} == {"Sally", "Anne"}
    assert _ask(HONG, "天空是什么颜色？").answer == "从所发生的事无法判断。"


def test_the_latest_message_counts() -> None:
    story = (
        "Tom told Mia that the key is in the vase. Ben told Mia that the key is in the drawer. "
        "Ben told Tom that the key is in the car."
    )
    assert _ask(story, "Who told Mia where the key is?").answer == "Ben"
    assert "vase" in _ask(story, "What did Tom tell Mia?").answer
    # Mia is still there and overhears what Ben tells Tom.
    assert _ask(story, "Where does Mia think the key is?").answer == "car"
