"""More of the hand-made world: what is said, heard and written."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from tests.embedded.recipes.seen import hits, seen, shots
from vidence.ops.detect_audio_events import AudioEvent, DetectAudioEventsResult
from vidence.ops.detect_objects import DetectedObject
from vidence.ops.get_transcript import GetTranscriptResult, TranscriptLine
from vidence.ops.recognize_activity import RecognizeActivityResult
from vidence.schema.agent import OperationCall


def line(start: float, end: float, text: str) -> TranscriptLine:
    """Return a phrase that is said."""
    return TranscriptLine(start_time=start, end_time=end, text=text, confidence=0.98)


def sound(kind: str, start: float, end: float, confidence: float = 0.9) -> AudioEvent:
    """Return a sound that is heard."""
    return AudioEvent(event_type=kind, start_time=start, end_time=end, confidence=confidence)


def text(
    words: str, *, height: float = 0.1, y: float = 0.4, confidence: float = 0.99, **also: str
) -> DetectedObject:
    """Return a line of text in a frame."""
    return DetectedObject(
        object_id=f"obj_tmp_{abs(hash(words)) % 1000:03d}",
        category="text",
        bbox=(0.2, y, 0.4, height),
        confidence=confidence,
        attributes={"text": words, **also},
    )


class Told:
    """Answers every operation from lists; searches find what they are given."""

    def __init__(
        self,
        *,
        said: Sequence[TranscriptLine] = (),
        heard: Sequence[AudioEvent] = (),
        objects: Sequence[DetectedObject] = (),
        from_s: float = 0.0,
        until_s: float = 1e9,
        found: Sequence[tuple[float, float, float]] = (),
        cuts: Sequence[float] = (0.0,),
        activity: str | None = None,
    ) -> None:
        self._said, self._heard, self._objects = list(said), list(heard), list(objects)
        self._from_s, self._until_s = from_s, until_s
        self._found, self._cuts, self._activity = found, cuts, activity

    def __call__(self, call: OperationCall) -> BaseModel | None:
        arguments = call.arguments
        match call.operation:
            case "get_transcript":
                return GetTranscriptResult(transcript=self._said)
            case "detect_audio_events":
                return DetectAudioEventsResult(audio_events=self._heard)
            case "temporal_search":
                return hits(arguments["query"], *self._found)
            case "get_temporal_structure":
                return shots(*self._cuts)
            case "detect_objects":
                visible = self._from_s <= arguments["timestamp"] <= self._until_s
                return seen(call, self._objects if visible else [])
            case "recognize_activity":
                return RecognizeActivityResult(activities=[], primary_activity=self._activity)
        return None
