"""Text from outside, made safe to show: the one function that every terminal, page and report calls.

File names, speech, text on screen, pages and replies of models may hold terminal escapes (ESC, OSC, C1), line
breaks, and marks that reverse or hide text.
"""

from __future__ import annotations

import json
import re

__all__ = ["json_text", "visible", "visible_lines"]

_HIDING = (
    "\x7f-\x9f"  # DEL and the C1 controls, of which one byte can begin an escape sequence
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that reverse the order of letters
    "\u2028\u2029"  # separators that break lines
    "\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # invisible characters and tags
)
_UNPRINTABLE = re.compile(f"[\x00-\x1f{_HIDING}\ud800-\udfff]")
_UNPRINTABLE_LINES = re.compile(f"[\x00-\x08\x0b-\x1f{_HIDING}\ud800-\udfff]")
_IN_JSON = re.compile(f"[{_HIDING}\ud800-\udfff]")


def visible(text: object) -> str:
    """Return a text on one line; what breaks it, hides in it or steers a terminal becomes an escape."""
    return _UNPRINTABLE.sub(_escape, str(text))


def visible_lines(text: str) -> str:
    """Return a text of several lines in the same way; only its line breaks and tabs stay."""
    return _UNPRINTABLE_LINES.sub(_escape, text)


def json_text(value: object, *, indent: int | None = None) -> str:
    """Return JSON that any UTF-8 stream and any terminal accepts; it reads back as the same value."""
    return _IN_JSON.sub(_json_escape, json.dumps(value, ensure_ascii=False, indent=indent))


def _escape(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]


def _json_escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]
