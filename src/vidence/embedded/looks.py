"""What the visual answerer replies to the question itself, pooled over frames."""

from __future__ import annotations

from vidence.embedded.proposals import Proposal
from vidence.embedded.recipes.recipe import Inquiry, StepsOf, call, read
from vidence.embedded.recipes.spans import QuestionSpan
from vidence.embedded.recipes.wording import pick, seconds, sentence
from vidence.language.question import read_question
from vidence.ops.describe_visual import DescribeVisualResult, SeenAnswer
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Citation, Claim, EvidenceRecord

__all__ = ["look"]

_LONGEST = 200
_SHORTEST_S = 0.2
_UNSEEN_KINDS = frozenset({"describe", "cuts", "camera", "order", "when", "compare", "said", "heard", "why"})
"""Kinds of question that no single frame answers."""


def look(inquiry: Inquiry, span: QuestionSpan | None) -> StepsOf[tuple[Proposal, ...]]:
    """Ask the visual answerer the question about frames of the span."""
    form = inquiry.form
    asked = read_question(inquiry.variables.question).expected.type
    is_unseen = form.kind in _UNSEEN_KINDS or form.sense != "seen" or asked == "money"
    if is_unseen or len(form.text) >= _LONGEST:
        return ()
    start, end = (span.start_s, span.end_s) if span else (0.0, inquiry.duration_s)
    (record,) = yield [
        call(
            "describe_visual",
            inquiry,
            start_time=start,
            end_time=max(end, start + _SHORTEST_S),
            focus=form.text.rstrip(".。!！?？ ") + pick(form.language, "?", "？"),
            language=form.language,
        )
    ]
    seen = read(record, DescribeVisualResult)
    if seen is None or record is None:
        return ()
    # What detectors do not know may still be seen (candles), or be nothing to see (followers, days).
    is_unknown = asked == "number" and not (form.targets and form.targets[0].category)
    facts = {"look:number of unknown things": float(is_unknown)}
    return tuple(
        _proposal(one, record, form.language, {**facts, "look:first": float(place == 0)})
        for place, one in enumerate(seen.answers or ())
    )


def _proposal(
    one: SeenAnswer, record: EvidenceRecord, language: AnswerLanguage, facts: dict[str, float]
) -> Proposal:
    at = seconds(one.times[0], language) if one.times else ""
    english = f"Asked about the picture{f' at {at}' if at else ''}, the answer is: {one.answer}."
    told = pick(language, english, f"{f'{at}时' if at else ''}看画面的回答是：{one.answer}。")
    cited = Citation(record_id=record.record_id, quote=one.answer)
    claims = (Claim(text=told, citations=(cited,)),)
    return Proposal("look", sentence(one.answer, language), one.probability, claims, facts=facts)
