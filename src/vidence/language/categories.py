"""The COCO categories: ids, English and Chinese names, groups, and the words that mean them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from vidence.language.forms import lookup_forms
from vidence.language.tables import read_table
from vidence.language.tokens import terms

__all__ = ["Category", "categories", "categories_in", "category_words", "group_names", "same_thing"]

_PEOPLE = re.compile(
    r"\b(?:people|persons?|m[ae]n|wom[ae]n|boys?|girls?|child(?:ren)?|kids?|players?|workers?|guys?|lad(?:y|ies))\b"
    r"|人|男|女|孩|员",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Category:
    """One kind of thing that the detector can name."""

    id: int
    name: str
    chinese: str
    group: str


@lru_cache(maxsize=1)
def categories() -> dict[int, Category]:
    """Return the 80 categories by COCO id (1–90, with gaps)."""
    return {int(row[0]): Category(int(row[0]), *row[1:]) for row in read_table("coco.tsv")}


@lru_cache(maxsize=1)
def group_names() -> dict[str, str]:
    """Return the Chinese name of each group by its English one."""
    return {row[0]: row[1] for row in read_table("groups.tsv")}


@lru_cache(maxsize=1)
def category_words() -> dict[str, frozenset[str]]:
    """Return every word for a category or group, in either language, with the categories it means."""
    words: dict[str, frozenset[str]] = {}
    for row in read_table("groups.tsv"):
        members = frozenset(c.name for c in categories().values() if c.group == row[0])
        for word in (row[0], row[1], *row[2].split(",")):
            words[word] = members
    for name, chinese, others, listed in read_table("subgroups.tsv"):
        words |= dict.fromkeys((name, chinese, *others.split(",")), frozenset(listed.split(",")))
    for category in categories().values():
        words[category.name] = words[category.chinese] = frozenset({category.name})
    return words | {
        word: frozenset({name}) for name, others in read_table("synonyms.tsv") for word in others.split(",")
    }


@lru_cache(maxsize=4096)
def same_thing(noun: str, label: str) -> bool:
    """Say whether `noun` ("young people", 个杯子) can mean what is labelled `label` ("person", "cup")."""
    if label == "person" or _PEOPLE.fullmatch(label):
        return bool(_PEOPLE.search(noun))
    return not set(terms(noun)).isdisjoint(terms(label)) or label in _named(noun)


@lru_cache(maxsize=4096)
def categories_in(text: str) -> frozenset[str]:
    """Return the categories that a text names in either language."""
    return _named(text) | ({"person"} if _PEOPLE.search(text) else frozenset())


def _named(text: str) -> frozenset[str]:
    words = category_words()
    english = (form for word in re.findall(r"[a-z]+", text.lower()) for form in lookup_forms(word))
    chinese = (word for word in words if not word.isascii() and word in text)
    return frozenset().union(*(words.get(word, ()) for word in (*english, *chinese)))
