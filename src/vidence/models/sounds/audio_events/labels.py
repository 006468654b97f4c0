"""The classes of the network and the event types they are reported as."""

from __future__ import annotations

from vidence.language.tables import read_table

__all__ = ["CLASSES", "EVENT_TYPES", "SILENT_CLASSES", "event_type"]

_EVENT_TYPES = dict(read_table("audio_event_classes.tsv"))
CLASSES: tuple[str, ...] = tuple(_EVENT_TYPES)
"""In the order of the network's outputs."""
SILENT_CLASSES = frozenset({"speech"})
"""Known to the network so that it is not taken for something else, but reported by the speech model."""
EVENT_TYPES = tuple(sorted({kind for name, kind in _EVENT_TYPES.items() if name not in SILENT_CLASSES}))


def event_type(name: str) -> str:
    """Return the event type a class is reported as; most keep their own name."""
    return _EVENT_TYPES.get(name, name)
