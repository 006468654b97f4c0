"""How surely a kind of place is told: by how often it was right on photographs."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from vidence.index.narrate.facts import Name
from vidence.language.phrases import phrase
from vidence.language.tables import read_table

__all__ = ["told_place"]

_Trust = Literal["sure", "perhaps", "side"]


def told_place(place: Name | None) -> Name | None:
    """Return what to say of a place: its name, its side and perhaps its name, or its side alone."""
    if place is None or place.en not in _places():
        return place
    trust, side = _places()[place.en]
    if trust == "sure":
        return place
    if trust == "side":
        return side
    english = phrase("place_perhaps", "en", place.en, side=side.en)
    chinese = phrase("place_perhaps", "zh", place.zh, side=side.zh)
    return Name(english, english, chinese)


@lru_cache(maxsize=1)
def _places() -> dict[str, tuple[_Trust, Name]]:
    """Return, by the English name of a place, how it is told and the name of its side."""
    rows = [row for row in read_table("scene_names.tsv") if row[0] == "place"]
    names = {label: Name(english, english, chinese) for _, label, english, chinese in rows}
    trusts: dict[str, _Trust] = {"sure": "sure", "perhaps": "perhaps", "side": "side"}
    return {
        names[label].en: (trusts[trust], names[label.split("_")[0]])
        for label, trust, *_ in read_table("place_trust.tsv")
    }
