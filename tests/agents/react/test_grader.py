"""AnswerGrader: counts decide, gates hold, and a model moves a score by little."""

from __future__ import annotations

from pydantic import JsonValue

from vidence.agents.react.grader import AnswerGrader
from vidence.schema.agent import AnswerPayload
from vidence.schema.evidence import CheckedClaim, Citation, EvidenceRecord
from vidence.schema.react import Grade, GraderReply, GradeScores

GRADER = AnswerGrader()
QUOTE: dict[str, JsonValue] = {
    "text": "Robert is Anne's brother.",
    "chapter": 1,
    "label": "Chapter 1",
    "document": "d",
    "paragraph": 1,
    "start": 0,
    "end": 25,
}


def _record(tool: str) -> EvidenceRecord:
    return EvidenceRecord(
        record_id=f"rec_{tool}", kind="operation", source=tool, result={"passages": [QUOTE]}
    )


def _claim(verdict: str, *, cited: bool = True, problem: str = "") -> CheckedClaim:
    citations = (Citation(record_id="rec_search_memory", quote=str(QUOTE["text"])),) if cited else ()
    return CheckedClaim.model_validate(
        {"text": "Robert is Anne's brother.", "verdict": verdict, "citations": citations,
         "problems": (problem,) if problem else ()}
    )  # fmt: skip


def _grade(claims: list[CheckedClaim], *tools: str, answer: str = "Robert is Anne's brother.") -> Grade:
    payload = AnswerPayload(final_answer=answer, cannot_tell=not answer)
    return GRADER.count(
        "Who is Robert?", "detail", "en", payload, claims, [_record(tool) for tool in tools], []
    )


def test_proven_claims_with_the_fitting_tool_pass() -> None:
    grade = _grade([_claim("verified")], "search_memory")
    assert grade.passed
    assert grade.score == grade.scores.total >= 70


def test_nothing_proven_fails_on_the_evidence_gate() -> None:
    grade = _grade([_claim("failed", cited=False, problem="no evidence cited")], "search_memory")
    assert not grade.passed
    assert grade.scores.evidence == 0
    assert len(grade.unsupported) == 1
    assert grade.suggestion


def test_a_contradiction_is_told_apart_from_a_missing_citation() -> None:
    problem = "the name 'Peter' is not in what is cited"
    grade = _grade([_claim("failed", cited=False, problem=problem)], "search_memory")
    assert len(grade.contradicted) == 1
    assert not grade.unsupported


def test_the_wrong_tool_costs_its_dimension() -> None:
    assert _grade([_claim("verified")], "lookup_knowledge").scores.tool_usage == 0


def test_no_answer_scores_only_its_tools() -> None:
    grade = _grade([], "search_memory", answer="")
    assert grade.score == grade.scores.tool_usage


def test_a_model_moves_a_count_by_four_at_most_and_never_makes_evidence() -> None:
    full = GraderReply(scores=GradeScores(tool_usage=20, evidence=20, completeness=20, citation=20, depth=20))
    counted = _grade([_claim("failed", cited=False, problem="no evidence cited")], "search_memory")
    adjusted = GRADER.adjust(counted, full)
    assert adjusted.scores.evidence == 0
    assert adjusted.scores.depth <= counted.scores.depth + 4
    assert not adjusted.passed
