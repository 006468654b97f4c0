"""Conditions and aggregates at work: what holds, and what a list comes down to."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vidence.language.tokens import stems
from vidence.schema.evidence import canonical_json
from vidence.tools.templates import Absent, parse_path, read_path, render
from vidence.tools.words import All, AnyOf, Compares, Condition, Contains, Exists, Not, Reduction

__all__ = ["Matcher", "contains_words", "holds", "reduce_items", "texts_in"]

Matcher = Callable[[Sequence[str], str], bool]
"""Says whether one of some texts means what is wanted."""
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
}  # fmt: skip


def holds(condition: Condition, scope: Mapping[str, Any]) -> bool:
    """Say whether a condition holds; one about a value that is not there does not."""
    try:
        return _holds(condition, scope)
    except Absent:
        return False


def _holds(condition: Condition, scope: Mapping[str, Any]) -> bool:
    match condition:
        case Contains():
            return _contains(render(condition.whole, scope), render(condition.part, scope))
        case Compares():
            return _compares(
                render(condition.left, scope), condition.operator, render(condition.right, scope)
            )
        case Exists():
            return render(condition.value, scope) not in (None, "", [], {})
        case Not():
            return not holds(condition.inner, scope)
        case All():
            return all(holds(part, scope) for part in condition.parts)
        case AnyOf():
            return any(holds(part, scope) for part in condition.parts)


def contains_words(text: str, wanted: str) -> bool:
    """Say whether all content words of `wanted` stand in a text, in any form and order."""
    needed = set(stems(wanted))
    return bool(needed) and needed <= set(stems(text))


def _contains(whole: Any, part: Any) -> bool:
    if isinstance(whole, str) and isinstance(part, str):
        return contains_words(whole, part) or part.casefold() in whole.casefold()
    if isinstance(whole, list):
        return part in whole or (
            isinstance(part, str) and any(_contains(one, part) for one in texts_in(whole))
        )
    return isinstance(whole, Mapping) and any(_contains(one, str(part)) for one in texts_in(whole))


def _compares(left: Any, sign: str, right: Any) -> bool:
    if sign in ("==", "!="):
        return (left == right) is (sign == "==")
    numbers = [one for one in (left, right) if isinstance(one, int | float) and not isinstance(one, bool)]
    return len(numbers) == 2 and _COMPARE[sign](left, right)


def reduce_items(
    stages: Sequence[Reduction], items: Sequence[Any], scope: Mapping[str, Any], matcher: Matcher
) -> tuple[Any, list[Any]]:
    """Return what the stages make of a list, and the items that were left when it stopped being one."""
    value: Any = list(items)
    kept = list(items)
    for stage in stages:
        if not isinstance(value, list):
            break
        value = _stage(stage, value, scope, matcher)
        if isinstance(value, list):
            kept = value
    return value, kept


def _stage(stage: Reduction, items: list[Any], scope: Mapping[str, Any], matcher: Matcher) -> Any:
    match stage.op:
        case "filter":
            return [item for item in items if _keeps(stage, item, scope, matcher)]
        case "any" | "all":
            kept = [_keeps(stage, item, scope, matcher) for item in items]
            return any(kept) if stage.op == "any" else all(kept)
        case "count":
            return len(items)
        case "first" | "last":
            return (items[0] if stage.op == "first" else items[-1]) if items else None
        case "sort":
            return sorted(items, key=lambda item: _order(_value(item, stage.by)))
        case "min" | "max":
            ranked = sorted(items, key=lambda item: _order(_value(item, stage.by)))
            return (ranked[0] if stage.op == "min" else ranked[-1]) if ranked else None
        case "unique":
            return list({canonical_json(_value(item, stage.by)): item for item in reversed(items)}.values())[
                ::-1
            ]
        case "sum" | "mean":
            numbers = [one for item in items if isinstance(one := _value(item, stage.by), int | float)]
            total = float(sum(numbers))
            return total if stage.op == "sum" else (total / len(numbers) if numbers else None)
        case _:
            groups: dict[str, list[Any]] = {}
            for item in items:
                groups.setdefault(str(_value(item, stage.by)), []).append(item)
            return groups


def _keeps(stage: Reduction, item: Any, scope: Mapping[str, Any], matcher: Matcher) -> bool:
    if stage.where is not None:
        return holds(stage.where, {**scope, "item": item})
    if stage.matches is None:
        return bool(item)
    try:
        wanted = render(stage.matches, scope)
    except Absent:
        return False
    queries = wanted if isinstance(wanted, list) else [wanted]
    return all(matcher(texts_in(item), str(query)) for query in queries)


def texts_in(value: Any) -> list[str]:
    """Return every text inside a value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for inner in value.values() for text in texts_in(inner)]
    return [text for inner in value for text in texts_in(inner)] if isinstance(value, list) else []


def _value(item: Any, by: str) -> Any:
    if not by:
        return item
    try:
        return read_path(parse_path(f"item.{by}", ""), {"item": item})
    except Absent:
        return None


def _order(value: Any) -> tuple[bool, float, str]:
    """Return a key that orders numbers before texts and what is missing last."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return False, float(value), ""
    return value is None, float("inf"), str(value)
