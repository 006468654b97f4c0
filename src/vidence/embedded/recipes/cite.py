"""Building claims: a sentence and the record that proves it."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from vidence.schema.evidence import Citation, Claim, EvidenceRecord

__all__ = ["claim", "read"]

_Result = TypeVar("_Result", bound=BaseModel)


def claim(
    text: str,
    record: EvidenceRecord | None,
    *,
    start_s: float | None = None,
    end_s: float | None = None,
    quote: str | None = None,
    also: tuple[EvidenceRecord | None, ...] = (),
) -> tuple[Claim, ...]:
    """Return the claim with its citations; none when there is no record to cite."""
    cited = [one for one in (record, *also) if one is not None]
    if not cited:
        return ()
    first = Citation(record_id=cited[0].record_id, start_time=start_s, end_time=end_s, quote=quote)
    rest = tuple(Citation(record_id=one.record_id) for one in cited[1:])
    return (Claim(text=text, citations=(first, *rest)),)


def read(record: EvidenceRecord | None, kind: type[_Result]) -> _Result | None:
    """Return a record's result as its model; None for a call that failed."""
    return None if record is None else kind.model_validate(record.result)
