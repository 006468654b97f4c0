"""The conclusion of a run: the answer that passed, else the best one, with its gaps named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from vidence.llm.scripted import ScriptedEngine
from vidence.runs.conclude import conclude, looked_at
from vidence.runs.judge import Candidate, propose
from vidence.runs.run import CHECKER, Run
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import AnswerLanguage, AnswerPayload, CheckerResponse, RunInput
from vidence.schema.evidence import Citation, Claim, EvidenceRecord, hash_of

SAID = "three people sit at a table"


def begin(
    world: CaptionWorld, language: AnswerLanguage = "en", *, frames: int = 10, **given: Any
) -> Run[RunInput]:
    """Return a run that has fetched frames."""
    asked = RunInput(
        question="How many people?" if language == "en" else "有几个人？", language=language, **given
    )
    run = Run(asked, world, {"solver": ScriptedEngine([], name="big"), CHECKER: ScriptedEngine([])})
    if frames:
        run.fetch(frames, first=True)
    return run


def try_answer(
    run: Run[RunInput], text: str, frames: Sequence[int] = (), score: int | None = None, **more: Any
) -> Candidate:
    """Propose an answer with one claim for each frame and keep it as the run does."""
    claims = tuple(Claim(text=text, citations=(Citation(record_id=f"frame_{number}"),)) for number in frames)
    payload = AnswerPayload.model_validate({"final_answer": text, "claims": claims, **more})
    one = propose(payload, run.ledger, run.verifier, step=len(run.candidates) + 1, options=run.options)
    if score is not None:
        one = one.judged(CheckerResponse(confidence_score=score), run.language)
    run.candidates.append(one)
    return one


def test_the_answer_that_passed_is_given_with_its_evidence(world: CaptionWorld) -> None:
    run = begin(world)
    passed = try_answer(run, "Three people", [3], 5, explanation=" They sit. ")
    answer = conclude(run, passed)
    assert (answer.status, answer.answer, answer.explanation) == ("answered", "Three people", "They sit.")
    assert (answer.passed, answer.confidence_score, answer.engine) == (True, 5, "big")
    assert [record.result for record in answer.evidence] == [SAID]
    assert answer.gaps == ()


def test_at_a_limit_the_best_grounded_answer_is_given_and_has_not_passed(world: CaptionWorld) -> None:
    run = begin(world)
    try_answer(run, "Three people", [3], 2)
    try_answer(run, "Lots of people", [], 3)
    answer = conclude(run, None)
    assert (answer.answer, answer.passed, answer.confidence_score) == ("Three people", False, 2)
    assert answer.gaps == ("Other answers were also given: Lots of people.",)


def test_a_later_answer_that_passed_wins_over_a_better_scored_one(world: CaptionWorld) -> None:
    run = begin(world)
    try_answer(run, "Three people sit", [3], 5)
    passed = try_answer(run, "Three people", [3], 4)
    assert conclude(run, passed).answer == "Three people"


@pytest.mark.parametrize(
    ("language", "words", "looked"),
    [
        ("en", "No answer was reached within the limits.", "Looked at 10 frames."),
        ("zh", "在限制之内没有得到答案。", "查看了10 帧画面。"),
    ],
)
def test_without_any_answer_it_says_so_and_what_was_looked_at(
    world: CaptionWorld, language: AnswerLanguage, words: str, looked: str
) -> None:
    answer = conclude(begin(world, language), None)
    assert (answer.status, answer.answer, answer.explanation) == ("failed", words, looked)
    assert (answer.confidence_score, answer.claims, answer.evidence) == (1, (), ())
    assert answer.probability < 0.1


@pytest.mark.parametrize(("language", "words"), [("en", "Looked at nothing."), ("zh", "查看了（无）。")])
def test_a_run_that_saw_nothing_says_so(world: CaptionWorld, language: AnswerLanguage, words: str) -> None:
    assert conclude(begin(world, language, frames=0), None).explanation == words


def test_replies_that_were_no_json_are_a_gap_unless_an_answer_passed(world: CaptionWorld) -> None:
    run = begin(world)
    run.invalid_replies = 2
    assert any("2" in gap for gap in conclude(run, None).gaps)
    passed = try_answer(run, "Three people", [3], 5)
    assert conclude(run, passed).gaps == ()


def test_what_was_missing_before_the_run_is_told_once(world: CaptionWorld) -> None:
    run = begin(world, gaps=("a.mp4: sounds: failed",))
    run.gaps.append("a.mp4: sounds: failed")
    assert conclude(run, None).gaps == ("a.mp4: sounds: failed",)


@pytest.mark.parametrize(
    ("language", "gap"),
    [
        ("en", "Nothing that was seen, heard or read proves this answer."),
        ("zh", "没有任何看到、听到或读到的内容能证明这个答案。"),
    ],
)
def test_an_answer_that_nothing_proves_says_so(
    world: CaptionWorld, language: AnswerLanguage, gap: str
) -> None:
    run = begin(world, language)
    try_answer(run, "Seven people", [4], 5)
    answer = conclude(run, None)
    assert gap in answer.gaps
    assert (answer.claims, answer.evidence, answer.confidence_score) == ((), (), 3)


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [("en", "Seven people", "Not proven"), ("en", "An elephant dances tango", "Not proven"),
     ("zh", "大象正在跳探戈舞，有七头", "未经证实")],
)  # fmt: skip
def test_an_answer_that_nothing_proves_is_not_printed_as_the_answer(
    world: CaptionWorld, language: AnswerLanguage, said: str, told: str
) -> None:
    run = begin(world, language)
    try_answer(run, said, [4], 5)
    answer = conclude(run, None)
    assert (answer.status, answer.passed) == ("cannot_tell", False)
    assert answer.answer.startswith(told)
    assert said not in answer.answer + answer.explanation
    assert any(said in gap for gap in answer.gaps)


def test_an_answer_that_contradicts_its_proven_claims_gives_way_to_what_they_show(
    world: CaptionWorld,
) -> None:
    run = begin(world)
    claim = {"text": "Three people sit", "citations": [{"record_id": "frame_3"}]}
    payload = AnswerPayload.model_validate({"final_answer": "Seven people", "claims": [claim]})
    candidate = propose(payload, run.ledger, run.verifier, step=1)
    run.candidates.append(candidate.judged(CheckerResponse(confidence_score=5), "en"))
    answer = conclude(run, None)
    assert (answer.status, answer.confidence_score) == ("cannot_tell", 3)
    assert answer.answer.startswith("Not proven")
    assert answer.explanation.startswith("What the evidence shows: Three people sit")
    assert [record.record_id for record in answer.evidence] == ["frame_3"]


def test_an_option_that_the_claims_refute_does_not_pass(world: CaptionWorld) -> None:
    run = begin(world, options=("seven people", "three people"))
    claim = {"text": "Three people sit", "citations": [{"record_id": "frame_3"}]}
    payload = AnswerPayload.model_validate({"final_answer": "A", "option": 0, "claims": [claim]})
    candidate = propose(payload, run.ledger, run.verifier, step=1, options=run.options)
    assert not candidate.judged(CheckerResponse(confidence_score=5), "en").passes


def test_a_part_that_the_evidence_lacks_is_named(world: CaptionWorld) -> None:
    run = begin(world)
    claim = {"text": "Three people sit", "citations": [{"record_id": "frame_3"}]}
    payload = AnswerPayload.model_validate({"final_answer": "Three people in Paris", "claims": [claim]})
    run.candidates.append(propose(payload, run.ledger, run.verifier, step=1))
    (gap,) = (gap for gap in conclude(run, None).gaps if gap.startswith("Not found in the evidence cited: "))
    assert "Paris" in gap


def test_a_claim_that_fails_is_left_out_and_named(world: CaptionWorld) -> None:
    run = begin(world)
    claims = [
        {"text": "Three people sit", "citations": [{"record_id": "frame_3"}]},
        {"text": "Nine dogs bark", "citations": [{"record_id": "frame_4"}]},
    ]
    payload = AnswerPayload.model_validate({"final_answer": "Three people", "claims": claims})
    run.candidates.append(propose(payload, run.ledger, run.verifier, step=1))
    answer = conclude(run, None)
    assert [claim.text for claim in answer.claims] == ["Three people sit"]
    assert [record.record_id for record in answer.evidence] == ["frame_3"]
    assert answer.gaps == ("Claims left out because nothing proves them: “Nine dogs bark”.",)


def test_a_record_that_several_claims_cite_is_evidence_once(world: CaptionWorld) -> None:
    run = begin(world)
    passed = try_answer(run, "Three people", [3, 3], 4)
    answer = conclude(run, passed)
    assert len(answer.claims) == 2
    assert [record.record_id for record in answer.evidence] == ["frame_3"]


def test_other_answers_are_named_once_each_and_at_most_three(world: CaptionWorld) -> None:
    run = begin(world)
    for text in ("A dog", "A cup", "A dog", "A door", "A floor"):
        try_answer(run, text)
    passed = try_answer(run, "Three people", [3], 4)
    assert conclude(run, passed).gaps == ("Other answers were also given: A dog, A cup, A door.",)


def test_chinese_answers_are_joined_the_chinese_way(world: CaptionWorld) -> None:
    run = begin(world, "zh")
    try_answer(run, "一只狗")
    try_answer(run, "两只杯子")
    passed = try_answer(run, "三个人", [3], 4)
    assert conclude(run, passed).gaps == ("还给出过其他答案：一只狗、两只杯子。",)


def test_an_option_s_own_words_are_the_answer(world: CaptionWorld) -> None:
    run = begin(world, options=("two people", "three people"))
    passed = try_answer(run, "B", [3], 5)
    answer = conclude(run, passed)
    assert (answer.option, answer.answer) == (1, "three people")


@pytest.mark.parametrize(
    ("language", "words", "looked"),
    [
        ("en", "It cannot be told from this video.", "Looked at 10 frames."),
        ("zh", "从这个视频无法判断。", "查看了10 帧画面。"),
    ],
)
def test_that_it_cannot_be_told_rests_on_all_that_was_looked_at(
    world: CaptionWorld, language: AnswerLanguage, words: str, looked: str
) -> None:
    run = begin(world, language)
    passed = try_answer(run, " ", [], 4, cannot_tell=True)
    answer = conclude(run, passed)
    assert (answer.status, answer.answer, answer.explanation) == ("cannot_tell", words, looked)
    assert [claim.text for claim in answer.claims] == [looked]
    assert len(answer.evidence) == 10


def test_that_it_cannot_be_told_keeps_its_own_reason_and_claims(world: CaptionWorld) -> None:
    run = begin(world)
    passed = try_answer(run, "A dog sleeps", [4], 4, cannot_tell=True, explanation="Nobody names the dog.")
    answer = conclude(run, passed)
    assert answer.explanation == "Nobody names the dog. Looked at 10 frames."
    assert [record.record_id for record in answer.evidence] == ["frame_4"]


def test_the_engine_s_own_probability_is_given_for_a_proven_answer(world: CaptionWorld) -> None:
    run = begin(world)
    passed = try_answer(run, "Three people", [3], 5, probability=0.91239)
    assert conclude(run, passed).probability == 0.9124


def test_what_was_looked_at_names_frames_and_each_operation_once(world: CaptionWorld) -> None:
    run = begin(world, frames=2)
    for number, source in enumerate(["get_transcript", "detect_objects", "get_transcript"]):
        run.ledger.add(
            EvidenceRecord(
                record_id=f"rec_{number}", kind="operation", source=source, result="", result_hash=hash_of("")
            )
        )
    assert looked_at(run) == "2 frames, transcript, objects"
