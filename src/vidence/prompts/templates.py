"""Loading and filling templates: `{{name}}` is replaced, everything else stays as it is written."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path

from vidence.errors import SettingsError, UnknownName
from vidence.prompts.prompt import TemplateUse

__all__ = ["LoadTemplate", "Template", "Wording", "list_templates", "load_template"]

_SLOT = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_FALLBACK = "en"


@dataclass(frozen=True)
class Template:
    """A prompt's words in one language, with slots."""

    template_id: str
    language: str
    text: str

    @property
    def use(self) -> TemplateUse:
        """Name this very text, for the trace."""
        return TemplateUse(self.template_id, self.language, hashlib.sha256(self.text.encode()).hexdigest())

    @property
    def slots(self) -> frozenset[str]:
        return frozenset(_SLOT.findall(self.text))

    def fill(self, **values: str) -> str:
        """Replace every slot; values are inserted as they are and never filled again."""
        missing = self.slots - values.keys()
        if missing:
            raise SettingsError(
                f"Template {self.template_id!r} ({self.language}) has slots that nothing fills: "
                f"{_listed(missing)}. "
                f"It may use: {_listed(values)}."
            )
        return _SLOT.sub(lambda slot: values[slot.group(1)], self.text)


def load_template(template_id: str, language: str, *, overrides: Path | None = None) -> Template:
    """Return a template; a file `{language}/{template_id}.txt` in `overrides` replaces ours."""
    if overrides is not None:
        own = overrides / language / f"{template_id}.txt"
        if own.is_file():
            return Template(template_id, language, _read(own))
    shipped = _shipped()
    for candidate in (language, _FALLBACK):
        if (template_id, candidate) in shipped:
            return Template(template_id, candidate, shipped[template_id, candidate])
    raise UnknownName("prompt template", template_id, {name for name, _ in shipped})


def list_templates() -> Mapping[str, tuple[str, ...]]:
    """Return the shipped templates and the languages each is written in."""
    found: dict[str, list[str]] = {}
    for template_id, language in sorted(_shipped()):
        found.setdefault(template_id, []).append(language)
    return {template_id: tuple(languages) for template_id, languages in found.items()}


LoadTemplate = Callable[[str, str], Template]
"""Returns a template by its id and language."""


class Wording:
    """The templates of one run in one language: each is loaded once and noted for the trace."""

    def __init__(
        self, language: str, *, overrides: Path | None = None, load: LoadTemplate | None = None
    ) -> None:
        self.language = language
        self._load = load or partial(load_template, overrides=overrides)
        self._loaded: dict[str, Template] = {}

    @property
    def templates(self) -> tuple[Template, ...]:
        """Every template filled so far, in order of first use."""
        return tuple(self._loaded.values())

    def fill(self, template_id: str, **values: str) -> str:
        """Return a template's text with its slots filled."""
        return self._template(template_id).fill(**values)

    def uses(self, *template_ids: str) -> tuple[TemplateUse, ...]:
        """Return the exact version of each template."""
        return tuple(self._template(template_id).use for template_id in template_ids)

    def _template(self, template_id: str) -> Template:
        if template_id not in self._loaded:
            self._loaded[template_id] = self._load(template_id, self.language)
        return self._loaded[template_id]


@cache
def _shipped() -> dict[tuple[str, str], str]:
    found = {}
    for folder in files("vidence.prompts").joinpath("files").iterdir():
        for file in folder.iterdir():
            if file.name.endswith(".txt"):
                key = (file.name.removesuffix(".txt"), folder.name)
                found[key] = file.read_text(encoding="utf-8").strip()
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise SettingsError(f"The prompt template {path} cannot be read: {exc}") from exc


def _listed(names: Mapping[str, str] | frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
