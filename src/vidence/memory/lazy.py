"""A list whose items may still lie on disk; each is read when it is first wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

__all__ = ["Lazy"]

T = TypeVar("T")


class Lazy(Generic[T]):
    """Items in order; the first `size` of them come from `load` on demand."""

    def __init__(self, load: Callable[[int], T] | None = None, size: int = 0) -> None:
        self._load = load
        self._items: list[T | None] = [None] * size

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, place: int) -> T:
        item = self._items[place]
        if item is None:
            assert self._load is not None
            item = self._items[place] = self._load(int(place))
        return item

    def __setitem__(self, place: int, item: T) -> None:
        self._items[place] = item

    def __iter__(self) -> Iterator[T]:
        return (self[place] for place in range(len(self)))

    def append(self, item: T) -> None:
        """Add an item that is at hand."""
        self._items.append(item)
