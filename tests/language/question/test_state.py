"""What a question about an entity is after."""

from __future__ import annotations

import pytest

from vidence.language.question import StateAspect, read_question


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What is he holding?", "holding"),
        ("Is she sitting or standing?", "posture"),
        ("What color is his shirt?", "colour"),
        ("What is he looking at?", "looking"),
        ("What expression does she have?", None),
        ("Where is the dog?", "place"),
        ("What is near her?", "near"),
        ("What is he doing?", "action"),
        ("她手里拿着什么？", "holding"),
        ("他穿什么颜色的衣服？", "colour"),
        ("她是坐着还是站着？", "posture"),
        ("狗在哪里？", "place"),
        ("他在做什么？", "action"),
        ("Who is he?", None),
        ("What is the brand of his shirt?", None),
        ("What is the expression on her face?", None),
        ("🙂\x00???", None),
    ],
)
def test_a_question_is_understood(text: str, kind: StateAspect | None) -> None:
    assert read_question(text).state.kind == kind


def test_colours_postures_and_yes_or_no_are_read() -> None:
    state = read_question("Is she standing in a red coat?").state
    assert (state.colours, state.postures, state.yes_or_no) == (("red",), ("standing",), True)
    assert read_question("她坐着吗？").state.yes_or_no
    assert not read_question("What is he doing?").state.yes_or_no
