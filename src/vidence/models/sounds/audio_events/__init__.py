"""Our own sound classifier: a small network trained on 52 kinds of sound."""

from vidence.models.sounds.audio_events.detector import AudioEvents
from vidence.models.sounds.audio_events.labels import EVENT_TYPES

__all__ = ["EVENT_TYPES", "AudioEvents"]
