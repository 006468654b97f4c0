"""Our own ears: a small network trained to name 52 kinds of sound, and the events it hears."""

from vidence.models.sounds.audio_events.detector import AudioEvents
from vidence.models.sounds.audio_events.labels import EVENT_TYPES

__all__ = ["EVENT_TYPES", "AudioEvents"]
