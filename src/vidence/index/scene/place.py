"""The place, light, time of day and weather of a scene, None where the evidence is weak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from vidence.index.scene.kind import UNTOLD, KindScores, MadeKind
from vidence.index.scene.likeness import SEEMS
from vidence.index.scene.pixels import PixelFacts
from vidence.language.tables import read_table
from vidence.schema.perception import Detection

__all__ = ["SceneEvidence", "Side", "lighting", "place", "side", "time_of_day", "weather"]

Side = Literal["indoor", "outdoor"]

_MIN_SIDE = 0.8
_MIN_PLACE = 0.8
_MIN_OBJECT = 0.35
_CLOTHS, _WHOLE = frozenset({"bed", "couch"}), 0.9
_PLAIN = 0.5
"""The least strength of a room's best sign: many weak ones are the labeller's guesses at one object."""
_GRAPHIC = 0.7
"""Share of one plain colour from which a picture is a slide or an empty screen, not a place."""
_BLACK, _DARK, _DIM = 0.03, 0.13, 0.30


@dataclass(frozen=True)
class SceneEvidence:
    """Evidence for a place: signs with their strength, 0 to 1, and the pixels."""

    signs: Mapping[str, float]
    pixels: PixelFacts
    people: int = 0
    drawn: KindScores = UNTOLD
    """How probably the picture was not filmed."""

    @property
    def kind(self) -> MadeKind | None:
        """What was made instead of filmed; it shows no place, light, time or weather."""
        return self.drawn.kind

    @property
    def is_made(self) -> bool:
        """Whether the picture is probably no view of anything: a screen, a graphic, or one plain colour."""
        return self.drawn.is_doubted or self.pixels.flat >= _GRAPHIC

    @property
    def sky(self) -> float:
        """The share of sky; a slide has none, even if it is pale or blue."""
        return 0.0 if self.is_made else self.pixels.sky

    @classmethod
    def gather(
        cls,
        objects: Sequence[Detection],
        labels: Mapping[str, float],
        pixels: PixelFacts,
        *,
        place_scores: Mapping[str, float] = MappingProxyType({}),
        drawn: KindScores = UNTOLD,
    ) -> SceneEvidence:
        """Combine the results of the detector, the labeller and the pixels for one frame.

        Args:
            place_scores: how much the whole frame looks like each place, from `likeness`.
            drawn: how probably it was not filmed, from `kind`.
        """
        signs: dict[str, float] = {}
        for one in objects:
            # A texture that fills the picture is easily detected as a bed.
            is_texture = one.category in _CLOTHS and one.box.area >= _WHOLE
            if one.confidence >= _MIN_OBJECT and not is_texture:
                signs[one.category] = max(signs.get(one.category, 0.0), min(1.0, one.confidence * 1.2))
        for label, score in labels.items():
            signs[label] = max(signs.get(label, 0.0), min(1.0, score * 2.0))
        people = [one for one in objects if one.category == "person" and one.confidence >= _MIN_OBJECT]
        return cls(
            {**signs, **_pixel_signs(pixels, people, signs), **place_scores}, pixels, len(people), drawn
        )


def side(evidence: SceneEvidence) -> Side | None:
    """Tell whether the scene is indoors or outdoors; None when the evidence for both is weak."""
    if evidence.pixels.brightness < _BLACK or evidence.is_made:
        return None
    total = sum(weight * evidence.signs.get(name, 0.0) for name, weight in _sides().items())
    if abs(total) < _MIN_SIDE:
        return None
    return "outdoor" if total > 0 else "indoor"


def place(evidence: SceneEvidence, where: Side | None) -> str | None:
    """Return the kind of place, such as `indoor_kitchen`; only the side when it is not known."""
    if where is None:
        return None
    scores = {
        name: sum(weight * evidence.signs.get(sign, 0.0) for sign, weight in signs.items())
        + evidence.signs.get(SEEMS + name, 0.0)
        for name, signs in _places().items()
        if name.startswith(where)
    }
    best = max(scores, key=lambda name: scores[name])
    if scores[best] < _MIN_PLACE or (where == "indoor" and not _is_plain(evidence, best)):
        return where
    return best


def _is_plain(evidence: SceneEvidence, room: str) -> bool:
    """Tell whether at least one sign of a room is strong; rooms are recognised by their objects."""
    return max(evidence.signs.get(sign, 0.0) for sign in (*_places()[room], SEEMS + room)) >= _PLAIN


def lighting(evidence: SceneEvidence, where: Side | None) -> str | None:
    """Return the source and strength of the light; None for screens and graphics."""
    pixels = evidence.pixels
    if evidence.kind is not None:
        return None
    if pixels.brightness < _DARK or pixels.dark > 0.8:
        return "dark"
    if evidence.is_made:
        return None
    # Dark clothes or walls do not make a scene dim when other parts are well lit.
    strength = "dim" if pixels.brightness < _DIM and pixels.contrast < 0.22 else "bright"
    source = {"indoor": "artificial_", "outdoor": "natural_", None: ""}[where]
    return source + strength


def time_of_day(evidence: SceneEvidence, where: Side | None) -> str | None:
    """Return the time of day outdoors; None indoors."""
    pixels = evidence.pixels
    if where != "outdoor":
        return None
    if pixels.brightness < _DARK or (pixels.dark > 0.6 and pixels.sky < 0.05):
        return "night"
    if pixels.brightness < 0.5 and pixels.warm_sky > 0.12 and pixels.warm_sky > pixels.blue_sky:
        return "dusk"
    if pixels.brightness < 0.28 and pixels.blue_sky > 0.3:
        return "dusk"
    return "daytime" if pixels.brightness >= 0.25 else None


def weather(evidence: SceneEvidence, where: Side | None) -> str | None:
    """Return the weather from sky and ground; None indoors, at night and where no sky is seen."""
    pixels = evidence.pixels
    if where != "outdoor" or pixels.brightness < _DARK:
        return None
    if evidence.signs.get("snow", 0.0) >= 0.5:
        return "snowy"
    if evidence.signs.get("umbrella", 0.0) > 0.6 and pixels.colourful < 0.3 and pixels.blue_sky < 0.05:
        return "rainy"
    if pixels.sky < 0.1:
        return None
    if pixels.blue_sky > 0.4 * pixels.sky:
        return "sunny" if pixels.brightness > 0.3 else None
    return "cloudy" if pixels.warm_sky < 0.3 * pixels.sky else None


def _pixel_signs(
    pixels: PixelFacts, people: Sequence[Detection], signs: Mapping[str, float]
) -> dict[str, float]:
    """Return the signs that the pixels show, with their strength."""
    cold = any(name in signs for name in ("skis", "snowboard", "ski", "alp", "snowmobile", "dogsled"))
    distant = [one for one in people if one.box.h < 0.5]
    computers = signs.get("laptop", 0.0)
    return {
        "sky": min(1.0, max(0.0, pixels.sky - 0.08) * 4),
        "greenery": min(1.0, max(0.0, pixels.greenery - 0.08) * 4),
        "meadow": min(1.0, max(0.0, pixels.ground_green - 0.35) * 2.5),
        "park": min(1.0, pixels.greenery * 2) if people or "dog" in signs else 0.0,
        "woods": min(1.0, pixels.greenery * 2) if pixels.sky < 0.15 and not people else 0.0,
        "snow": min(1.0, pixels.white_ground * 1.5) if cold else 0.0,
        "water_blue": min(1.0, pixels.water * 2),
        "pavement": min(1.0, pixels.grey_ground) if len(distant) >= 3 else 0.0,
        "distant_people": min(1.0, len(distant) / 5),
        "meeting": computers if len(people) >= 2 else 0.0,
    }


@lru_cache(maxsize=1)
def _sides() -> Mapping[str, float]:
    return {name: float(weight) for name, weight in read_table("scene_sides.tsv")}


@lru_cache(maxsize=1)
def _places() -> Mapping[str, Mapping[str, float]]:
    rows = {}
    for name, signs in read_table("places.tsv"):
        pairs = (sign.rpartition(":") for sign in signs.split(","))
        rows[name] = {sign: float(weight) for sign, _, weight in pairs}
    return rows
