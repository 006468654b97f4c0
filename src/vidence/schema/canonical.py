"""Writing values so that equal values give equal bytes, and naming them by those bytes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

__all__ = ["canonical_json", "hash_of"]


def canonical_json(value: Any) -> str:
    """Write `value` so that equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def hash_of(value: Any) -> str:
    """Return the sha256 of the value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
