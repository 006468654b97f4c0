"""The templates one run speaks with, each loaded once and noted for the trace."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from vidence.prompts import Template, TemplateUse, load_template
from vidence.schema.agent import AnswerLanguage

__all__ = ["LoadTemplate", "Wording"]

LoadTemplate = Callable[[str, str], Template]
"""A template by its id and language."""


class Wording:
    """Fills templates in one language and remembers which texts were used."""

    def __init__(
        self, language: AnswerLanguage, *, overrides: Path | None = None, load: LoadTemplate | None = None
    ) -> None:
        self.language = language
        self._load = load or partial(load_template, overrides=overrides)
        self._loaded: dict[str, Template] = {}

    @property
    def templates(self) -> tuple[Template, ...]:
        """Every template filled so far, in order of first use."""
        return tuple(self._loaded.values())

    def fill(self, template_id: str, **values: str) -> str:
        """Return a template's words with its slots filled."""
        return self._template(template_id).fill(**values)

    def uses(self, *template_ids: str) -> tuple[TemplateUse, ...]:
        """Name templates to the byte."""
        return tuple(self._template(template_id).use for template_id in template_ids)

    def _template(self, template_id: str) -> Template:
        if template_id not in self._loaded:
            self._loaded[template_id] = self._load(template_id, self.language)
        return self._loaded[template_id]
