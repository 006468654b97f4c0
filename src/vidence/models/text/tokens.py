"""Open the tokenizer.json that travels with a text network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vidence.errors import BackendError, MissingExtra

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["open_tokenizer"]


def open_tokenizer(path: Path) -> Tokenizer:
    """Return the tokenizer stored at `path`."""
    try:
        from tokenizers import Tokenizer
    except ImportError as exc:
        raise MissingExtra("Reading a model's tokenizer", "models") from exc
    try:
        return Tokenizer.from_file(str(path))
    except Exception as exc:  # the tokenizers package raises a bare Exception
        raise BackendError(f"{path} is not a readable tokenizer: {exc}") from exc
