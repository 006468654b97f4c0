"""The recipe for what no other recipe is for: find the moment, then say what is there."""

from __future__ import annotations

from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.locate import hits_of
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.language.phrases import phrase
from vidence.ops.describe_visual import DescribeVisualResult

__all__ = ["answer"]

_WIDEST_S = 12.0
_LIKELY = 0.3


def answer(inquiry: Inquiry) -> Steps:
    """Search for what the question is about and describe the likeliest moment."""
    form = inquiry.form
    (searched,) = yield [call("temporal_search", inquiry, query=form.text, top_k=3, modality="multimodal")]
    hits = hits_of(searched)
    start = hits[0].start_time if hits else 0.0
    end = min(hits[0].end_time, start + _WIDEST_S) if hits else inquiry.duration_s
    (record,) = yield [call("describe_visual", inquiry, start_time=start, end_time=end)]
    told = read(record, DescribeVisualResult)
    if told is None:
        words = phrase("cannot_tell", form.language)
        return Finding(words, 0.05, cannot_tell=True)
    claims = claim(told.description, record, start_s=start, end_s=end)
    return Finding(told.description, _LIKELY if hits else _LIKELY / 2, claims, told.description)
