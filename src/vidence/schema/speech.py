"""What was said: words and utterances in video time, and how far listening has come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from vidence.schema.observations import Observation

__all__ = ["SpeechProgress", "TranscriptSource", "Utterance", "Word"]

TranscriptSource = Literal["speech", "sidecar", "embedded"]


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True)


class Word(_Shape):
    """One spoken word."""

    text: str
    start_time: float
    end_time: float
    confidence: float = Field(ge=0, le=1)


class Utterance(Observation):
    """One spoken phrase or one subtitle."""

    text: str
    language: str | None = None
    """ISO 639-1 code."""
    confidence: float = Field(default=1.0, ge=0, le=1)
    """How probable it is that these words were really said; 1 for subtitles, which someone wrote."""
    words: tuple[Word, ...] = ()
    pitch_hz: float | None = None
    """Median pitch of the voice, where it could be measured."""
    speaker: str | None = None
    """`speaker_1`, `speaker_2`, … in order of appearance; None when they cannot be told apart."""

    def shifted(self, seconds: float) -> Utterance:
        """Return the same utterance `seconds` later."""
        words = tuple(
            word.model_copy(
                update={"start_time": word.start_time + seconds, "end_time": word.end_time + seconds}
            )
            for word in self.words
        )
        return self.model_copy(
            update={
                "start_time": self.start_time + seconds,
                "end_time": self.end_time + seconds,
                "words": words,
            }
        )


class SpeechProgress(_Shape):
    """What one window of sound gave; everything before `reached_s` is done and need not be heard again."""

    reached_s: float
    utterances: tuple[Utterance, ...] = ()
    language: str | None = None
    """The language of the recording as far as it is known; pass it on when resuming."""

    @staticmethod
    def gather(steps: Iterable[SpeechProgress]) -> list[Utterance]:
        """Return the utterances of all steps, in order."""
        return [utterance for step in steps for utterance in step.utterances]
