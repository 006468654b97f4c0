"""What is known about a source: rating of its domain, first-hand or quoting, author, date, agreement."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from vidence.intel.passages import page_sentences
from vidence.language.tokens import query_terms
from vidence.schema.briefing import Dispute, SourceCard, Statement
from vidence.schema.topics import ReadPage

__all__ = ["domain_rating", "is_first_hand", "source_cards"]

_QUOTES = re.compile(
    r"\b(?:according to|as reported by|reported (?:on|by|that)|citing|told (?:reporters|the)"
    r"|sources? (?:said|told)|quoted|first reported)\b|据[^，。]{0,20}(?:报道|消息|透露)|援引|转载"
    r"|来源：|网传",
    re.IGNORECASE,
)
_LEAD = 4
"""Sentences at the beginning of a page that say where its news comes from."""


def source_cards(
    statements: Sequence[Statement],
    pages: Sequence[ReadPage],
    original: Mapping[int, int],
    disputes: Sequence[Dispute],
    subject: str,
) -> tuple[SourceCard, ...]:
    """Return a card for every page that is quoted or disputed; `original` leads from copies to originals."""
    used = {quote.source for statement in statements for quote in statement.quotes}
    used |= {side.source for dispute in disputes for side in dispute.sides}
    agrees, disagrees, outdated = _links(statements, disputes)
    return tuple(
        SourceCard(
            number=page.number,
            url=page.url,
            title=page.title,
            platform=page.platform,
            source=page.source,
            site=page.site,
            published=page.published,
            author=page.author,
            language=page.language,
            rating=domain_rating(page.site),
            is_first_hand=is_first_hand(page, subject),
            copies=tuple(
                other.url for other in pages if original[other.number] == page.number != other.number
            ),
            agrees_with=tuple(sorted(agrees.get(page.number, ()))),
            disagrees_with=tuple(sorted(disagrees.get(page.number, ()))),
            outdated_by=outdated.get(page.number),
        )
        for page in pages
        if page.number in used
    )


def domain_rating(site: str) -> float | None:
    """Return the published rating of a domain or of the one it belongs to; None for an unrated one."""
    ratings = _ratings()
    parts = site.lower().split(".")
    for first in range(len(parts) - 1):
        found = ratings.get(".".join(parts[first:]))
        if found is not None:
            return found
    return None


def is_first_hand(page: ReadPage, subject: str) -> bool | None:
    """Tell whether a page speaks for itself: the subject's own site, or quoting others; None if unclear."""
    names = [term for term in query_terms(subject) if len(term) > 3]
    if page.site and any(name in page.site.lower() for name in names):
        return True
    lead = " ".join(page_sentences(page.text[:4000])[:_LEAD])
    return False if _QUOTES.search(lead) else None


def _links(
    statements: Sequence[Statement], disputes: Sequence[Dispute]
) -> tuple[dict[int, set[int]], dict[int, set[int]], dict[int, int]]:
    agrees: dict[int, set[int]] = {}
    for statement in statements:
        numbers = {quote.source for quote in statement.quotes}
        for number in numbers:
            agrees.setdefault(number, set()).update(numbers - {number})
    disagrees: dict[int, set[int]] = {}
    outdated: dict[int, int] = {}
    for dispute in disputes:
        one, other = (side.source for side in dispute.sides)
        disagrees.setdefault(one, set()).add(other)
        disagrees.setdefault(other, set()).add(one)
        if dispute.newer is not None:
            outdated[other if dispute.newer == one else one] = dispute.newer
    return agrees, disagrees, outdated


@cache
def _ratings() -> dict[str, float]:
    packed = (files("vidence.intel") / "data" / "domain_quality.tsv.gz").read_bytes()
    lines = gzip.decompress(packed).decode().splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {domain: float(rating) for domain, rating in rows}
