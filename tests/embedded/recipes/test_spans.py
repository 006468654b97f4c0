"""Which part of the video a question is about."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import VIDEO, Answering, hits, record_of, shots
from tests.embedded.recipes.told import Told
from vidence.embedded.recipes.recipe import Inquiry
from vidence.embedded.recipes.spans import QuestionSpan, apart, find_span, nth_part, sample_times
from vidence.language.question import read_question
from vidence.schema.agent import OperationCall, SolverVariables

SCENES = Told(found=[(12.0, 14.0, 0.8)], cuts=(0.0, 5.0, 10.0, 16.0))


def _inquiry(question: str) -> Inquiry:
    form = read_question(question).form
    known = SolverVariables(question=question, language=form.language, videos=(VIDEO,))
    return Inquiry(form, known, lambda texts: None)


def _span(question: str, world: Answering = SCENES) -> QuestionSpan:
    steps = find_span(_inquiry(question))
    try:
        calls = next(steps)
        while True:
            records = [record_of(call, world, f"rec_{place:08d}") for place, call in enumerate(calls)]
            calls = steps.send(records)
    except StopIteration as done:
        found: QuestionSpan = done.value
        return found


@pytest.mark.parametrize(
    ("question", "start_s", "end_s"),
    [
        ("What is shown at 0:08?", 7.4, 8.6),
        ("What is shown between 4 and 9 seconds?", 4.0, 9.0),
        ("What is shown before 6 seconds?", 0.0, 6.0),
        ("What is shown after 15 seconds?", 15.0, 20.0),
        ("What is shown at the start?", 0.0, 2.4),
        ("What is shown at the end?", 16.0, 20.0),
        ("What is in the second shot?", 5.0, 10.0),
        ("What is in the last shot?", 16.0, 20.0),
        ("8秒时有什么？", 7.4, 8.6),
        ("开头有什么？", 0.0, 2.4),
        ("第二个镜头里有什么？", 5.0, 10.0),
    ],
)
def test_times_edges_and_shots_are_found(question: str, start_s: float, end_s: float) -> None:
    span = _span(question)
    assert (span.start_s, span.end_s) == pytest.approx((start_s, end_s), abs=0.01)
    assert not span.whole


def test_a_question_without_a_part_is_about_the_whole_video() -> None:
    span = _span("What is shown?")
    assert (span.start_s, span.end_s, span.whole) == (0.0, 20.0, True)


@pytest.mark.parametrize(
    ("question", "start_s", "end_s"),
    [
        ("What is heard while the boat is shown?", 10.0, 16.0),
        ("What happens after the boat is shown?", 14.0, 20.0),
        ("What happens before the boat is shown?", 0.0, 12.0),
    ],
)
def test_a_scene_in_words_is_searched_for(question: str, start_s: float, end_s: float) -> None:
    span = _span(question)
    assert (span.start_s, span.end_s) == (start_s, end_s)
    assert span.record is not None
    assert span.chance == 0.8


def test_a_scene_that_is_not_found_leaves_the_whole_video() -> None:
    assert _span("What is heard while the boat is shown?", Told()).whole


def test_the_second_time_is_the_second_hit() -> None:
    def laughs(call: OperationCall) -> BaseModel | None:
        if call.operation == "temporal_search":
            return hits(call.arguments["query"], (2, 3, 0.9), (8, 9, 0.8), (15, 16, 0.2))
        return shots(0.0)

    span = _span("What is said the second time she laughs?", laughs)
    assert (span.start_s, span.end_s) == (8.0, 9.0)


def test_a_shot_that_is_missing_is_counted() -> None:
    steps = nth_part(_inquiry("What is in the ninth shot?"))
    (call,) = next(steps)
    with pytest.raises(StopIteration) as done:
        steps.send([record_of(call, SCENES, "rec_00000001")])
    assert done.value.value.count == 4
    assert done.value.value.span is None


def test_hits_that_touch_are_one() -> None:
    found = hits("x", (5, 6, 0.9), (1, 2, 0.8), (2.5, 3, 0.7), (9, 10, 0.2)).results
    assert [(hit.start_time, hit.end_time) for hit in apart(found)] == [(1, 2), (5, 6)]


@pytest.mark.parametrize(
    ("span", "count", "times"),
    [((2.0, 6.0), 2, [3.0, 5.0]), ((2.0, 2.05), 3, [2.02]), ((0.0, 9.0), 3, [1.5, 4.5, 7.5])],
)
def test_times_are_sampled_away_from_the_edges(
    span: tuple[float, float], count: int, times: list[float]
) -> None:
    assert sample_times(QuestionSpan(*span), count) == times
