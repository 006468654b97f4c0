"""The composition root: the one place where names become parts and parts become a workspace."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vidence.app.benchmarks import BENCHMARKS
    from vidence.app.doctor import Check, examine
    from vidence.app.memory import open_memory
    from vidence.app.models import fetch, list_models, models_to_fetch
    from vidence.app.workspace import Workspace, open_workspace

__all__ = [
    "BENCHMARKS",
    "Check",
    "Workspace",
    "examine",
    "fetch",
    "list_models",
    "models_to_fetch",
    "open_memory",
    "open_workspace",
]

_HOMES = {
    "BENCHMARKS": "benchmarks",
    "Check": "doctor",
    "Workspace": "workspace",
    "examine": "doctor",
    "fetch": "models",
    "list_models": "models",
    "models_to_fetch": "models",
    "open_memory": "memory",
    "open_workspace": "workspace",
}


def __getattr__(name: str) -> object:
    """Import a part when it is first asked for, so that `vidence list` does not wait for the doctor."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
