"""Passing on a Solver's thinking as it arrives, without the JSON that follows it."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["ThoughtStream"]

_BLOCK_BEGINS = ("```", "{")


class ThoughtStream:
    """Hands on pieces of a reply until its JSON block begins."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._held = ""
        self._done = False

    def __call__(self, piece: str) -> None:
        """Take the next piece; what may be the beginning of a fence is held back until it is known."""
        if self._done:
            return
        text = self._held + piece
        ends = [place for mark in _BLOCK_BEGINS if (place := text.find(mark)) >= 0]
        if ends:
            self._done = True
            text, self._held = text[: min(ends)], ""
        else:
            kept = len(text.rstrip("`"))
            text, self._held = text[:kept], text[kept:]
        if text:
            self._tell(text)
