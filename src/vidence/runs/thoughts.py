"""The thoughts of an engine as they arrive: the text of a reply before its JSON block."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["ThoughtStream"]


class ThoughtStream:
    """Passes on the pieces of a reply until its JSON block begins."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._held = ""
        self._done = False
        self.failure: Exception | None = None
        """What the listener raised, which is not the engine's fault."""

    def __call__(self, piece: str) -> None:
        """Take the next piece; what may be the beginning of a fence is held back until it is known."""
        if self._done:
            return
        text = self._held + piece
        ends = [place for mark in ("```", "{") if (place := text.find(mark)) >= 0]
        if ends:
            self._done = True
            text, self._held = text[: min(ends)], ""
        else:
            kept = len(text.rstrip("`"))
            text, self._held = text[:kept], text[kept:]
        if text:
            try:
                self._tell(text)
            except Exception as exc:
                self.failure = exc
                raise
