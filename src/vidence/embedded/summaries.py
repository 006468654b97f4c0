"""Summaries as proposals: what a video is about, its highlights, or what stands out in it."""

from __future__ import annotations

import re

from vidence.embedded.gather import Evidence
from vidence.embedded.proposals import Proposal
from vidence.embedded.recipes.recipe import Inquiry
from vidence.language.phrases import phrase
from vidence.runs.summary import plain_summary, read_summary
from vidence.schema.reading import ReaderReply, ReaderVariables
from vidence.schema.summary import SummaryPart
from vidence.schema.time import TimeRange

__all__ = ["summary_proposals"]

_SURE = 0.5
_HIGHLIGHTS = re.compile(r"\b(?:highlights?|key moments)\b|亮点|精彩|看点|要点", re.IGNORECASE)
_UNUSUAL = re.compile(r"\b(?:unusual|strange|odd|special|notable)\b|异常|不寻常|奇怪|特别", re.IGNORECASE)


def summary_proposals(
    inquiry: Inquiry, evidence: Evidence, reply: ReaderReply | None, asked: ReaderVariables
) -> tuple[Proposal, ...]:
    """Return the summary that is asked for, with the reader's sentences where its notes bear them out."""
    if evidence.notes is None:
        return ()
    language, span = inquiry.form.language, evidence.span
    summary = plain_summary(
        evidence.notes,
        language=language,
        embed=inquiry.embed,
        span=TimeRange(start_time=span.start_s, end_time=span.end_s) if span else None,
        duration_s=inquiry.duration_s,
    )
    if reply is not None and not reply.cannot_tell:
        summary = read_summary(summary, reply, asked, read_by="reader")
    part = _part(inquiry.form.text)
    text = summary.text(part) or (phrase("nothing_unusual", language) if part == "unusual" else "")
    return (Proposal("summary", text, _SURE, summary.claims(part)),) if text else ()


def _part(text: str) -> SummaryPart:
    if _HIGHLIGHTS.search(text):
        return "highlights"
    return "unusual" if _UNUSUAL.search(text) else "about"
