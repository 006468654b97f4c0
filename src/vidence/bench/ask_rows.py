"""The results of `vidence bench ask`: one line of JSON per question, so that a killed run can resume."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from vidence.errors import FileProblem
from vidence.language.question import read_question
from vidence.schema.agent import AgentAnswer

__all__ = ["AskRow", "RowFile", "read_rows", "row_of", "span_of"]

Span = tuple[float, float]


class AskRow(BaseModel):
    """The result of one question."""

    model_config = ConfigDict(frozen=True)

    item_id: str
    kind: str
    right: bool
    status: str
    answer: str
    option: int | None = None
    probability: float
    score: int
    span: Span | None = None
    citations: int = 0
    """Number of citations in the answer."""
    verified: int = 0
    """How many of these name an existing record that supports the claim."""
    frames: int = 0
    llm_calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    fits: bool = True
    """Whether the answer is of the type that was asked for."""
    floors: dict[str, bool] = {}
    """Whether each floor got the same question right."""


class RowFile:
    """Rows on disk, appended one by one."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self.path = path
        self._rows: dict[str, AskRow] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            path.unlink(missing_ok=True)
        elif path.exists():
            self._rows = {row.item_id: row for row in _read(path)}
            _end_line(path)

    def get(self, item_id: str) -> AskRow | None:
        """Return the row of a question that was answered before."""
        return self._rows.get(item_id)

    def add(self, row: AskRow) -> None:
        """Add a row and write it to disk."""
        self._rows[row.item_id] = row
        with self.path.open("a", encoding="utf-8") as file:
            file.write(row.model_dump_json() + "\n")

    @classmethod
    def named(cls, folder: Path, parts: list[str], *, fresh: bool = False) -> RowFile:
        """Open the file named by the parts that identify a run."""
        name = "-".join(re.sub(r"[^\w.]+", "_", part) for part in parts if part)
        return cls(folder / f"{name}.jsonl", fresh=fresh)


def read_rows(path: Path) -> dict[str, AskRow]:
    """Return the rows of another run by question."""
    if not path.exists():
        raise FileProblem(f"There are no results at {path}: give the .jsonl file of another run.")
    return {row.item_id: row for row in _read(path)}


def row_of(
    item_id: str,
    kind: str,
    answer: AgentAnswer,
    *,
    right: bool,
    seconds: float,
    floors: dict[str, bool],
    is_hidden: bool = False,
) -> AskRow:
    """Return an answer as a row; the words of a hidden one are left out."""
    known = {record.record_id for record in answer.evidence}
    cited = [(claim, citation) for claim in answer.claims for citation in claim.citations]
    return AskRow(
        item_id=item_id,
        kind=kind,
        right=right,
        status=answer.status,
        answer="" if is_hidden else answer.answer,
        option=answer.option,
        probability=answer.probability,
        score=answer.confidence_score,
        span=span_of(answer),
        citations=len(cited),
        verified=sum(c.record_id in known and claim.verdict != "failed" for claim, c in cited),
        frames=answer.spent.frames,
        llm_calls=answer.spent.llm_calls,
        tokens=answer.spent.usage.total_tokens,
        seconds=round(seconds, 3),
        fits=_fits(answer),
        floors=floors,
    )


def _fits(answer: AgentAnswer) -> bool:
    """Tell whether an answer is of the type its question asks for; an abstention always is."""
    if answer.status != "answered" or answer.option is not None:
        return True
    return read_question(answer.question).expected.fits(answer.answer)


def span_of(answer: AgentAnswer) -> Span | None:
    """Return the span an answer cites: its first citation with times, else the cited record's span."""
    spans = {record.record_id: record.span for record in answer.evidence}
    said: list[Span] = []
    for claim in answer.claims:
        for citation in claim.citations:
            where = spans.get(citation.record_id)
            if citation.start_time is not None and citation.end_time is not None:
                said.append((citation.start_time, citation.end_time))
            elif where is not None and not said:
                said.append((where.start_time, where.end_time))
    return said[0] if said else None


def _end_line(path: Path) -> None:
    """End an unfinished last line, so that the next row starts on its own line."""
    body = path.read_bytes()
    if body and not body.endswith(b"\n"):
        path.write_bytes(body + b"\n")


def _read(path: Path) -> list[AskRow]:
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(AskRow.model_validate_json(line))
        except ValidationError:
            continue  # A killed run leaves half a line; its question is asked again.
    return rows
