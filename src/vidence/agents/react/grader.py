"""AnswerGrader: five dimensions of 0 to 20, counted from what was called, cited and proven.

A language model may adjust a count by a little, never beyond what the counts allow.
"""

from __future__ import annotations

from collections.abc import Sequence

from vidence.knowledge.chapters import sentence_spans
from vidence.language.identify import has_han
from vidence.language.tokens import query_terms, terms
from vidence.schema.agent import AnswerLanguage, AnswerPayload, OperationCall
from vidence.schema.evidence import CheckedClaim, EvidenceRecord
from vidence.schema.react import DIMENSIONS, Grade, GraderReply, GradeScores, QuestionType
from vidence.tools.story.shapes import quotes_in

__all__ = ["MIN_DEPTH", "MIN_EVIDENCE", "MIN_TOTAL", "AnswerGrader"]

MIN_DEPTH, MIN_EVIDENCE, MIN_TOTAL = 8, 5, 70
_MOST = 20
_LEEWAY = 4
"""How far a language model may move a dimension from its count."""
_FITTING: dict[QuestionType, tuple[frozenset[str], ...]] = {
    "relation": (frozenset({"find_connection", "track_journey"}), frozenset({"search_memory"})),
    "fact": (frozenset({"lookup_knowledge"}),),
    "journey": (frozenset({"get_character_events", "track_journey"}), frozenset({"search_memory"})),
    "detail": (frozenset({"search_memory"}),),
}
"""For each type of question, the steps it takes and the tools that make each."""
_DEEP: dict[QuestionType, int] = {"relation": 2, "fact": 1, "journey": 3, "detail": 1}
"""How many distinct quotations a deep answer has; a detail stands beside what was asked."""
_SUGGESTIONS: dict[AnswerLanguage, dict[str, str]] = {
    "en": {
        "tool_usage": "Call the tools that fit the question ({tools}).",
        "evidence": "Say only what a quotation proves, and cite it.",
        "completeness": "The answer leaves out: {missing}.",
        "citation": "Cite the number of a quotation after every statement.",
        "depth": "The answer is not deep enough; call search_memory for concrete events.",
        "none": "No answer was found; search for other words.",
    },
    "zh": {
        "tool_usage": "请调用适合该问题的工具（{tools}）。",
        "evidence": "只说引文能证明的内容，并引用它。",
        "completeness": "答案没有涉及：{missing}。",
        "citation": "每句话后请注明引文编号。",
        "depth": "答案深度不足，请调用 search_memory 获取具体剧情内容。",
        "none": "没有找到答案，请换用其他关键词搜索。",
    },
}


class AnswerGrader:
    """Grades one answer from counts; `adjust` lets a language model move them a little."""

    def count(
        self,
        question: str,
        question_type: QuestionType,
        language: AnswerLanguage,
        answer: AnswerPayload,
        claims: Sequence[CheckedClaim],
        records: Sequence[EvidenceRecord],
        calls: Sequence[OperationCall],
    ) -> Grade:
        """Return the grade that the counts give."""
        called = {record.source for record in records if _found_something(record)}
        steps = _FITTING[question_type]
        made = sum(bool(step & called) for step in steps)
        cited = {(citation.record_id, citation.quote) for claim in claims for citation in claim.citations}
        proven = sum({"verified": 1.0, "partly": 0.5}.get(claim.verdict, 0.0) for claim in claims)
        covered, missing = _coverage(question, answer, claims)
        counts = {
            "steps": float(len(steps)),
            "steps_made": float(made),
            "claims": float(len(claims)),
            "claims_proven": proven,
            "citations": float(len(cited)),
            "aspects": float(len(covered) + len(missing)),
            "aspects_covered": float(len(covered)),
            "calls": float(len(calls)),
        }
        share = proven / len(claims) if claims else 0.0
        depth = min(1.0, len(cited) / _DEEP[question_type])
        if question_type == "detail":
            depth = counts["nearest"] = _nearest(question, claims)
        scores = GradeScores(
            tool_usage=_scaled(made / len(steps)),
            evidence=_scaled(share),
            completeness=_scaled(len(covered) / max(1, len(covered) + len(missing))),
            citation=_scaled(sum(bool(claim.citations) for claim in claims) / max(1, len(claims))),
            depth=_scaled(depth * (0.5 + 0.5 * share)),
        )
        if answer.cannot_tell or not answer.final_answer.strip():
            scores = GradeScores(
                tool_usage=scores.tool_usage, evidence=0, completeness=0, citation=0, depth=0
            )
        grade = Grade(
            score=scores.total,
            scores=scores,
            passed=_passes(scores),
            question_type=question_type,
            counts=counts,
            unsupported=tuple(one.text for one in claims if not one.citations and not _is_refuted(one)),
            contradicted=tuple(one.text for one in claims if _is_refuted(one)),
        )
        return grade.model_copy(
            update={"suggestion": _suggestion(grade, language, missing, answer.cannot_tell)}
        )

    def adjust(self, counted: Grade, reply: GraderReply) -> Grade:
        """Return the grade with a language model's scores, each kept within reach of its count."""
        scores = GradeScores(
            **{
                name: max(
                    getattr(counted.scores, name) - _LEEWAY,
                    min(getattr(counted.scores, name) + _LEEWAY, getattr(reply.scores, name), _MOST),
                    0,
                )
                for name in DIMENSIONS
            }
        )
        # Nothing proven stays nothing, whatever a model thinks of it.
        if counted.scores.evidence == 0:
            scores = scores.model_copy(update={"evidence": 0})
        passed = _passes(scores)
        suggestion = "" if passed else (reply.suggestion.strip() or counted.suggestion)
        return counted.model_copy(
            update={"score": scores.total, "scores": scores, "passed": passed, "suggestion": suggestion}
        )


def _passes(scores: GradeScores) -> bool:
    return scores.depth >= MIN_DEPTH and scores.evidence >= MIN_EVIDENCE and scores.total >= MIN_TOTAL


def _is_refuted(claim: CheckedClaim) -> bool:
    """Say whether what a claim cites says otherwise; a claim that cites nothing is unsupported."""
    return not claim.citations and any("in what is cited" in problem for problem in claim.problems)


def _scaled(share: float) -> int:
    return round(_MOST * max(0.0, min(1.0, share)))


def _found_something(record: EvidenceRecord) -> bool:
    return next(quotes_in(record.result), None) is not None


def _coverage(
    question: str, answer: AnswerPayload, claims: Sequence[CheckedClaim]
) -> tuple[list[str], list[str]]:
    """Return which content words of the question the answer and its quotations speak of, and which not."""
    held = [answer.final_answer, *(one.quote or "" for claim in claims for one in claim.citations)]
    said = set(terms("\n".join(held)))
    if has_han(question) != has_han("".join(held)):
        return [question], []
    wanted = query_terms(question)
    return [term for term in wanted if term in said], [term for term in wanted if term not in said]


def _nearest(question: str, claims: Sequence[CheckedClaim]) -> float:
    """Return the largest share of the question's words that one claim holds with its sentence."""
    wanted = set(query_terms(question))
    shares = [0.0]
    for claim in claims:
        said = set(terms(claim.text))
        if not wanted or has_han(question) != has_han(claim.text):
            shares.append(1.0)
            continue
        quotes = [one.quote or "" for one in claim.citations]
        rests = [set(terms(quote[start:end])) for quote in quotes for start, end in sentence_spans(quote)]
        said |= max(rests, key=lambda one: len(one & said), default=set())
        shares.append(len(wanted & said) / len(wanted))
    return max(shares)


def _suggestion(grade: Grade, language: AnswerLanguage, missing: Sequence[str], is_none: bool) -> str:
    if grade.passed:
        return ""
    words = _SUGGESTIONS[language]
    if is_none:
        return words["none"]
    weakest = sorted(DIMENSIONS, key=lambda name: getattr(grade.scores, name))
    if grade.scores.depth < MIN_DEPTH:
        weakest.insert(0, "depth")
    tools = ", ".join(sorted(tool for step in _FITTING[grade.question_type] for tool in step))
    return words[weakest[0]].format(tools=tools, missing=" ".join(missing[:6]))
