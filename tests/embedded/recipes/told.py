"""More of the hand-made world: what is said, heard and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from tests.embedded.recipes.seen import hits, seen, shots
from vidence.ops.describe_visual import DescribeVisualResult
from vidence.ops.detect_audio_events import AudioEvent, DetectAudioEventsResult
from vidence.ops.detect_objects import DetectedObject
from vidence.ops.get_notes import GetNotesResult
from vidence.ops.get_scene_attributes import GetSceneAttributesResult
from vidence.ops.get_transcript import GetTranscriptResult, TranscriptLine
from vidence.ops.recognize_activity import RecognizeActivityResult, RecognizedActivity
from vidence.schema.agent import OperationCall
from vidence.schema.reading import NotedLine


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


def _act(label: str, start: float, end: float) -> RecognizedActivity:
    return RecognizedActivity(label=label, confidence=0.8, start_time=start, end_time=end)


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
        doing: Sequence[str] = (),
        described: str | None = None,
        scene: Mapping[str, str] | None = None,
    ) -> None:
        self._said, self._heard, self._objects = list(said), list(heard), list(objects)
        self._from_s, self._until_s = from_s, until_s
        self._found, self._cuts, self._activity = found, cuts, activity
        self._doing, self._described, self._scene = doing, described, scene

    def __call__(self, call: OperationCall) -> BaseModel | None:
        arguments = call.arguments
        match call.operation:
            case "get_notes":
                return GetNotesResult(notes=self._noted())
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
                span = (arguments["start_time"], arguments["end_time"])
                acts = [_act(label, *span) for label in self._doing if arguments["granularity"] == "atomic"]
                return RecognizeActivityResult(activities=acts, primary_activity=self._activity)
            case "describe_visual" if self._described is not None:
                return DescribeVisualResult(
                    description=self._described, confidence=0.8, num_frames_analyzed=3
                )
            case "get_scene_attributes" if self._scene is not None:
                return GetSceneAttributesResult(**self._scene)
        return None

    def _noted(self) -> list[NotedLine]:
        said = [
            NotedLine(
                kind="said", start_time=one.start_time, end_time=one.end_time, text=one.text, confidence=0.9
            )
            for one in self._said
        ]
        until = min(self._until_s, 20.0)
        written = [
            NotedLine(
                kind="written",
                start_time=self._from_s,
                end_time=until,
                text=one.attributes["text"],
                confidence=one.confidence,
            )
            for one in self._objects
            if one.category == "text"
        ]
        return said + written


def acting(text: str, *, until_s: float = 9.0) -> Told:
    """Return a world whose notes name an action."""

    class Acting(Told):
        def __call__(self, call: OperationCall) -> BaseModel | None:
            if call.operation != "get_notes":
                return super().__call__(call)
            action = NotedLine(kind="action", start_time=2.0, end_time=until_s, text=text, confidence=0.6)
            return GetNotesResult(notes=[action])

    return Acting()
