"""Results to stdout, progress and notes to stderr; rich in a terminal, plain and silent in a pipe."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec

import click
from rich.console import (
    Console,
    ConsoleOptions,
    ConsoleRenderable,
    JustifyMethod,
    RenderableType,
    RenderHook,
    RenderResult,
)
from rich.control import Control
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from vidence.app import Settings, Workspace, load_settings, open_workspace
from vidence.cli.interrupt import stops_at_interrupt
from vidence.cli.options import GlobalOptions
from vidence.cli.text import json_text, visible, visible_lines

__all__ = ["Terminal", "pass_terminal"]

P = ParamSpec("P")

_PIPE_WIDTH = 10_000
"""Columns when the output is not a terminal, so that no row is wrapped or cut."""
_OWN_INTERRUPT = frozenset({"chat", "serve", "mcp"})
"""Commands that go on after Ctrl-C, or end in their own way."""
_WHOLE = 10_000
"""Steps of a progress bar."""


class Terminal:
    """The two consoles of a run, and its workspace."""

    def __init__(self, options: GlobalOptions) -> None:
        self._home = options.home
        self.quiet = options.quiet
        self.out = Console(
            width=None if sys.stdout.isatty() else _PIPE_WIDTH, highlight=False, soft_wrap=False
        )
        self.err = Console(stderr=True, highlight=False)
        for console in (self.out, self.err):
            console.push_render_hook(_Neutralising())

    def settings(self) -> Settings:
        """Read the settings; the command line overrides them."""
        return load_settings(home=self._home)

    def workspace(self, *, must_keep: bool = True) -> Workspace:
        """Open the workspace of this run; a command that only asks works on a full disk, too."""
        return open_workspace(self.settings(), must_keep=must_keep)

    def json(self, value: Any) -> None:
        """Print `value` as JSON and nothing else."""
        sys.stdout.write(json_text(value, indent=2) + "\n")

    @staticmethod
    def event(value: Any) -> None:
        """Print `value` as one line of JSON, at once, for a program that follows."""
        sys.stdout.write(json_text(value) + "\n")
        sys.stdout.flush()

    def document(self, text: str) -> None:
        """Print a whole document as it stands, but for what would steer a terminal."""
        sys.stdout.write(visible_lines(text))

    def line(self, text: str) -> None:
        """Print one line of the result, unwrapped and with control characters escaped."""
        self.out.print(Text(visible(text)), soft_wrap=True)

    def show(self, renderable: RenderableType) -> None:
        """Print a table or a page; in a pipe, without trailing blanks."""
        if self.out.is_terminal:
            self.out.print(renderable)
            return
        with self.out.capture() as captured:
            self.out.print(renderable)
        sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))

    def table(
        self,
        headings: Sequence[str],
        rows: Iterable[Sequence[object]],
        *,
        right: Sequence[str] = (),
        fold: Sequence[str] = (),
    ) -> None:
        """Print rows of plain text; name the columns to justify right and those to fold (else the last)."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        for heading in headings:
            justify: JustifyMethod = "right" if heading in right else "left"
            whole = heading not in (fold or headings[-1:])
            table.add_column(heading, justify=justify, no_wrap=whole, overflow="fold")
        for row in rows:
            table.add_row(*(Text(visible(cell)) for cell in row))
        self.show(table)

    def note(self, message: str) -> None:
        """Print a note on stderr."""
        if not self.quiet:
            self.err.print(Text(visible(message), style="dim"), soft_wrap=True)

    def error(self, message: str) -> None:
        """Print an error on stderr, on one line."""
        self.err.print(Text.assemble(("error:", "red"), " ", visible(message)), soft_wrap=True)

    @contextmanager
    def progress(self, label: str = "") -> Iterator[Callable[[str, float], None]]:
        """Show a bar per task while the block runs; nothing at all without a terminal."""
        prefix = escape(visible(f"{label}: ")) if label else ""
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeRemainingColumn(),
        )
        bars = Progress(
            *columns, console=self.err, transient=True, disable=self.quiet or not self.err.is_terminal
        )
        tasks: dict[str, TaskID] = {}

        def report(task: str, fraction: float) -> None:
            if task not in tasks:
                # Work done before this run must not count as speed.
                tasks[task] = bars.add_task(
                    f"{prefix}{escape(task)}", total=_WHOLE, completed=round(fraction * _WHOLE)
                )
            bars.update(tasks[task], completed=round(fraction * _WHOLE))

        with bars:
            yield report


def pass_terminal(command: Callable[Concatenate[Terminal, P], None]) -> Callable[P, None]:
    """Give a command the terminal of its run as its first argument."""

    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        options = click.get_current_context().find_object(GlobalOptions) or GlobalOptions()
        terminal = Terminal(options)
        name = click.get_current_context().info_name
        own = nullcontext() if name in _OWN_INTERRUPT else stops_at_interrupt(terminal.note)
        with _heard_by(terminal), own:
            command(terminal, *args, **kwargs)

    return update_wrapper(run, command)


class _Neutralising(RenderHook):
    """Neutralises everything a console prints, whichever way it was put together; only styles are left."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [one if isinstance(one, Control) else _Neutral(one) for one in renderables]


class _Neutral:
    """Something to print, without what would steer a terminal."""

    def __init__(self, inner: ConsoleRenderable) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for one in console.render(self._inner, options):
            yield one if one.control else Segment(visible_lines(one.text), one.style)


class _Notes(logging.Handler):
    """Prints the library's warnings as notes, so that they do not break a progress bar."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(logging.WARNING)
        self._terminal = terminal

    def emit(self, record: logging.LogRecord) -> None:
        self._terminal.note(f"note: {record.getMessage()}")


@contextmanager
def _heard_by(terminal: Terminal) -> Iterator[None]:
    logger, notes = logging.getLogger("vidence"), _Notes(terminal)
    logger.addHandler(notes)
    try:
        yield
    finally:
        logger.removeHandler(notes)
