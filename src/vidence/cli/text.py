"""Text as the command line prints it; what makes it safe is shared with the other doors."""

from __future__ import annotations

from vidence.schema.printable import json_text, visible, visible_lines

__all__ = ["cut", "json_text", "visible", "visible_lines"]


def cut(text: str, max_chars: int) -> str:
    """Return the text on one line, of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= max_chars else f"{line[: max_chars - 1]}…"
