"""Names in English stories: runs of capitalised words, confirmed where a capital says something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from vidence.language.tables import read_table, words_of

__all__ = ["TITLE_WORDS", "count_names", "gender_of", "nickname_of", "select_names", "split_title"]

_TABLE = "names.tsv"
_MALE, _FEMALE = (words_of(_TABLE, kind, room="knowledge") for kind in ("title_male", "title_female"))
_ANY = words_of(_TABLE, "title_any", room="knowledge")
TITLE_WORDS = _MALE | _FEMALE | _ANY
_MEN, _WOMEN = (words_of(_TABLE, kind, room="knowledge") for kind in ("male", "female"))
_NOT_NAMES = words_of(_TABLE, "not_name_en", room="knowledge")
_PLACES = words_of(_TABLE, "place_en", room="knowledge")
_SAY = "|".join(sorted(words_of(_TABLE, "say_en", room="knowledge")))
_PLACE_BEFORE = re.compile(
    rf"\b(?:{'|'.join(sorted(words_of(_TABLE, 'place_after', room='knowledge')))})\s+(?:the\s+)?$"
)
_TITLE = "|".join(re.escape(word) for word in sorted(TITLE_WORDS, key=lambda word: (-len(word), word)))
_WORD = r"[A-Z][a-zà-öø-ÿ]+(?:['’-][A-Z]?[a-zà-öø-ÿ]+)?|[A-Z]['’][A-Z][a-z]+|[A-Z]\."
_RUN = re.compile(
    rf"\b(?:(?:{_TITLE})\s+)*(?:{_WORD})(?:(?:\s+(?:(?:of|de|von|van|la|le|du|d')\s+)?)(?:{_WORD}))*"
)
_OPENS = re.compile(r"(?:^|[.!?:;“\"‘'(\[\n—-]\s*)$")
_SAYS = re.compile(rf"^[,”\"’'\s]*(?:{_SAY})\b")
_SAID = re.compile(rf"[,.!?”\"’'—]\s*(?:{_SAY})\s+$")
_VERB_AFTER = re.compile(
    r"^\s+(?:was|had|is|has|did|could|would|looked|came|went|took|stood|sat|smiled|turned|made|saw|felt|thought|knew|and\s+[A-Z])\b"
)
_LEAST = 2


def runs(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield where each run of capitalised words stands, and whether a sentence begins with it."""
    for found in _RUN.finditer(text):
        start, end = found.span()
        opens = bool(_OPENS.search(text[max(0, start - 3) : start]))
        words = [(one.start(), one.group()) for one in re.finditer(r"\S+", found[0])]
        while words and words[0][1].rstrip(".") in _NOT_NAMES - TITLE_WORDS and len(words) > 0:
            start = found.start() + (words[1][0] if len(words) > 1 else len(found[0]))
            words, opens = words[1:], False
            if words:
                words = [(at, word) for at, word in words]
        while words and words[0][1] in ("of", "de", "la", "le", "du", "von", "van"):
            start = found.start() + (words[1][0] if len(words) > 1 else len(found[0]))
            words = words[1:]
        if start < end and words and any(word not in TITLE_WORDS for _, word in words):
            yield start, end, opens


def count_names(text: str) -> dict[str, dict[str, int]]:
    """Return how often each run stands inside a sentence, at its beginning, speaking, as a place."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in ("inside", "opening", "said", "place")}
    for start, end, opens in runs(text):
        name = plain_name(text[start:end])
        counts["opening" if opens else "inside"][name] += 1
        before, after = text[max(0, start - 24) : start], text[end : end + 24]
        if _SAID.search(before) or _SAYS.match(after) or _VERB_AFTER.match(after):
            counts["said"][name] += 1
        if _PLACE_BEFORE.search(before):
            counts["place"][name] += 1
    words = Counter(re.findall(r"\b[a-z]{2,}\b", text))
    capital = {word.lower() for name in (*counts["inside"], *counts["opening"]) for word in name.split()}
    counts["lower"] = Counter({word: number for word, number in words.items() if word in capital})
    return {kind: dict(rows) for kind, rows in counts.items()}


def select_names(chapters: Iterable[dict[str, dict[str, int]]]) -> dict[str, tuple[int, str]]:
    """Return the names of a story: how often each stands and whether it is a person or a place."""
    total: dict[str, Counter[str]] = {}
    for counts in chapters:
        for kind, rows in counts.items():
            total.setdefault(kind, Counter()).update(rows)
    inside, opening = total.get("inside", Counter()), total.get("opening", Counter())
    said, place, lower = (total.get(kind, Counter()) for kind in ("said", "place", "lower"))
    found: dict[str, tuple[int, str]] = {}
    for name in {*inside, *opening}:
        number = inside[name] + opening[name]
        single = " " not in name
        if single and (name in _NOT_NAMES or lower[name.lower()] > number):
            continue
        if not (inside[name] or said[name]) or (number < _LEAST and single):
            continue
        words = name.split()
        is_place = words[-1] in _PLACES or (place[name] > 0.5 * number and said[name] < 0.1 * number)
        titled = words[0] in TITLE_WORDS
        found[name] = (number, "place" if is_place and not titled else "person")
    return found


def plain_name(text: str) -> str:
    """Return a name with single blanks and without a possessive."""
    return re.sub(r"['’]s?$", "", " ".join(text.split()))


def split_title(name: str) -> tuple[str, str]:
    """Return the title and the rest of a name."""
    words = name.split()
    cut = 0
    while cut < len(words) - 1 and words[cut] in TITLE_WORDS:
        cut += 1
    return " ".join(words[:cut]), " ".join(words[cut:])


def gender_of(name: str) -> str:
    """Return what the title or the first name says."""
    title, rest = split_title(name)
    for word in title.split():
        if word in _MALE | _FEMALE:
            return "male" if word in _MALE else "female"
    first = rest.split()[0].lower() if rest else ""
    if first in _WOMEN:
        return "female"
    return "male" if first in _MEN else "unknown"


@lru_cache(maxsize=1)
def _nicknames() -> dict[str, frozenset[str]]:
    known: dict[str, frozenset[str]] = {}
    for row in read_table(_TABLE, "knowledge"):
        if row[0] == "nickname":
            names = frozenset(row[1].split())
            for name in names:
                known[name] = known.get(name, frozenset()) | names
    return known


def nickname_of(first: str, other: str) -> bool:
    """Say whether two first names are forms of one: Elizabeth, Lizzy."""
    return other.lower() in _nicknames().get(first.lower(), frozenset())
