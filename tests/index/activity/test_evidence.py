"""Trust in an action, given the objects and labels in view."""

from __future__ import annotations

import pytest

from vidence.index.activity.evidence import FrameEvidence, needs_of, trust_in
from vidence.schema.perception import Box, Detection


def _frame(*names: str, confidence: float = 0.9, height: float = 0.8, **labels: float) -> FrameEvidence:
    objects = [Detection(name, confidence, Box(0.2, 0.1, 0.3, height)) for name in names]
    return FrameEvidence(0.0, objects, labels)


def test_faint_objects_and_labels_are_not_in_view() -> None:
    assert _frame("dog", confidence=0.3).things == set()
    assert _frame("dog", confidence=0.35).things == {"dog"}
    assert _frame(puck=0.04).things == set()
    assert _frame("dog", puck=0.05).things == {"dog", "puck"}


def test_boxes_are_those_of_a_category() -> None:
    frame = _frame("dog", "person")
    assert frame.boxes("dog") == [Box(0.2, 0.1, 0.3, 0.8)]
    assert frame.boxes("cat") == []
    assert _frame("dog", confidence=0.2).boxes("dog") == []


def test_an_action_needs_what_its_words_name() -> None:
    assert any("sports ball" in need for need in needs_of("playing basketball"))
    assert needs_of("clapping") == ()
    assert len(needs_of("sled dog racing")) == 2


def test_words_are_whole_words() -> None:
    assert needs_of("basketballing") == ()


def test_trust_falls_from_checked_over_uncheckable_to_contradicted() -> None:
    checked = trust_in("playing basketball", [_frame("person", "sports ball")])
    uncheckable = trust_in("clapping", [_frame("person")])
    contradicted = trust_in("playing basketball", [_frame("person")])
    assert checked > uncheckable > contradicted > 0


def test_a_label_of_the_picture_is_enough_for_a_need() -> None:
    seen = trust_in("playing basketball", [_frame("person", basketball=0.1)])
    assert seen == trust_in("playing basketball", [_frame("person", "sports ball")])


def test_one_frame_may_show_the_person_and_another_the_thing() -> None:
    apart = trust_in("playing basketball", [_frame("person"), _frame("sports ball")])
    assert apart == trust_in("playing basketball", [_frame("person", "sports ball")])


def test_nobody_in_view_and_people_far_away_halve_the_trust() -> None:
    near = trust_in("clapping", [_frame("person")])
    assert trust_in("clapping", [_frame("dog")]) == pytest.approx(near / 2)
    assert trust_in("clapping", [_frame("person", height=0.2)]) == pytest.approx(near / 2)
    assert trust_in("clapping", [_frame("person", height=0.2), _frame("person")]) == near


def test_without_frames_nothing_can_be_checked() -> None:
    assert trust_in("playing basketball", []) == pytest.approx(0.5)
