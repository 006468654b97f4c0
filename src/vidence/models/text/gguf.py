"""The file of a local language model, which `llm/local` runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vidence.models.context import ModelContext

__all__ = ["GgufFile", "build_qwen"]

_QWEN = "qwen2.5-coder-1.5b"


@dataclass(frozen=True)
class GgufFile:
    """A verified GGUF file and its model's name."""

    model_id: str
    path: Path


def build_qwen(context: ModelContext) -> GgufFile:
    """Join the parts of the small Qwen, the first time, and return the file."""
    return GgufFile(_QWEN, context.cache.path(_QWEN, "weights"))
