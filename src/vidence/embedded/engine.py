"""The embedded engine by name, `create_llm_engine("embedded")`: with all its skills and the text model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from vidence.embedded.skills import embedded_skills
from vidence.llm.embedded import EmbeddedEngine, Skill
from vidence.llm.options import CommonOptions, EngineRequest, read_options
from vidence.models.shelf import ModelShelf
from vidence.settings import load_settings

__all__ = ["EmbeddedOptions", "build"]


class EmbeddedOptions(CommonOptions):
    """The options of language models, which change nothing here, and skills instead of vidence's own."""

    skills: Mapping[str, Skill] | None = None


def build(request: EngineRequest) -> EmbeddedEngine:
    """Make an embedded engine."""
    options = read_options(request, EmbeddedOptions)
    return EmbeddedEngine(options.skills or embedded_skills(_embed), name=request.name)


def _embed(texts: Sequence[str]) -> Any:
    return _shelf().text.embed(texts)


@cache
def _shelf() -> ModelShelf:
    """Return the models that the user's settings choose, opened when first used."""
    return ModelShelf.of(load_settings())
