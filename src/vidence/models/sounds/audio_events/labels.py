"""The classes of the network and the event types they are reported as."""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["CLASSES", "EVENT_TYPES", "SILENT_CLASSES", "event_type"]

CLASSES: tuple[str, ...] = (
    "airplane", "breathing", "brushing_teeth", "can_opening", "car_horn", "cat", "chainsaw", "chirping_birds",
    "church_bells", "clapping", "clock_alarm", "clock_tick", "coughing", "cow", "crackling_fire", "crickets",
    "crow", "crying_baby", "dog", "door_wood_creaks", "door_wood_knock", "drinking_sipping", "engine",
    "fireworks", "footsteps", "frog", "glass_breaking", "hand_saw", "helicopter", "hen", "insects",
    "keyboard_typing", "laughing", "mouse_click", "pig", "pouring_water", "rain", "rooster", "sea_waves",
    "sheep", "siren", "sneezing", "snoring", "thunderstorm", "toilet_flush", "train", "vacuum_cleaner",
    "washing_machine", "water_drops", "wind", "speech", "music", "phone_ringing",
)  # fmt: skip
"""In the order of the network's outputs."""

SILENT_CLASSES = frozenset({"speech"})
"""Known to the network so that it is not taken for something else, but reported by the speech model."""

_RENAMED = MappingProxyType(
    {
        "clapping": "applause",
        "laughing": "laughter",
        "door_wood_knock": "door_knock",
        "door_wood_creaks": "door_creak",
        "clock_alarm": "alarm",
        "siren": "alarm",
        "dog": "dog_bark",
        "cat": "cat_meow",
        "chirping_birds": "birds",
        "crow": "birds",
        "sneezing": "sneeze",
        "coughing": "cough",
        "crying_baby": "baby_cry",
        "thunderstorm": "thunder",
    }
)


def event_type(name: str) -> str:
    """Return the event type a class is reported as; most keep their own name."""
    return _RENAMED.get(name, name)


EVENT_TYPES: tuple[str, ...] = tuple(
    sorted({event_type(name) for name in CLASSES if name not in SILENT_CLASSES})
)
