"""What the visual answerer replies to the question itself, pooled over frames."""

from __future__ import annotations

from vidence.embedded.proposals import Proposal
from vidence.embedded.recipes.recipe import Inquiry, StepsOf, call, read
from vidence.embedded.recipes.spans import QuestionSpan
from vidence.embedded.recipes.wording import pick, seconds, sentence
from vidence.ops.describe_visual import DescribeVisualResult
from vidence.schema.evidence import Citation, Claim

__all__ = ["look"]

_LONGEST = 200
_MOST = 2
_UNSEEN_KINDS = frozenset({"describe", "cuts", "camera", "order", "when", "compare", "said", "heard", "why"})
"""Kinds of question that no single frame answers."""


def look(inquiry: Inquiry, span: QuestionSpan | None) -> StepsOf[tuple[Proposal, ...]]:
    """Ask the visual answerer the question about frames of the span."""
    form = inquiry.form
    if (
        form.kind in _UNSEEN_KINDS
        or len(form.text) > _LONGEST
        or "answers" not in DescribeVisualResult.model_fields
    ):
        return ()
    start, end = (span.start_s, span.end_s) if span else (0.0, inquiry.duration_s)
    (record,) = yield [
        call(
            "describe_visual",
            inquiry,
            start_time=start,
            end_time=max(end, start + 0.2),
            focus=form.text,
            language=form.language,
        )
    ]
    seen = read(record, DescribeVisualResult)
    if seen is None or record is None:
        return ()
    found = []
    for one in (getattr(seen, "answers", None) or ())[:_MOST]:
        at = one.times[0] if one.times else start
        when = seconds(at, form.language)
        told = pick(
            form.language,
            f"At {when} the picture seems to show: {one.answer}.",
            f"{when}时画面看起来是：{one.answer}。",
        )
        cited = Citation(record_id=record.record_id, quote=one.answer)
        found.append(
            Proposal(
                "look",
                sentence(one.answer, form.language),
                one.probability,
                (Claim(text=told, citations=(cited,)),),
            )
        )
    return tuple(found)
