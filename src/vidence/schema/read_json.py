"""JSON from outside: whatever is wrong with it is a ValueError, also a million brackets."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["load_json"]


def load_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; ValueError for a broken one and for one nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
