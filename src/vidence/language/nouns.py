"""Whether a noun in a claim and a label in a record name the same kind of thing."""

from __future__ import annotations

import re
from functools import lru_cache

from vidence.errors import UnknownName
from vidence.language.categories import category_words, resolve_category
from vidence.language.tokens import terms

__all__ = ["same_thing"]

_PEOPLE = re.compile(
    r"\b(?:people|persons?|m[ae]n|wom[ae]n|boys?|girls?|child(?:ren)?|kids?|players?|workers?|guys?|lad(?:y|ies))\b"
    r"|人|男|女|孩|员",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def same_thing(noun: str, label: str) -> bool:
    """Tell whether `noun` ("young people", 个杯子) can mean what is labelled `label` ("person", "cup")."""
    if label == "person" or _PEOPLE.fullmatch(label):
        return bool(_PEOPLE.search(noun))
    meant = set(terms(noun))
    return bool(meant & set(terms(label))) or label in _categories(noun)


def _categories(noun: str) -> frozenset[str]:
    found: set[str] = set()
    for word in re.findall(r"[a-z]+", noun.lower()):
        try:
            found |= resolve_category(word)
        except UnknownName:
            continue
    for word, names in category_words().items():
        if not word.isascii() and word in noun:
            found |= names
    return frozenset(found)
