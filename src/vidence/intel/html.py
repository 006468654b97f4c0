"""The main text of an HTML page with its title, author, date and language."""

from __future__ import annotations

import re
from datetime import date
from html import unescape

from vidence.language.identify import text_language
from vidence.schema.topics import Page

__all__ = ["as_date", "read_html"]

_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_BETWEEN = re.compile(r"\s+[-–—|·»]\s+")
"""What stands between the title of a page and the name of its site."""
_MOST_CHARS = 5_000_000
_ISO = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})")


def read_html(html: str, url: str, *, platform: str) -> Page:
    """Return the page that an HTML document holds; scripts are never run and nothing is loaded."""
    # Imported here: it takes half a second, and most commands need no page.
    from lxml.etree import LxmlError
    from trafilatura import bare_extraction

    bounded = html[:_MOST_CHARS]
    try:
        found = bare_extraction(
            bounded,
            url=url,
            with_metadata=True,
            include_comments=False,
            favor_recall=True,
            # Only a day that the page states: years in its text are no dates of publication.
            date_extraction_params={"extensive_search": False, "original_date": True},
        )
    except (LxmlError, ValueError, RecursionError):
        found = None
    if found is None or isinstance(found, dict):
        title = _TITLE.search(bounded)
        return Page(url=url, title=_one_line(title[1]) if title else "", platform=platform)
    text = str(found.text or "")
    return Page(
        url=url,
        title=_headline(_one_line(found.title or ""), bounded),
        text=text,
        platform=platform,
        published=as_date(found.date or ""),
        author=_one_line(found.author or ""),
        language=text_language(text[:5000]),
    )


def _headline(found: str, html: str) -> str:
    """Return the title that was found; where it is only the site's name or a menu's, what `<title>` says."""
    match = _TITLE.search(html)
    parts = [part for part in _BETWEEN.split(_one_line(unescape(match[1]))) if part] if match else []
    if not parts or (found in parts[0]) or (found and len(parts) == 1 and parts[0] in found):
        return found or (parts[0] if parts else "")
    return parts[0] if found in parts[1:] or not any(part in found for part in parts) else found


def as_date(text: str) -> date | None:
    """Return the day that a date stamp of a page, feed or file begins with; None where there is none."""
    match = _ISO.search(text)
    if match is None:
        return None
    try:
        return date(*(int(part) for part in match.groups()))
    except ValueError:
        return None


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]
