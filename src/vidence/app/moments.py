"""Where the proof of an answer is: each claim with the moments to show, their boxes and words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vidence.app.answer import cited, named_boxes
from vidence.language.colours import colour_word, find_colours
from vidence.language.labels import label_in
from vidence.runs.brief import cited_span
from vidence.schema.agent import AgentAnswer, AnswerLanguage
from vidence.schema.evidence import Citation, ClaimVerdict, EvidenceRecord
from vidence.schema.frozen import Frozen
from vidence.schema.observations import NormalBox

__all__ = ["ClaimProof", "MarkedBox", "ProofMoment", "proofs_of"]

_MOST_BOXES = 200
_NAMES = "detect_objects"
"""The operation whose quotations are names of the index; others quote what was said or written."""


class MarkedBox(Frozen):
    """A box to draw over the picture."""

    label: str
    bbox: NormalBox
    time: float | None = None
    """When the thing is there; None for the whole moment."""


class ProofMoment(Frozen):
    """A moment of a video that proves a claim."""

    video_id: str
    start_time: float
    end_time: float
    line: str
    """What it shows, in one line."""
    source: str
    record_id: str
    quote: str | None = None
    boxes: tuple[MarkedBox, ...] = ()


class ClaimProof(Frozen):
    """A claim as the page shows it."""

    text: str
    verdict: ClaimVerdict
    problems: tuple[str, ...] = ()
    moments: tuple[ProofMoment, ...] = ()
    notes: tuple[str, ...] = ()
    """What proves it without a moment, such as a memory."""


def proofs_of(answer: AgentAnswer) -> tuple[ClaimProof, ...]:
    """Return each claim of an answer with the moments that prove it."""
    lines = {(record.record_id, citation): line for line, record, citation in cited(answer)}
    records = {record.record_id: record for record in answer.evidence}
    proofs = []
    for claim in answer.claims:
        moments: list[ProofMoment] = []
        notes: list[str] = []
        for citation in claim.citations:
            record, line = records.get(citation.record_id), lines.get((citation.record_id, citation), "")
            if record is None:
                continue
            moment = _moment(record, citation, line, answer.language)
            if moment is None:
                notes.append(line)
            else:
                moments.append(moment)
        proofs.append(
            ClaimProof(
                text=claim.text,
                verdict=claim.verdict,
                problems=claim.problems,
                moments=tuple(moments),
                notes=tuple(notes),
            )
        )
    return tuple(proofs)


def _moment(
    record: EvidenceRecord, citation: Citation, line: str, language: AnswerLanguage
) -> ProofMoment | None:
    span = cited_span(record, citation)
    if record.video_id is None or span is None:
        return None
    boxes = [box for box in _timed_boxes(record.result) if _within(box, span)]
    return ProofMoment(
        video_id=record.video_id,
        start_time=span[0],
        end_time=span[1],
        line=line,
        source=record.source,
        record_id=record.record_id,
        quote=_named(citation.quote, language) if record.source == _NAMES else citation.quote,
        boxes=tuple(
            box.model_copy(update={"label": label_in(box.label, language)}) for box in boxes[:_MOST_BOXES]
        ),
    )


def _named(quote: str | None, language: AnswerLanguage) -> str | None:
    """Return the name of a thing or a colour in the answer's language; the index keeps it in English."""
    if quote is None or language == "en":
        return quote
    colours = find_colours(quote)
    return colour_word(colours[0], language) if colours == [quote] else label_in(quote, language)


def _timed_boxes(result: Any, time: float | None = None) -> Iterator[MarkedBox]:
    """Yield the boxes of a result; a box belongs to the time named nearest around it."""
    if isinstance(result, list):
        for item in result:
            yield from _timed_boxes(item, time)
    elif isinstance(result, dict):
        named = result.get("timestamp", result.get("time"))
        here = float(named) if isinstance(named, int | float) else time
        flat = {name: value for name, value in result.items() if not _is_nested(value)}
        for box, label in named_boxes(flat):
            yield MarkedBox(label=label, bbox=(box.x, box.y, box.w, box.h), time=here)
        for value in result.values():
            if _is_nested(value):
                yield from _timed_boxes(value, here)


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(x, dict) for x in value))


def _within(box: MarkedBox, span: tuple[float, float]) -> bool:
    return box.time is None or span[0] - 0.5 <= box.time <= span[1] + 0.5
