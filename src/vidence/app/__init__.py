"""The composition root: the one place where names become parts and parts become a workspace.

What `cli` (and later `web` and `mcp`) needs from the rooms below is offered here, since those
import `app`, `schema` and `errors` only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vidence.app.doctor import Check, examine, examine_engine
    from vidence.app.memory import MemoryBook, open_memory
    from vidence.app.models import fetch, list_models, models_to_fetch
    from vidence.app.workspace import Workspace, open_workspace
    from vidence.index.pipeline.stages import STAGES
    from vidence.ops import (
        COMPOSED,
        OPERATIONS,
        Operation,
        all_operations,
        gemini_schema,
        get_operation,
        openai_schema,
    )
    from vidence.ops.docs import operation_page
    from vidence.settings import Settings, load_settings

__all__ = [
    "COMPOSED",
    "OPERATIONS",
    "STAGES",
    "Check",
    "MemoryBook",
    "Operation",
    "Settings",
    "Workspace",
    "all_operations",
    "examine",
    "examine_engine",
    "fetch",
    "gemini_schema",
    "get_operation",
    "list_models",
    "load_settings",
    "models_to_fetch",
    "open_memory",
    "open_workspace",
    "openai_schema",
    "operation_page",
]

_HOMES = {
    "Check": "app.doctor",
    "MemoryBook": "app.memory",
    "STAGES": "index.pipeline.stages",
    "Settings": "settings",
    "Workspace": "app.workspace",
    "examine": "app.doctor",
    "examine_engine": "app.doctor",
    "fetch": "app.models",
    "list_models": "app.models",
    "load_settings": "settings",
    "models_to_fetch": "app.models",
    "open_memory": "app.memory",
    "open_workspace": "app.workspace",
    "operation_page": "ops.docs",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a part when it is first used, so that `vidence list` does not wait for the models."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"vidence.{_HOMES.get(name, 'ops')}"), name)
