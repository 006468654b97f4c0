"""Precision, recall and speed, as every benchmark prints them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

__all__ = ["Counts", "Timing", "output", "print_json", "print_table", "ratio"]

Cell = str | int | float | None
_WIDE = 160


@dataclass(frozen=True)
class Counts:
    """Hits, false alarms and misses."""

    hits: int = 0
    false_alarms: int = 0
    misses: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.hits + other.hits, self.false_alarms + other.false_alarms, self.misses + other.misses
        )

    @property
    def precision(self) -> float:
        """Share of the finds that are right; 1 when nothing was found."""
        return ratio(self.hits, self.hits + self.false_alarms)

    @property
    def recall(self) -> float:
        """Share of the truth that was found; 1 when there was nothing to find."""
        return ratio(self.hits, self.hits + self.misses)

    @property
    def f1(self) -> float:
        """The harmonic mean of both; 1 when there was nothing to find and nothing was."""
        return ratio(2 * self.hits, 2 * self.hits + self.false_alarms + self.misses)


@dataclass(frozen=True)
class Timing:
    """The time that processing some video took."""

    video_s: float = 0.0
    wall_s: float = 0.0
    cpu_s: float = 0.0

    def __add__(self, other: Timing) -> Timing:
        return Timing(self.video_s + other.video_s, self.wall_s + other.wall_s, self.cpu_s + other.cpu_s)

    @property
    def times_real_time(self) -> float:
        return ratio(self.video_s, self.wall_s)

    @property
    def times_real_time_per_core(self) -> float:
        """Speed by processor time: what one core alone would reach on an idle machine."""
        return ratio(self.video_s, self.cpu_s)


def ratio(part: float, whole: float) -> float:
    """Return part / whole, and 1 where whole is 0."""
    return part / whole if whole else 1.0


def output() -> Console:
    """Return where figures are printed: as wide as the terminal, else wide enough for every table."""
    return Console(width=None if sys.stdout.isatty() else _WIDE)


def print_table(
    console: Console, title: str, headings: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> None:
    """Print rows under headings: words to the left, numbers to the right."""
    table = Table(title=title, title_justify="left", box=None, header_style="dim", padding=(0, 2, 0, 0))
    for column, heading in enumerate(headings):
        words = any(isinstance(row[column], str) for row in rows)
        table.add_column(heading, justify="left" if words else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(_text(cell) for cell in row))
    console.print(table)
    console.print()


def print_json(console: Console, value: object) -> None:
    """Print a value as JSON and nothing else."""
    console.file.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _text(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.3f}" if cell <= 1 else f"{cell:.1f}"
    return str(cell)
