"""The tables of rules that ship with the index: tab-separated, one thing a line, `#` for comments."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

__all__ = ["read_table"]


def read_table(name: str) -> Iterator[list[str]]:
    """Yield the cells of each row of `index/data/NAME`."""
    text = (files("vidence.index") / "data" / name).read_text(encoding="utf-8")
    return (
        [cell.strip() for cell in line.split("\t")]
        for line in text.splitlines()
        if line.strip() and not line.startswith("#")
    )
