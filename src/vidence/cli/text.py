"""Text that came from outside, made safe to print: a file's name may hold anything but a slash."""

from __future__ import annotations

import json
import unicodedata

__all__ = ["cut", "json_text", "visible"]

# Control characters, bytes that are no UTF-8, and the separators that break lines.
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")


def visible(text: object) -> str:
    """Return the text on one line, with line breaks and terminal escapes shown instead of obeyed."""
    return "".join(
        ascii(char)[1:-1] if unicodedata.category(char) in _UNPRINTABLE else char for char in str(text)
    )


def cut(text: str, max_chars: int) -> str:
    """Return the text on one line, of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= max_chars else f"{line[: max_chars - 1]}…"


def json_text(value: object, *, indent: int | None = None) -> str:
    """Write JSON that any UTF-8 stream takes: bytes of a name that are no UTF-8 stay as escapes."""
    return json.dumps(value, ensure_ascii=False, indent=indent).encode(errors="backslashreplace").decode()
