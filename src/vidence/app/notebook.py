"""Live progress in a notebook: a line that changes while a run thinks, gone when the answer is there."""

from __future__ import annotations

import sys
import time
from typing import Any

from vidence.app import html
from vidence.app.narration import tell
from vidence.language.identify import question_language
from vidence.schema.events import Listener, RunFinished, RunStarted, StepEvent, Working

__all__ = ["live_listener"]

_EVERY_S = 0.2
_LINES = 6


def live_listener() -> Listener | None:
    """Return a listener that shows the latest steps under the running cell; None outside a notebook."""
    if not _in_notebook():
        return None
    from IPython.display import display

    show: Any = display
    return _Live(show({"text/html": "", "text/plain": ""}, raw=True, display_id=True))


class _Live:
    """Shows the last few steps, redrawn a few times a second."""

    def __init__(self, handle: Any) -> None:
        self._handle, self._lines = handle, list[str]()
        self._language, self._drawn_at = question_language(""), 0.0

    def __call__(self, event: StepEvent) -> None:
        if isinstance(event, RunStarted):
            self._language = question_language(event.question)
        if isinstance(event, RunFinished):
            self._draw([])
            return
        line = (
            f"{event.what} {event.progress:.0%}"
            if isinstance(event, Working)
            else tell(event, self._language)
        )
        if line:
            self._lines = [*self._lines[-_LINES + 1 :], line.strip()]
        if line and time.monotonic() - self._drawn_at >= _EVERY_S:
            self._draw(self._lines)

    def _draw(self, lines: list[str]) -> None:
        self._drawn_at = time.monotonic()
        shown = "".join(map(html.paragraph, lines))
        self._handle.update({"text/html": f"<div>{shown}</div>", "text/plain": "\n".join(lines)}, raw=True)


def _in_notebook() -> bool:
    # Asked for only where IPython runs already: importing it would take a second.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
