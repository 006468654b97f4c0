"""Answers as a person reads them: printed, in a notebook, and as frames with their boxes drawn in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from pydantic import PrivateAttr

from vidence.app import html
from vidence.app.workspace import Workspace
from vidence.errors import FileProblem, VidenceError
from vidence.media.jpeg import encode_jpeg
from vidence.runs.brief import cited_span, evidence_line
from vidence.runs.frames import read_frame, with_boxes
from vidence.schema.agent import AgentAnswer
from vidence.schema.evidence import Citation, EvidenceRecord
from vidence.schema.perception import Box
from vidence.schema.printable import visible

__all__ = [
    "Answer",
    "answer_lines",
    "cited",
    "confidence_line",
    "draw_record",
    "evidence_lines",
    "gap_lines",
    "named_boxes",
    "read_thumbnail",
    "save_frames",
]

_MAX_SIDE, _THUMBNAIL_SIDE = 1280, 256
_MAX_THUMBNAILS = 8
_BOX_NAMES = ("bbox", "matched_bbox", "avg_bbox")
_MARKS = {"verified": "✓", "partly": "≈", "failed": "✗"}
_WORDS = {"en": ("confidence", "sure", "evidence", "note"), "zh": ("置信度", "把握", "证据", "说明")}


class Answer(AgentAnswer):
    """An answer that prints itself, and shows its evidence frames in a notebook."""

    _files: dict[str, Path] = PrivateAttr(default_factory=dict)

    @classmethod
    def of(cls, answer: AgentAnswer, workspace: Workspace) -> Self:
        """Return the same answer, knowing where the files of its videos are."""
        made = cls.model_construct(answer.model_fields_set, **dict(answer))
        made._files = workspace.files([video.video_id for video in answer.videos])
        return made

    def __str__(self) -> str:
        return "\n".join(map(visible, [*answer_lines(self), *gap_lines(self)]))

    def _repr_html_(self) -> str:
        head, *rest = answer_lines(self, with_evidence=False)
        claims = [html.paragraph(f"{_MARKS[claim.verdict]} {claim.text}") for claim in self.claims]
        # What proves a claim without a picture (words, a memory) is a line; the rest is shown.
        pictures = dict(self._thumbnails())
        lines = [html.paragraph(line) for line in evidence_lines(self) if line not in pictures]
        shown = html.figures((jpeg, line) for line, jpeg in pictures.items())
        texts = [html.paragraph(head, bold=True), *map(html.paragraph, rest), *claims, *lines]
        return f"<div>{''.join([*texts, shown, *map(html.paragraph, gap_lines(self))])}</div>"

    def _thumbnails(self) -> Iterator[tuple[str, bytes]]:
        """Yield the evidence lines that have a frame, each with it; a file that is gone has none."""
        drawn: set[str] = set()
        for line, record, citation in cited(self):
            moment = _moment(self, record, citation)
            if line in drawn or moment is None or len(drawn) == _MAX_THUMBNAILS:
                continue
            jpeg = read_thumbnail(self._files.get(moment[0]), moment[1], record)
            if jpeg is not None:
                drawn.add(line)
                yield line, jpeg


def answer_lines(answer: AgentAnswer, *, with_evidence: bool = True) -> list[str]:
    """Return an answer in lines: the answer, why, how sure it is, and the evidence."""
    evidence = _WORDS[answer.language][2]
    lines = [answer.answer]
    if _letters(answer.explanation) not in _letters(answer.answer):
        lines.append(answer.explanation)
    lines.append(confidence_line(answer))
    cited = evidence_lines(answer) if with_evidence else []
    return [*lines, *([f"{evidence}:"] if cited else []), *(f"  {line}" for line in cited)]


def confidence_line(answer: AgentAnswer) -> str:
    """Return how sure an answer is: the Checker's score and the probability that it is right."""
    confidence, sure, _, _ = _WORDS[answer.language]
    return f"{confidence} {answer.confidence_score}/5 ({answer.probability:.0%} {sure})"


def evidence_lines(answer: AgentAnswer) -> list[str]:
    """Return one line for each distinct piece of evidence the answer cites."""
    return list(dict.fromkeys(line for line, _, _ in cited(answer)))


def gap_lines(answer: AgentAnswer) -> list[str]:
    """Return what was not looked at or failed, a line each."""
    return [f"{_WORDS[answer.language][3]}: {gap}" for gap in answer.gaps]


def save_frames(workspace: Workspace, answer: AgentAnswer, folder: Path) -> list[Path]:
    """Write one JPEG for every moment the answer cites; return where they are."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise FileProblem(f"{folder} cannot be made: {exc.strerror}.") from exc
    saved: dict[Path, None] = {}
    for _, record, citation in cited(answer):
        moment = _moment(answer, record, citation)
        if moment is None:
            continue
        video_id, time_s = moment
        path = folder / f"{video_id}_{time_s:08.2f}s_{record.record_id}.jpg"
        if path in saved:
            continue
        file = workspace.store.catalogue.locate(video_id)
        image = draw_record(file, time_s, record, max_side=_MAX_SIDE, threads=workspace.settings.threads)
        try:
            path.write_bytes(image)
        except OSError as exc:
            raise FileProblem(f"{path} cannot be written: {exc.strerror}.") from exc
        saved[path] = None
    return list(saved)


def read_thumbnail(path: Path | None, time_s: float, record: EvidenceRecord | None = None) -> bytes | None:
    """Return a small JPEG of the frame at a time, with a record's boxes; None where it cannot be read."""
    try:
        return None if path is None else draw_record(path, time_s, record, max_side=_THUMBNAIL_SIDE)
    except (VidenceError, OSError, StopIteration):
        return None


def named_boxes(node: Any, label: str = "") -> Iterator[tuple[Box, str]]:
    """Yield every box in a result with the name of what is in it."""
    if isinstance(node, list):
        for item in node:
            yield from named_boxes(item, label)
    elif isinstance(node, dict):
        name = str(node.get("category") or node.get("entity_id") or label)
        for key in _BOX_NAMES:
            if isinstance(node.get(key), list) and len(node[key]) == 4:
                yield Box(*(float(value) for value in node[key])), name
        for value in node.values():
            if isinstance(value, dict | list):
                yield from named_boxes(value, name)


def draw_record(
    path: Path, time_s: float, record: EvidenceRecord | None, *, max_side: int, threads: int = 1
) -> bytes:
    """Return the frame at a time as JPEG, with the boxes of a record drawn in."""
    image = read_frame(path, time_s, max_side=max_side, threads=threads)
    return encode_jpeg(with_boxes(image, list(named_boxes(record.result)) if record else []))


def cited(answer: AgentAnswer) -> Iterator[tuple[str, EvidenceRecord, Citation]]:
    """Yield every citation with its record and the line that says what it shows."""
    records = {record.record_id: record for record in answer.evidence}
    names = {video.video_id: video.name for video in answer.videos}
    for citation in (citation for claim in answer.claims for citation in claim.citations):
        record = records.get(citation.record_id)
        if record is not None:
            where = f"{names.get(record.video_id or '', '')} " if len(names) > 1 else ""
            memory = f"{record.record_id} " if record.kind == "memory" else ""
            yield f"{where}{memory}{evidence_line(record, citation, answer.language)}", record, citation


def _moment(answer: AgentAnswer, record: EvidenceRecord, citation: Citation) -> tuple[str, float] | None:
    """Return the video and the middle of the time cited; None where the record has neither."""
    span = cited_span(record, citation)
    if record.video_id is None or span is None:
        return None
    middle = (span[0] + span[1]) / 2
    lengths = {video.video_id: video.duration_s for video in answer.videos}
    return record.video_id, max(0.0, min(middle, lengths.get(record.video_id, middle) - 0.001))


def _letters(text: str) -> str:
    """Return the letters and digits alone, to compare two wordings."""
    return "".join(character for character in text.casefold() if character.isalnum())
