"""The embedded Checker judges claims, form and probability, and says what to do about doubts."""

from __future__ import annotations

import pytest

from vidence.embedded.checker import check, score_of
from vidence.schema.agent import AnswerPayload, CheckerVariables, VideoCard
from vidence.schema.evidence import CheckedClaim, Citation, ClaimVerdict

VIDEO = VideoCard(video_id="vid_1", name="a.mp4", duration_s=30.0)


def judged(
    question: str, answer: str, *, probability: float | None = 0.9, verdict: ClaimVerdict | None = "verified"
) -> tuple[int, str]:
    """Return score and feedback for an answer with one claim, or with none."""
    claims = () if verdict is None else (
        CheckedClaim(
            text=answer,
            verdict=verdict,
            citations=(Citation(record_id="rec_1"),),
            problems=() if verdict == "verified" else ("the number '3' is not in what is cited",),
        ),
    )  # fmt: skip
    response = check(
        CheckerVariables(
            question=question,
            language="en",
            videos=(VIDEO,),
            answer=AnswerPayload(final_answer=answer, probability=probability),
            claims=claims,
        )
    )
    return response.confidence_score, response.feedback


def test_a_proven_answer_of_the_right_kind_passes_without_feedback() -> None:
    assert judged("How many cups are there?", "3 cups") == (5, "")


def test_an_unproven_answer_does_not_pass_however_sure_it_was() -> None:
    score, feedback = judged("How many cups are there?", "3 cups", verdict=None)
    assert score < 4
    assert "proven" in feedback


def test_a_claim_that_holds_only_in_part_costs_confidence_and_is_named() -> None:
    score, feedback = judged("How many cups are there?", "3 cups", probability=0.8, verdict="partly")
    assert score < 4
    assert "'3'" in feedback


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many cups are there?", "several on the shelf"),
        ("What colour is the car?", "shiny"),
        ("When does it start?", "soon"),
        ("When does it start?", "99 s"),
        ("Is there a dog?", "a dog in the garden"),
    ],
)
def test_an_answer_of_another_kind_does_not_pass(question: str, answer: str) -> None:
    score, feedback = judged(question, answer, probability=0.9)
    assert score < 4
    assert "kind" in feedback


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What colour is the car?", "Blue."),
        ("When does it start?", "0:12"),
        ("Is there a dog?", "No, none was seen."),
        ("How many hard cuts are there?", "0 cuts"),
    ],
)
def test_answers_of_the_asked_kind_pass(question: str, answer: str) -> None:
    assert judged(question, answer)[0] >= 4


def test_low_probability_gives_a_low_score_with_feedback() -> None:
    score, feedback = judged("Who is it?", "a man", probability=0.3)
    assert score == 2
    assert feedback


@pytest.mark.parametrize(("probability", "score"), [(0.95, 5), (0.7, 4), (0.5, 3), (0.25, 2), (0.05, 1)])
def test_the_score_follows_the_probability(probability: float, score: int) -> None:
    assert score_of(probability) == score
