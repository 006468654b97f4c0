"""The closed vocabulary of conditions and aggregates, and the free text that is mapped onto it.

A condition is `{"contains": [text, part]}`, `{"compares": [a, ">=", b]}`, `{"exists": x}`, `{"not": c}`,
`{"all": [...]}` or `{"any": [...]}`. An aggregate is a list of stages such as
`[{"op": "filter", "matches": "{{event}}"}, {"op": "count"}]`. Text that says the same in words is translated;
anything else is refused with the choices.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from vidence.errors import BadTool
from vidence.language.forms import singular
from vidence.language.tables import read_table

__all__ = [
    "COMPARISONS",
    "STAGES",
    "All",
    "AnyOf",
    "Compares",
    "Condition",
    "Contains",
    "Exists",
    "Not",
    "Reduction",
    "read_aggregate",
    "read_condition",
]

STAGES = (
    "count", "filter", "first", "last", "min", "max", "sort", "unique", "any", "all", "sum", "mean", "group",
)  # fmt: skip
COMPARISONS = ("==", "!=", ">=", "<=", ">", "<")
_MAX_PARTS = 20
_OPERATOR = re.compile(r"\s*(==|!=|>=|<=|>|<)\s*|\s+(not\s+in|in|contains|是|等于|包含|大于|小于)\s+")
_JOINED = re.compile(r"\s+(and|or)\s+|\s*(且|或)\s*")
_SPOKEN = {"是": "==", "等于": "==", "大于": ">", "小于": "<"}
_WORD = re.compile(r"[a-z_]+(?:\{\{index\}\})?|[\u4e00-\u9fff]+", re.IGNORECASE)


@dataclass(frozen=True)
class Contains:
    """The words of `part` stand in `whole`, or `part` is an item of the list `whole`."""

    whole: Any
    part: Any


@dataclass(frozen=True)
class Compares:
    """Two values compare as the operator says."""

    left: Any
    operator: str
    right: Any


@dataclass(frozen=True)
class Exists:
    """A value is there and not empty."""

    value: Any


@dataclass(frozen=True)
class Not:
    """A condition does not hold."""

    inner: Condition


@dataclass(frozen=True)
class All:
    """Every condition holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """At least one condition holds."""

    parts: tuple[Condition, ...]


Condition = Contains | Compares | Exists | Not | All | AnyOf


@dataclass(frozen=True)
class Reduction:
    """One stage of an aggregate."""

    op: str
    by: str = ""
    """The field of an item that is compared, summed or grouped by."""
    where: Condition | None = None
    """The condition of a filter, any or all; `item` is the item."""
    matches: Any = None
    """A text that the words of an item must match, where there is no condition."""


def read_condition(value: Any, where: str) -> Condition:
    """Return the condition meant by an object or a text."""
    if isinstance(value, str):
        return _condition_text(value, where)
    if not isinstance(value, Mapping) or len(value) != 1:
        raise BadTool(f"{where}: a condition is one of contains, compares, exists, not, all, any.")
    (name, inner), *_ = value.items()
    if name == "exists":
        return Exists(inner)
    if name == "not":
        return Not(read_condition(inner, where))
    parts = inner if isinstance(inner, list) else []
    if name in ("all", "any") and 0 < len(parts) <= _MAX_PARTS:
        read = tuple(read_condition(one, where) for one in parts)
        return All(read) if name == "all" else AnyOf(read)
    if name == "contains" and len(parts) == 2:
        return Contains(parts[0], parts[1])
    if name == "compares" and len(parts) == 3 and parts[1] in COMPARISONS:
        return Compares(parts[0], parts[1], parts[2])
    raise BadTool(
        f"{where}: {name!r} cannot be read; write {{'contains': [whole, part]}}, "
        f"{{'compares': [a, op, b]}} with {' '.join(COMPARISONS)}, exists, not, all or any."
    )


def _condition_text(text: str, where: str) -> Condition:
    joined = [(found[1] or found[2]) for found in _JOINED.finditer(_masked(text))]
    if joined:
        pieces = _split(text, _JOINED)
        if len(pieces) > _MAX_PARTS or len({_is_and(word) for word in joined}) > 1:
            raise BadTool(f"{where}: join conditions by 'and' or by 'or', not by both.")
        parts = tuple(_condition_text(piece, where) for piece in pieces)
        return All(parts) if _is_and(joined[0]) else AnyOf(parts)
    operators = [found[1] or found[2] for found in _OPERATOR.finditer(_masked(text))]
    sides = _split(text, _OPERATOR)
    if not operators and text.strip().startswith("{{") and text.strip().endswith("}}"):
        return Exists(text.strip())
    if len(operators) != 1 or len(sides) != 2 or not all(side.strip() for side in sides):
        raise BadTool(
            f"{where}: {text[:60]!r} cannot be read; write 'A in B', 'A == B', 'A >= 0.5', or join "
            "such conditions by 'and' or 'or'."
        )
    left, right = (_literal(side) for side in sides)
    operator = re.sub(r"\s+", " ", operators[0].lower())
    if operator in ("in", "not in"):
        found = Contains(right, left)
        return Not(found) if operator == "not in" else found
    if operator in ("contains", "包含"):
        return Contains(left, right)
    return Compares(left, _SPOKEN.get(operator, operator), right)


def _is_and(word: str) -> bool:
    return word in ("and", "且")


def _masked(text: str) -> str:
    """Return the text with templates and quotations blanked out, so that words in them join nothing."""
    return re.sub(
        r"\{\{[^{}]*\}\}|\"[^\"]*\"|'[^']*'", lambda found: "x" * len(found[0]), text, flags=re.DOTALL
    )


def _split(text: str, pattern: re.Pattern[str]) -> list[str]:
    places = [(found.start(), found.end()) for found in pattern.finditer(_masked(text))]
    starts = [0, *(end for _, end in places)]
    ends = [*(start for start, _ in places), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _literal(text: str) -> Any:
    bare = text.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'":
        return bare[1:-1]
    if bare.lower() in ("true", "false"):
        return bare.lower() == "true"
    return float(bare) if re.fullmatch(r"-?\d{1,9}(?:\.\d{1,6})?", bare) else bare


def read_aggregate(
    value: Any, where: str, *, collections: Collection[str], fields: Collection[str], texts: Sequence[str]
) -> tuple[tuple[Reduction, ...], str]:
    """Return the stages meant by an aggregate, and the list it names in words ("" where it names none).

    `collections` are the lists saved so far, `fields` the fields of their items, `texts` the names of the
    tool's text inputs, which "matching" refers to.
    """
    if isinstance(value, str):
        return _aggregate_text(value, where, collections, fields, texts)
    listed = value if isinstance(value, list) else [value]
    if not 0 < len(listed) <= _MAX_PARTS:
        raise _refused(where, "the list of stages")
    return tuple(_stage(one, where) for one in listed), ""


def _stage(value: Any, where: str) -> Reduction:
    data = {"op": value} if isinstance(value, str) else value
    if not isinstance(data, Mapping) or data.get("op") not in STAGES:
        raise _refused(where, repr(value)[:60])
    unknown = set(data) - {"op", "by", "where", "matches"}
    by = data.get("by", "")
    if unknown or not isinstance(by, str):
        raise BadTool(f"{where}: a stage has op, by (a field), where (a condition) or matches (a text).")
    op = str(data["op"])
    condition = read_condition(data["where"], where) if "where" in data else None
    if op == "filter" and condition is None and "matches" not in data:
        raise BadTool(f"{where}: filter needs where (a condition) or matches (a text).")
    if op in ("min", "max", "sum", "mean", "group") and not by:
        raise BadTool(f"{where}: {op} needs by, the field of an item.")
    return Reduction(op, by, condition, data.get("matches"))


def _aggregate_text(
    text: str, where: str, collections: Collection[str], fields: Collection[str], texts: Sequence[str]
) -> tuple[tuple[Reduction, ...], str]:
    """Translate words such as "filter and count matching activities"; every word must be known."""
    stages: list[Reduction] = []
    named = ""
    verbs = _verbs()
    by = next((word for word in _words(text) if word in fields), "")
    for word in _words(text):
        op = verbs.get(word) or verbs.get(singular(word))
        if op == "-" or word == by:
            continue
        if op == "matching" or op == "filter":
            if not any(one.op == "filter" for one in stages):
                # What is counted is filtered first, in whatever order the words stand.
                stages.insert(0, Reduction("filter", matches=[f"{{{{{name}}}}}" for name in texts]))
        elif op:
            if all(one.op != op for one in stages):
                stages.append(Reduction(op, by=by if op not in ("count", "first", "last", "unique") else ""))
        elif found := _collection(word, collections):
            named = found
        else:
            raise _refused(where, repr(word))
    if not stages:
        raise _refused(where, repr(text[:60]))
    if any(one.op == "filter" for one in stages) and not texts:
        raise BadTool(f"{where}: there is no text input that an item could match.")
    for one in stages:
        if one.op in ("min", "max", "sum", "mean", "group") and not one.by:
            raise BadTool(f"{where}: {one.op} of which field? Name one of {', '.join(sorted(fields))}.")
    return tuple(stages), named


@cache
def _verbs() -> Mapping[str, str]:
    return dict(read_table("aggregate_words.tsv", room="tools"))


def _words(text: str) -> list[str]:
    """Return the words of a text; a Chinese run is cut at the words of the vocabulary."""
    known = "|".join(sorted((re.escape(word) for word in _verbs()), key=len, reverse=True))
    found: list[str] = []
    for word in _WORD.findall(text.lower()):
        is_han = "\u4e00" <= word[0] <= "\u9fff"
        found += [part for part in re.split(f"({known})", word) if part] if is_han else [word]
    return found


def _collection(word: str, collections: Collection[str]) -> str:
    """Return the saved list that a word names: activities → activity, candidates → candidates."""
    return next(
        (name for name in collections if name in (word, singular(word)) or singular(name) == word), ""
    )


def _refused(where: str, what: str) -> BadTool:
    return BadTool(
        f"{where}: {what} is not understood in an aggregate; use {', '.join(STAGES)}, "
        "a saved list, a field of its items, or 'matching'."
    )
