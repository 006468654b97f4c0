"""The note of a detect_objects result: which parts of the query could not be checked."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.language.categories import categories
from vidence.language.identify import has_han
from vidence.language.numbers import number_value
from vidence.language.objects import ObjectQuery, resolve_asked
from vidence.queries.objects.match import Measured, can_tell
from vidence.queries.objects.open_names import listed_names

__all__ = ["looked_for", "query_note"]

_NAMED = 3


def looked_for(query: ObjectQuery) -> str | None:
    """Return a note on names that have no detector category; None if there are none."""
    strange = [name for name in listed_names(query.text) if resolve_asked(name) is None]
    if not strange:
        return None
    more = len(strange) > _NAMED
    if has_han(query.text):
        words = "、".join(f"“{name}”" for name in strange[:_NAMED]) + ("等" if more else "")
        return f"检测器没有{words}这样的类别：是逐块辨认画面找到的，位置只是大概。"
    words = ", ".join(repr(name) for name in strange[:_NAMED]) + (", …" if more else "")
    return (
        f"The detector has no category for {words}: "
        "looked for by naming parts of the picture, so places are rough."
    )


def query_note(query: ObjectQuery, things: Sequence[Measured], found: Sequence[Measured]) -> str | None:
    """Return a note on unchecked words, on objects whose attributes were not visible, and on wrong counts.

    Args:
        things: all objects of the queried categories.
        found: the objects that are returned.
    """
    chinese = has_han(query.text)
    notes = [
        _unchecked(query, found, chinese=chinese),
        _untold(query, things, chinese=chinese),
        _miscounted(query, found, chinese=chinese),
    ]
    return ("" if chinese else " ").join(note for note in notes if note) or None


def _unchecked(query: ObjectQuery, found: Sequence[Measured], *, chinese: bool) -> str | None:
    words = [word for word in query.unchecked if _number(word) is None]
    if not words or not found:
        return None
    kinds = sorted({thing.found.category for thing in found})
    if chinese:
        names = {category.name: category.chinese for category in categories().values()}
        told = "、".join(names.get(kind, kind) for kind in kinds)
        return f"{'、'.join(f'“{word}”' for word in words)}无法核实：列出的是符合其余条件的{told}。"
    told = ", ".join(repr(word) for word in words)
    kind = ", ".join(kinds)
    return f"Could not check {told}: the objects are of category {kind} and fit the rest of the query."


def _untold(query: ObjectQuery, things: Sequence[Measured], *, chinese: bool) -> str | None:
    """Note how many objects could not be judged: legs behind a table hide the posture."""
    head = query.head.categories if query.head else frozenset()
    asked = (query, *query.denied)
    hidden = [
        thing
        for thing in things
        if thing.found.category in head and not all(can_tell(one, thing) for one in asked)
    ]
    if not hidden:
        return None
    what = _hidden_part(query, chinese=chinese)
    if chinese:
        return f"有 {len(hidden)} 个看不出{what}，未列出。"
    return f"The {what} of {len(hidden)} could not be told; left out."


def _hidden_part(query: ObjectQuery, *, chinese: bool) -> str:
    if any(one.postures for one in (query, *query.denied)):
        return "姿势" if chinese else "posture"
    return "颜色" if chinese else "colour"


def _miscounted(query: ObjectQuery, found: Sequence[Measured], *, chinese: bool) -> str | None:
    counts = [count for word in query.unchecked if (count := _number(word)) is not None]
    if not counts or not found or len(found) == counts[0]:
        return None
    if chinese:
        return f"符合的有 {len(found)} 个，而不是 {counts[0]} 个。"
    return f"{len(found)} fit, not {counts[0]}."


def _number(word: str) -> int | None:
    return number_value(word.lower())
