"""Speech: words and utterances in video time, and the progress of recognition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from vidence.schema.frozen import Frozen
from vidence.schema.observations import Observation

__all__ = ["SpeechMemo", "SpeechProgress", "TranscriptSource", "Transcription", "Utterance", "Word"]

TranscriptSource = Literal["speech", "sidecar", "embedded"]


class Word(Frozen):
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

    def between(self, first: int, last: int) -> Utterance:
        """Return the words from `first` up to, not including, `last` as an utterance."""
        words = self.words[first:last]
        if not words or len(words) == len(self.words):
            return self
        return self.model_copy(
            update={
                "start_time": words[0].start_time,
                "end_time": max(words[-1].end_time, words[0].start_time),
                "text": self._text(first, last),
                "words": words,
            }
        )

    def _text(self, first: int, last: int) -> str:
        """Return the original text of some words, with the spaces and punctuation between them."""
        at, places = 0, list[int]()
        for word in self.words:
            found = self.text.find(word.text, at)
            if found < 0:
                return " ".join(one.text for one in self.words[first:last])
            places.append(found)
            at = found + len(word.text)
        end = places[last] if last < len(places) else len(self.text)
        return self.text[places[first] : end].strip()


class Transcription(Frozen):
    """Everything said in a piece of sound; no segments means nothing was said."""

    segments: tuple[Utterance, ...] = ()
    language: str | None = None
    """ISO 639-1 code; None when nothing was said."""


class SpeechMemo(Frozen):
    """The state that recognition needs to resume with identical windows and words."""

    windows: int
    """How many windows are done."""
    lot: int
    """How many windows came before the last batch; on resuming that batch is recognised again."""
    language: str | None = None
    """The language of the recording before that batch, if it was known."""


class SpeechProgress(Frozen):
    """The result of one window of sound; everything before `reached_s` is done."""

    reached_s: float
    utterances: tuple[Utterance, ...] = ()
    language: str | None = None
    """The language of the recording, if it is known."""
    memo: SpeechMemo
    """Pass it on when resuming."""

    @staticmethod
    def gather(steps: Iterable[SpeechProgress]) -> list[Utterance]:
        """Return the utterances of all steps, in order."""
        return [utterance for step in steps for utterance in step.utterances]
