"""Makes text from outside safe to print: a file name may hold any character but a slash."""

from __future__ import annotations

import json
import unicodedata

__all__ = ["cut", "json_text", "visible"]

# Control characters, bytes that are not UTF-8, and separators that break lines.
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")


def visible(text: object) -> str:
    """Return the text on one line, with line breaks and terminal escapes made visible."""
    return "".join(
        ascii(char)[1:-1] if unicodedata.category(char) in _UNPRINTABLE else char for char in str(text)
    )


def cut(text: str, max_chars: int) -> str:
    """Return the text on one line, of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= max_chars else f"{line[: max_chars - 1]}…"


def json_text(value: object, *, indent: int | None = None) -> str:
    """Return JSON that any UTF-8 stream accepts: bytes that are not UTF-8 are escaped."""
    return json.dumps(value, ensure_ascii=False, indent=indent).encode(errors="backslashreplace").decode()
