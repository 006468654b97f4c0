"""Disputes between pages: sentences that disagree, with both sides, and which of them is newer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vidence.intel.critic.conflict import find_conflict
from vidence.intel.digest import is_personal
from vidence.intel.passages import page_sentences
from vidence.language.tokens import terms
from vidence.schema.briefing import Dispute, DisputeSide
from vidence.schema.topics import ReadPage

__all__ = ["find_disputes"]

_SHARED = 0.5
"""The share of common words from which two sentences are compared."""
_PER_PAGE = 200
_SUPERSEDED_DAYS = 14
"""A figure that is this much older is out of date, not in dispute."""
_MOST = 20
_SERIES = 0.7
"""The share of common words from which two titles are of one series."""


@dataclass(frozen=True)
class _Sentence:
    page: ReadPage
    text: str
    words: frozenset[str]


def find_disputes(pages: Sequence[ReadPage], wanted: Sequence[str]) -> tuple[Dispute, ...]:
    """Return where pages contradict each other in sentences that hold one of the wanted words."""
    sentences = [one for page in pages for one in _about(page, frozenset(wanted))]
    found: dict[tuple[str, str], Dispute] = {}
    for place, one in enumerate(sentences):
        for other in sentences[place + 1 :]:
            if one.page.number == other.page.number or not _comparable(one, other):
                continue
            if _are_editions(one.page, other.page):
                continue
            conflict = find_conflict(one.text, other.text)
            if conflict is None:
                continue
            key = tuple(sorted((conflict.one.casefold(), conflict.other.casefold())))
            found.setdefault(
                (key[0], key[1]),
                Dispute(
                    kind=conflict.kind,
                    sides=(
                        DisputeSide(source=one.page.number, quote=one.text, says=conflict.one),
                        DisputeSide(source=other.page.number, quote=other.text, says=conflict.other),
                    ),
                    newer=_newer(one.page, other.page),
                ),
            )
            if len(found) == _MOST:
                return tuple(found.values())
    return tuple(found.values())


def _about(page: ReadPage, wanted: frozenset[str]) -> list[_Sentence]:
    in_title = bool(wanted & set(terms(page.title)))
    held = [_Sentence(page, text, frozenset(terms(text))) for text in page_sentences(page.text)[:_PER_PAGE]]
    return [one for one in held if (in_title or wanted & one.words) and not is_personal(one.text)]


def _comparable(one: _Sentence, other: _Sentence) -> bool:
    return len(one.words & other.words) >= _SHARED * min(len(one.words), len(other.words))


def _are_editions(one: ReadPage, other: ReadPage) -> bool:
    """Tell whether two undated pages are of one series, such as a forecast of May and one of July.

    They say the same of different times. Where their days are known, the newer one supersedes the other.
    """
    if _newer(one, other) is not None:
        return False
    mine, held = set(terms(one.title)), set(terms(other.title))
    return mine != held and len(mine & held) >= _SERIES * max(len(mine), len(held))


def _newer(one: ReadPage, other: ReadPage) -> int | None:
    """Return the page that supersedes the other by its date; None where the dates do not decide."""
    if one.published is None or other.published is None:
        return None
    apart = (one.published - other.published).days
    if abs(apart) < _SUPERSEDED_DAYS:
        return None
    return one.number if apart > 0 else other.number
