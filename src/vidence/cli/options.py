"""The options every command shares; kept apart so that `--help` loads nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["KEPT", "GlobalOptions"]

KEPT = "what was finished is kept. Run the same command again to go on."
"""The message after a run was interrupted."""


@dataclass(frozen=True)
class GlobalOptions:
    """The options before the command's name."""

    home: Path | None = None
    quiet: bool = False
    debug: bool = False
