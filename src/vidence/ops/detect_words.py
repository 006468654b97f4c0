"""Which of the user's own detectors understands the words of a query, and in what words."""

from __future__ import annotations

from vidence.language.object_phrase import ObjectQuery, english_query
from vidence.models.catalogue import DEFAULTS
from vidence.models.shelf import ModelShelf
from vidence.queries.objects.open_names import listed_names

__all__ = ["open_words", "own_category", "own_names"]


def own_names(shelf: ModelShelf) -> list[str]:
    """Return the categories of a detector of the user's; none for the embedded one, which has rules."""
    return [] if shelf.name("objects") == DEFAULTS["objects"] else list(shelf.detector.categories)


def own_category(text: str, shelf: ModelShelf) -> frozenset[str] | None:
    """Return the category of that name where a detector of the user's has it; None otherwise."""
    wanted = [name.lower() for name in listed_names(text)]
    return frozenset(name for name in own_names(shelf) if [name.lower()] == wanted) or None


def open_words(query: ObjectQuery, shelf: ModelShelf) -> str | None:
    """Return the query in words the open-vocabulary detector has; None without one, or where it has none."""
    if not shelf.has("open_objects"):
        return None
    detector, [asked] = shelf.open_detector, listed_names(query.text)[:1] or [query.text]
    vocabulary: frozenset[str] | None = getattr(detector, "vocabulary", None)
    if vocabulary is not None:
        named = query.head.categories if query.head and not _asks_more(query) else ()
        return next(
            (word for word in (asked.lower(), query.text.lower(), *named) if word in vocabulary), None
        )
    if query.text.isascii() or not getattr(detector, "is_english_only", False):
        return query.text
    return english_query(query)


def _asks_more(query: ObjectQuery) -> bool:
    """Say whether more is asked than what kind of thing it is."""
    head = query.head
    rest = (query.companions, query.garments, query.positions, query.extremes, query.sizes, query.postures)
    return any(rest) or any((query.tops, query.denied, query.unchecked)) or bool(head and head.colours)
