"""Keeping keys out of what is written down."""

from __future__ import annotations

import os
import re
from functools import cache

__all__ = ["without_secrets"]

_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_LOOKS_SECRET = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\bAIza[0-9A-Za-z_-]{30,}|(?<=Bearer )[A-Za-z0-9._~+/-]{12,}=*"
)
_SHORTEST = 8
HIDDEN = "[hidden]"


def without_secrets(text: str) -> str:
    """Return `text` with every key of the environment, and whatever looks like one, hidden."""
    for secret in _secrets(_fingerprint()):
        text = text.replace(secret, HIDDEN)
    return _LOOKS_SECRET.sub(HIDDEN, text)


def _fingerprint() -> tuple[str, ...]:
    return tuple(
        value for name, value in os.environ.items() if _SECRET_NAME.search(name) and len(value) >= _SHORTEST
    )


@cache
def _secrets(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(values), key=len, reverse=True))
