"""Claims for an answer that lists none: its sentences, citing the records whose words bear them out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.language.concepts import concepts, shared_with
from vidence.language.tokens import sentences
from vidence.runs.ledger import Ledger
from vidence.runs.verify.bearing import is_denial
from vidence.runs.verify.checkables import without_references
from vidence.runs.verify.content import read_content
from vidence.schema.agent import AnswerPayload
from vidence.schema.evidence import Citation, Claim

__all__ = ["derive_claims"]

_ENOUGH = 0.5
"""The share of a sentence's new words that the cited records must hold."""
_MOST_CITED = 3
_MOST_SEARCHED = 12
"""Records cited for a thing that none of them mentions."""
_ONLY_POLARITY = re.compile(
    r"^\W*(?:yes|no|yeah|nope|true|false|correct|right|是的?|不是|对|不对|有|没有|否|会|不会|能|不能)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Words:
    """The words of a record, with what they mean in either language."""

    record_id: str
    words: frozenset[str]
    is_negative: bool


def derive_claims(answer: AnswerPayload, ledger: Ledger, question: str) -> tuple[Claim, ...]:
    """Return the sentences of an answer as claims on the records that bear them out; others are left out."""
    records = [_read(one.record_id, read_content(one).text) for one in ledger]
    asked = concepts(question)
    texts = [answer.final_answer, *sentences(answer.explanation)]
    claims = []
    for text in dict.fromkeys(text.strip() for text in texts):
        if found := _bearing(text, asked, records):
            claims.append(Claim(text=text, citations=tuple(Citation(record_id=name) for name in found)))
    return tuple(claims)


def _bearing(text: str, asked: frozenset[str], records: Sequence[_Words]) -> list[str]:
    """Return the records that bear a sentence out; none where too much of it stands nowhere."""
    is_bare = _ONLY_POLARITY.match(text) is not None
    said = asked if is_bare else concepts(without_references(text))
    said = shared_with(said, frozenset().union(*(one.words for one in records)))
    if not said:
        return []
    if is_denial(text):
        return _denying(said, records)
    if is_bare:
        # "Yes" agrees to all of the question, so one record must say all of it.
        return [one.record_id for one in records if said <= one.words][:_MOST_CITED]
    return _covering(said - asked or said, said, records)


def _covering(new: frozenset[str], said: frozenset[str], records: Sequence[_Words]) -> list[str]:
    """Choose few records that together hold the new words; among equals those that share other words."""
    left, found = set(new), list[str]()
    while left and len(found) < _MOST_CITED:
        best = max(records, key=lambda one: (len(left & one.words), len(said & one.words)), default=None)
        if best is None or not left & best.words:
            break
        found.append(best.record_id)
        left -= best.words
    return found if len(new) - len(left) >= _ENOUGH * len(new) else []


def _denying(said: frozenset[str], records: Sequence[_Words]) -> list[str]:
    """Return what was looked through when nothing mentions the thing, else the records that deny it."""
    absent = said.difference(*(one.words for one in records))
    if absent:
        step = max(1, len(records) // _MOST_SEARCHED)
        return [one.record_id for one in records[::step]][:_MOST_SEARCHED]
    return _covering(said, said, [one for one in records if one.is_negative])


def _read(record_id: str, text: str) -> _Words:
    return _Words(record_id, concepts(text), is_denial(text))
