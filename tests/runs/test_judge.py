"""Candidates: claims derived and verified, scores capped, the best one chosen."""

from __future__ import annotations

import pytest

from vidence.runs.budget import LimitReached, Meter
from vidence.runs.judge import Candidate, best_of, claims_of, probability_of, propose
from vidence.runs.ledger import Ledger, frame_record
from vidence.runs.verify import Verifier
from vidence.schema.agent import AnswerPayload, Budget, CheckerResponse, MemoryUnit
from vidence.schema.evidence import Citation, Claim


@pytest.fixture
def ledger() -> Ledger:
    made = Ledger()
    made.add_all([frame_record(MemoryUnit(frame_id=1, caption="three people sit at a table"))])
    return made


def candidate(ledger: Ledger, text: str, frame: int | None = 1, **more: object) -> Candidate:
    claims = () if frame is None else (Claim(text=text, citations=(Citation(record_id=f"frame_{frame}"),)),)
    payload = AnswerPayload.model_validate({"final_answer": text, "claims": claims, **more})
    return propose(payload, ledger, Verifier(ledger), step=1)


def scored(one: Candidate, score: int) -> Candidate:
    return one.judged(CheckerResponse(confidence_score=score, feedback="so"), "en")


def test_a_proven_answer_keeps_its_score(ledger: Ledger) -> None:
    judged = scored(candidate(ledger, "3 people"), 5)
    assert (judged.score, judged.passes, judged.missing) == (5, True, ())


@pytest.mark.parametrize(("text", "frame"), [("7 people", 1), ("3 people", 9), ("9 cats", None)])
def test_what_is_not_proven_is_capped_and_told_why(ledger: Ledger, text: str, frame: int | None) -> None:
    judged = scored(candidate(ledger, text, frame), 5)
    assert (judged.score, judged.passes) == (3, False)
    assert judged.verdict is not None
    assert "Cite the frames" in judged.verdict.feedback


def test_a_low_score_is_not_raised_by_the_cap(ledger: Ledger) -> None:
    assert scored(candidate(ledger, "7 people"), 2).score == 2


def test_that_it_cannot_be_told_needs_no_proof(ledger: Ledger) -> None:
    assert scored(candidate(ledger, "", None, cannot_tell=True), 4).passes


def test_an_answer_nobody_judged_does_not_pass(ledger: Ledger) -> None:
    one = candidate(ledger, "3 people")
    assert (one.passes, one.score) == (False, 2)


def test_claims_are_derived_from_the_frames_a_text_names(ledger: Ledger) -> None:
    payload = AnswerPayload(final_answer="3 people", explanation="Frame 1 shows a table. It is nice.")
    (claim,) = claims_of(payload, ledger, "How many?")
    assert [citation.record_id for citation in claim.citations] == ["frame_1"]
    assert claims_of(AnswerPayload(final_answer="9 cats"), ledger, "How many?") == ()


def test_the_best_is_proven_then_scored_then_the_latest(ledger: Ledger) -> None:
    proven, bare = scored(candidate(ledger, "3 people"), 2), scored(candidate(ledger, "many", None), 3)
    assert best_of([proven, bare]) is proven
    better = scored(candidate(ledger, "3 people at a table"), 3)
    assert best_of([proven, better, bare]) is better
    assert best_of([]) is None


def test_the_stated_probability_counts_only_for_what_is_proven(ledger: Ledger) -> None:
    assert probability_of(scored(candidate(ledger, "3 people", probability=0.93), 5)) == 0.93
    assert probability_of(scored(candidate(ledger, "7 people", probability=0.93), 5)) == 0.45
    assert probability_of(scored(candidate(ledger, "3 people"), 4)) == 0.7


def test_a_meter_says_which_limit_was_reached() -> None:
    times = iter([0.0, 1.0, 4.9, 6.0])
    meter = Meter(Budget(steps=2, seconds=5), clock=lambda: next(times))
    meter.begin_step()
    assert meter.allow_call() == pytest.approx(0.1)
    with pytest.raises(LimitReached) as raised:
        meter.begin_step()
    assert (raised.value.limit, raised.value.allowed, meter.steps) == ("seconds", "5", 1)


def test_cancelling_comes_before_every_other_limit() -> None:
    meter = Meter(Budget(llm_calls=1), cancel=lambda: True)
    meter.llm_calls = 1
    assert meter.reached() == "cancelled"
    assert meter.calls_left == 0
