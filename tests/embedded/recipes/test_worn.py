"""What somebody wears: of the person meant, agreed between frames, in both languages, and never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import VIDEO, record_of, seen, thing
from vidence.embedded.gather import _recipe_of
from vidence.embedded.recipes.recipe import Finding, Inquiry, advance
from vidence.embedded.recipes.worn import answer, asks_worn
from vidence.language.question import read_question
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.runs.ledger import Ledger
from vidence.schema.agent import OperationCall, SolverVariables

_LEFT = thing(
    "person", 0.2, clothing_color="orange", pattern="checked", sleeves="long", headwear="none", tie="none"
)
_RIGHT = thing(
    "person", 0.8, height=0.3, clothing_color="grey", pattern="plain", headwear="hat or helmet",
    lower_clothing_color="blue", legwear="trousers",
)  # fmt: skip


@dataclass(frozen=True)
class _Shown:
    """Answers any call with what is in view."""

    result: DetectObjectsResult

    def __call__(self, call: OperationCall) -> BaseModel:
        return self.result


def _ask(question: str, *looks: Sequence[DetectedObject]) -> Finding:
    """Run the recipe; the looks are shown in turn."""
    form, ledger, number = read_question(question).form, Ledger(), 0
    for step in range(1, 5):
        variables = SolverVariables(
            question=question, language=form.language, videos=(VIDEO,), records=ledger.operations,
            may_call_operations=True, step=step,
        )  # fmt: skip
        found = advance(answer(Inquiry(form, variables, lambda _: None)), variables)
        if isinstance(found, Finding):
            return found
        for call in found:
            assert call.arguments["worn"]
            shown = seen(call, looks[number % len(looks)])
            number += 1
            record = record_of(call, _Shown(shown), f"rec_{number:08d}")
            assert record is not None
            ledger.add(record)
    raise AssertionError("no answer")


@pytest.mark.parametrize(
    ("question", "aspect"),
    [
        ("What is he wearing?", "all"),
        ("What is the man on the left wearing?", "all"),
        ("他穿着什么？", "all"),
        ("男孩穿的是什么样的上衣？", "all"),
        ("What does she have on her head?", "headwear"),
        ("Is he wearing a hat?", "headwear"),
        ("他戴帽子了吗？", "headwear"),
        ("Is the rider wearing a helmet?", "helmet"),
        ("Is he wearing a tie?", "tie"),
        ("Is the shirt striped or plain?", "pattern"),
        ("衬衫是条纹的还是纯色的？", "pattern"),
        ("Is she wearing long sleeves?", "sleeves"),
        ("What is he wearing on his feet?", None),
        ("What colour is his shirt?", None),
        ("Is he wearing a red shirt?", None),
        ("What is on the table?", None),
        ("Is there a hat on the table?", None),
        ("Is the zebra striped?", None),
        ("How many people are wearing hats?", None),
        ("Which of the two wears the checked shirt?", None),
        ("What is the man in the cap holding?", None),
        ("What type of hat is she wearing?", None),
        ("What does he have on?", "all"),
        ("What does the cat have on its collar?", None),
        ("What is the dog wearing?", None),
        ("What pattern is on his tie?", None),
        ("What pattern is on his shirt?", "pattern"),
        ("What number does the player have on his jersey?", None),
        ("What type of footwear does the rider wear?", None),
        ("Are both people wearing long sleeves?", None),
        ("Is one of the women wearing a hat?", None),
        ("What does he say about the hat?", None),
    ],
)
def test_which_part_of_the_clothes_is_asked(question: str, aspect: str | None) -> None:
    assert asks_worn(read_question(question)) == aspect


def test_gathering_asks_this_recipe() -> None:
    question = "What is he wearing?"
    variables = SolverVariables(question=question, language="en", videos=(VIDEO,))
    inquiry = Inquiry(read_question(question).form, variables, lambda _: None)
    assert _recipe_of(inquiry) is answer


def test_the_person_meant_is_described() -> None:
    both = [_LEFT, _RIGHT]
    assert _ask("What is the man on the left wearing?", both).answer == "An orange checked long-sleeved top."
    right = _ask("What is the man on the right wearing?", both).answer
    assert right == "A grey top, blue trousers and a hat, cap or helmet."
    assert _ask("左边的人穿着什么？", both).answer == "橙色格子长袖上衣，没有戴帽子。"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is the man on the left wearing a hat?", "No: nothing on the head."),
        ("Is the man on the right wearing a hat?", "Yes: a hat, cap or helmet."),
        ("Is the shirt of the man on the left striped?", "No: checked."),
        ("Is the shirt of the man on the left plaid?", "Yes: checked."),
        ("Is the shirt of the man on the right striped or plain?", "Plain."),
        ("Is the man on the left wearing a tie?", "No: no tie."),
        ("左边的人戴帽子了吗？", "没有戴帽子。"),
        ("右边的人戴帽子了吗？", "是，帽子或头盔。"),
    ],
)
def test_one_part_is_told_or_denied(question: str, text: str) -> None:
    finding = _ask(question, [_LEFT, _RIGHT])
    assert finding.answer == text
    assert finding.claims
    assert finding.probability > 0.6


@pytest.mark.parametrize(
    "question",
    [
        # What kind of headwear it is cannot be told, nor what no frame tells.
        "Is the man on the right wearing a helmet?",
        "Is the man on the right wearing a straw hat?",
        "Is the man on the right wearing a tie?",
        "Is the man on the right wearing long sleeves?",
    ],
)
def test_what_is_not_clear_is_not_told(question: str) -> None:
    assert _ask(question, [_LEFT, _RIGHT]).cannot_tell


def test_frames_that_disagree_tell_nothing() -> None:
    striped = thing("person", 0.2, pattern="striped")
    plain = thing("person", 0.2, pattern="plain")
    assert _ask("Is his shirt striped or plain?", [striped], [plain]).cannot_tell
    assert _ask("Is his shirt striped or plain?", *[[striped]] * 5, [plain]).answer == "Striped."


def test_nobody_in_view_wears_nothing_that_is_known() -> None:
    assert _ask("What is he wearing?", []).cannot_tell
    assert _ask("What is he wearing?", [_LEFT], *[[]] * 7).cannot_tell


def test_somebody_is_followed_and_told_by_their_clothes() -> None:
    crossed = [thing("person", 0.25, pattern="checked", clothing_color="orange"), _RIGHT]
    assert "checked" in _ask("What is he wearing?", [_LEFT, _RIGHT], crossed).answer
    assert "grey" in _ask("What is the man in the grey shirt wearing?", [_LEFT, _RIGHT]).answer
