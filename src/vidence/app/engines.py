"""The engine a question goes to: the embedded one, or a language model by its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vidence.agents.embedded.skills import embedded_skills
from vidence.app.workspace import Workspace
from vidence.llm.embedded import EmbeddedEngine
from vidence.llm.protocol import Engine

__all__ = ["embedded_engine", "open_engine"]


def open_engine(workspace: Workspace, name: str | None = None) -> Engine:
    """Return the engine called `name`; the settings' own when none is named."""
    return embedded_engine(workspace)


def embedded_engine(workspace: Workspace) -> EmbeddedEngine:
    """Return the engine that needs no language model; its text model is loaded when first used."""

    def embed(texts: Sequence[str]) -> Any:
        return workspace.indexer.shelf.text.embed(texts)

    return EmbeddedEngine(embedded_skills(embed))
