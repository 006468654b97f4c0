"""Sounds heard in a video, as `detect_audio_events` reports them."""

from __future__ import annotations

from pydantic import Field

from vidence.schema.observations import Observation
from vidence.schema.time import Seconds

__all__ = ["SoundEvent"]


class SoundEvent(Observation):
    """One sound that is not speech, from when it starts to when it ends."""

    event_type: str = Field(description="What kind of sound: applause, door_knock, alarm, dog_bark, …")
    start_time: Seconds
    end_time: Seconds
    confidence: float = Field(ge=0, le=1, description="Calibrated: of events at 0.8, about 80 % are right.")
    description: str = Field(
        default="", description="The finer name: siren, clock_alarm, background_music, …"
    )
