"""Names of actions, and families of them: what people call one thing and the model splits into many."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from vidence.language.tables import read_table
from vidence.schema.agent import AnswerLanguage

__all__ = ["ActionFamily", "action_families", "action_in"]


@dataclass(frozen=True)
class ActionFamily:
    """One family: dancing, with the eighteen dances that the model knows."""

    name: str
    """As an activity's label: `playing_an_instrument`."""
    english: str
    chinese: str
    labels: frozenset[str]
    """The model's labels that belong to it."""


@lru_cache(maxsize=1)
def action_families() -> tuple[ActionFamily, ...]:
    """Return the families, the smallest first; a label may belong to several."""
    found = (
        ActionFamily(name, english, chinese, frozenset(labels.split(",")))
        for name, english, chinese, labels in read_table("action_families.tsv")
    )
    return tuple(sorted(found, key=lambda family: len(family.labels)))


def action_in(text: str, language: AnswerLanguage) -> str | None:
    """Return the longest name of an action that a sentence of ours contains."""
    return max((name for name in _names(language) if name in text), key=len, default=None)


@lru_cache(maxsize=2)
def _names(language: AnswerLanguage) -> frozenset[str]:
    """Return the names that captions and notes give to actions."""
    column = 0 if language == "en" else 1
    spoken = {row[0]: row[1] for row in read_table("action_names.tsv")}
    named = [(spoken.get(row[0], row[0]), row[1]) for row in read_table("kinetics400.tsv")]
    named += [(one.english, one.chinese) for one in action_families()]
    named += [(row[2], row[3]) for row in read_table("scene_names.tsv") if row[0] == "event"]
    return frozenset(pair[column] for pair in named)
