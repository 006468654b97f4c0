"""The summary that is asked for: what a video is about, scenes in order, highlights, or what stands out."""

from __future__ import annotations

from vidence.embedded.gather import Evidence
from vidence.embedded.proposals import Proposal
from vidence.embedded.recipes.recipe import Inquiry, has_cue
from vidence.language.phrases import phrase
from vidence.runs.summary import has_words, plain_summary, read_summary, scenes_told
from vidence.schema.reading import ReaderReply, ReaderVariables
from vidence.schema.summary import SummaryPart
from vidence.schema.time import TimeRange

__all__ = ["is_summary_read", "span_of", "summary_proposals"]

_SURE = 0.5


def is_summary_read(text: str, evidence: Evidence) -> bool:
    """Tell whether a reader sums up: the whole video in a paragraph, where enough is said or written."""
    # Of a part, a reader tells what "this video" is about, which the part need not be.
    is_whole = evidence.span is None and not has_cue("scenes_in_order", text)
    return is_whole and _part(text) == "about" and evidence.notes is not None and has_words(evidence.notes)


def summary_proposals(
    inquiry: Inquiry, evidence: Evidence, reply: ReaderReply | None, asked: ReaderVariables
) -> tuple[Proposal, ...]:
    """Return the summary that is asked for, with the reader's sentences where its notes bear them out."""
    if evidence.notes is None:
        return ()
    language = inquiry.form.language
    summary = plain_summary(
        evidence.notes,
        language=language,
        embed=inquiry.embed,
        span=span_of(evidence),
        duration_s=inquiry.duration_s,
        scenes=evidence.scenes,
    )
    if reply is not None and not reply.cannot_tell:
        summary = read_summary(summary, reply, asked, read_by="reader", embed=inquiry.embed)
    if has_cue("scenes_in_order", inquiry.form.text):
        claims = scenes_told(summary, evidence.notes, embed=inquiry.embed, span=span_of(evidence))
        text = ("" if language == "zh" else " ").join(claim.text for claim in claims)
        return (Proposal("summary", text, _SURE, claims),) if text else ()
    part = _part(inquiry.form.text)
    text = summary.text(part) or (phrase("nothing_unusual", language) if part == "unusual" else "")
    return (Proposal("summary", text, _SURE, summary.claims(part)),) if text else ()


def span_of(evidence: Evidence) -> TimeRange | None:
    """Return the part of the video that a question names; None for all of it."""
    span = evidence.span
    return TimeRange(start_time=span.start_s, end_time=span.end_s) if span else None


def _part(text: str) -> SummaryPart:
    if has_cue("highlights", text):
        return "highlights"
    return "unusual" if has_cue("unusual", text) else "about"
