"""Names of people among lines of text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.embedded.recipes.lines import TextLine

__all__ = ["person_named"]

_NAME = re.compile(
    r"\b([A-Z][a-z]+(?:[-'][A-Z]?[a-z]+)?(?:\s+(?:[A-Z]\.\s*)?(?:de|van|von|la|del)?\s*[A-Z][a-z]+)+)\b"
)
_ROLES = frozenset(
    [
        "ceo",
        "cfo",
        "cto",
        "president",
        "director",
        "professor",
        "chairman",
        "founder",
        "minister",
        "by",
        "dr",
        "mr",
        "mrs",
        "ms",
    ]
)


def person_named(lines: Sequence[TextLine]) -> tuple[str, TextLine] | None:
    """Return the line that looks like a person's name, one near a title of office first."""
    found = []
    for line in lines:
        match = _NAME.search(line.text)
        words = [word.lower() for word in line.text.split()]
        if match and not any(char.isdigit() for char in line.text):
            name = " ".join(word for word in match[1].split() if word.lower() not in _ROLES)
            office = any(_ROLES & {w.lower().strip(".,") for w in other.text.split()} for other in lines)
            found.append((len(words) <= 4, office, len(line.sightings), name, line))
    if not found:
        return None
    best = max(found, key=lambda each: each[:3])
    return best[3], best[4]
