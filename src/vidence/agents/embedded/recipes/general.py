"""The recipe for what no other recipe is for: find the moment, then say what is there."""

from __future__ import annotations

from vidence.agents.embedded.recipes.evidence import cite, found_spans
from vidence.agents.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.schema.evidence import Claim

__all__ = ["answer"]

_WIDEST_S = 12.0
_LIKELY = 0.3


def answer(inquiry: Inquiry) -> Steps:
    """Search for what the question is about and describe the likeliest moment."""
    form = inquiry.form
    (searched,) = yield [call("temporal_search", inquiry, query=form.text, top_k=3, modality="multimodal")]
    spans = found_spans(searched)
    start = spans[0].start_s if spans else 0.0
    end = min(spans[0].end_s, start + _WIDEST_S) if spans else inquiry.duration_s
    (described,) = yield [call("describe_visual", inquiry, start_time=start, end_time=max(end, start + 0.2))]
    if described is None or not isinstance(described.result, dict):
        words = "从这个视频无法判断。" if form.language == "zh" else "It cannot be told from this video."
        return Finding(words, 0.05, cannot_tell=True)
    text = str(described.result["description"])
    claim = Claim(text=text, citations=(cite(described, start, end, text[:120]),))
    return Finding(text, _LIKELY if spans else _LIKELY / 2, (claim,), text)
