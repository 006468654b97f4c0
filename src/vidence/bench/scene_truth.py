"""Where and in what light the shared clips are at some moments, as a person saw who looked at the frames."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SCENES", "SceneTruth"]

_NATURE = ("outdoor", "outdoor_field", "outdoor_forest", "outdoor_garden", "outdoor_park", "outdoor_mountain")
_TOWN = ("outdoor", "outdoor_street", "outdoor_building")
_TALK = ("indoor", "indoor_studio", "indoor_stage", "indoor_office")
_TABLE = ("indoor", "indoor_meeting_room", "indoor_office")
_DRINK = ("indoor", "indoor_cafe", "indoor_kitchen", "indoor_restaurant")


@dataclass(frozen=True)
class SceneTruth:
    """A moment and what would be right to say of it; `None` among the answers where it cannot be known."""

    video: str
    time_s: float
    location: tuple[str, ...]
    time_of_day: tuple[str | None, ...]
    weather: tuple[str | None, ...]
    lighting: tuple[str, ...]

    @property
    def side(self) -> str:
        return self.location[0].split("_")[0]


def _outdoor(
    video: str,
    times: tuple[float, ...],
    location: tuple[str, ...],
    weather: tuple[str | None, ...] = (None,),
    lighting: tuple[str, ...] = ("natural_bright",),
) -> list[SceneTruth]:
    return [SceneTruth(video, time_s, location, ("daytime",), weather, lighting) for time_s in times]


def _indoor(
    video: str, times: tuple[float, ...], location: tuple[str, ...], lighting: tuple[str, ...]
) -> list[SceneTruth]:
    return [SceneTruth(video, time_s, location, (None,), (None,), lighting) for time_s in times]


SCENES: tuple[SceneTruth, ...] = (
    *_outdoor("bbb_480p.mp4", (4.5, 9.0), _NATURE, (None, "cloudy", "sunny")),
    *_outdoor("bbb_480p.mp4", (12.8, 14.5), (*_NATURE, "outdoor_water"), (None, "sunny")),
    *_outdoor("bbb_480p.mp4", (17.0, 19.0), _NATURE, (None, "cloudy", "sunny")),
    *_outdoor("bbb_480p.mp4", (23.8,), _NATURE, (None, "sunny"), ("natural_bright", "natural_dim")),
    *_outdoor("bikes.mp4", (0.5,), _TOWN),
    *_outdoor("bikes.mp4", (2.0, 2.8), _TOWN, (None, "sunny")),
    *_outdoor("bikes.mp4", (4.0, 5.0), _TOWN, (None,), ("natural_bright", "natural_dim")),
    *_outdoor("bikes.mp4", (6.2, 7.0), _TOWN, ("cloudy", None)),
    *_outdoor("bikes.mp4", (8.0, 9.0), _TOWN),
    *_outdoor("psd_fades.mp4", (2.4, 4.8), _NATURE, (None, "sunny"), ("natural_bright", "natural_dim")),
    *_outdoor("psd_fades.mp4", (8.8, 10.4), _NATURE, (None, "sunny"), ("natural_bright", "natural_dim")),
    *_outdoor("psd_fades.mp4", (14.8, 16.4), _NATURE, (None, "sunny"), ("natural_bright", "natural_dim")),
    *_outdoor("sam2_dog.mp4", (1.0, 4.0, 8.0), (*_TOWN, "outdoor_park", "outdoor_garden")),
    *_outdoor("vtest.avi", (10.0, 40.0, 66.0), (*_TOWN, "outdoor_park")),
    *_outdoor("TUD-Campus.avi", (0.7, 2.0), _TOWN),
    *_outdoor("TUD-Stadtmitte.avi", (1.5, 5.0), _TOWN, (None,), ("natural_bright", "natural_dim")),
    *_indoor("intel_talk.mp4", (1.0, 15.0, 29.0), _TALK, ("artificial_bright", "artificial_dim")),
    *_indoor("meeting_c3.webm", (4.6, 14.0, 34.2), _TABLE, ("artificial_bright",)),
    *_indoor("sam2_coffee.mp4", (0.5, 4.0, 8.0), _DRINK, ("artificial_bright", "natural_bright")),
    *_indoor("intel_bottle.mp4", (3.0, 19.0, 36.2), ("indoor",), ("artificial_bright", "natural_bright")),
    *_outdoor("composite.mp4", (43.0,), (*_TOWN, "outdoor_park", "outdoor_garden")),
    *_outdoor("composite.mp4", (57.0, 67.5), _NATURE, (None, "cloudy", "sunny")),
    *_indoor("composite.mp4", (10.0,), ("indoor",), ("artificial_bright", "natural_bright")),
    *_indoor("composite.mp4", (100.0,), _TABLE, ("artificial_bright",)),
    *_indoor("composite.mp4", (130.0,), _DRINK, ("artificial_bright", "natural_bright")),
)
