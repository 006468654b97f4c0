"""Names for what the models report: the detector's categories, the labeller's labels, the kinds of sound."""

from __future__ import annotations

from functools import lru_cache

from vidence.index.narrate.facts import Heard, Name
from vidence.language.categories import categories
from vidence.language.forms import plural
from vidence.language.tables import read_table
from vidence.models.vision.imagenet import Group, Label

__all__ = [
    "category_kind",
    "category_name",
    "group_name",
    "groups_like",
    "label_name",
    "sound_name",
]


@lru_cache(maxsize=1)
def _categories() -> dict[str, tuple[Name, frozenset[str]]]:
    return {
        row[0]: (Name(*row[1:5]), frozenset(row[5].split(",")) - {"-"}) for row in read_table("things.tsv")
    }


@lru_cache(maxsize=1)
def _kinds() -> dict[str, str]:
    return {category.name: category.group for category in categories().values()}


@lru_cache(maxsize=1)
def _sounds() -> dict[str, Heard]:
    return {row[0]: Heard(row[1], row[2]) for row in read_table("sounds.tsv")}


def category_name(category: str) -> Name:
    """Return the name of one of the detector's categories."""
    known = _categories().get(category)
    return known[0] if known else Name(category, plural(category), category)


def category_kind(category: str) -> str:
    """Return the kind of a category: animal, vehicle, furniture, …"""
    return _kinds().get(category, "thing")


def groups_like(category: str) -> frozenset[str]:
    """Return the labeller's groups that mean the same as a category."""
    known = _categories().get(category)
    return known[1] if known else frozenset()


def label_name(label: Label) -> Name:
    """Return the name of one of the labeller's labels."""
    # Breeds and the like are proper names; all other labels are in lower case.
    return Name(label.name, plural(label.name), label.chinese, label.group.measure)


def group_name(group: Group) -> Name:
    """Return the name of a group of labels."""
    return Name(group.name, plural(group.name), group.chinese, group.measure)


def sound_name(event_type: str, description: str = "") -> Heard:
    """Return the name of a sound; the finer one where it is known."""
    known = _sounds()
    plain = event_type.replace("_", " ")
    return known.get(description) or known.get(event_type) or Heard(f"the sound of {plain}", f"“{plain}”声")
