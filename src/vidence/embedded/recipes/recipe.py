"""How a recipe is written: it yields the operations it needs and returns what it found.

A Solver step is stateless, so a recipe is run again from its beginning at every step, with the results
that are already in the ledger; it stops at the first operations that have no result yet.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from vidence.language.phrases import phrase
from vidence.language.question import QuestionForm, Target, name_of
from vidence.language.tables import patterns_of
from vidence.ops.detect_audio_events import AudioEvent, DetectAudioEventsResult
from vidence.ops.get_temporal_structure import GetTemporalStructureResult, StructureSegment
from vidence.ops.get_transcript import GetTranscriptResult, TranscriptLine
from vidence.ops.temporal_search import SearchHit, TemporalSearchResult
from vidence.schema.agent import AnswerLanguage, OperationCall, SolverVariables
from vidence.schema.evidence import Citation, Claim, EvidenceRecord

__all__ = [
    "Answers",
    "Embed",
    "Finding",
    "Inquiry",
    "Lasting",
    "Recipe",
    "Steps",
    "StepsOf",
    "advance",
    "call",
    "claim",
    "has_cue",
    "hits_of",
    "lines_of",
    "read",
    "segments_of",
    "sounds_of",
    "together",
    "unseen",
    "untold",
]

Embed = Callable[[Sequence[str]], Any]
"""The text embedder: sentences to an (N, D) array of unit vectors."""
Answers = list[EvidenceRecord | None]
"""One per call, in order; None where the call failed."""
_Value = TypeVar("_Value")
StepsOf = Generator[Sequence[OperationCall], Answers, _Value]
"""Yields calls to make side by side, is sent their answers, returns a value."""
Steps = StepsOf["Finding"]
_Result = TypeVar("_Result", bound=BaseModel)
_UNTOLD = 0.05


@dataclass(frozen=True)
class Finding:
    """A recipe's answer with its probability and claims."""

    answer: str
    """Short and direct, in the question's language."""
    probability: float
    """How probable it is that the answer is right, calibrated."""
    claims: tuple[Claim, ...] = ()
    explanation: str = ""
    cannot_tell: bool = False


@dataclass(frozen=True)
class Inquiry:
    """What a recipe works on."""

    form: QuestionForm
    variables: SolverVariables
    embed: Embed

    @property
    def language(self) -> AnswerLanguage:
        return self.form.language

    @property
    def video_id(self) -> str:
        return self.variables.videos[0].video_id

    @property
    def duration_s(self) -> float:
        return self.variables.videos[0].duration_s

    def say(self, name: str, value: object = "", **more: object) -> str:
        """Return a phrase in the question's language."""
        return phrase(name, self.language, value, **more)


Recipe = Callable[[Inquiry], Steps]


def call(operation: str, inquiry: Inquiry, **arguments: Any) -> OperationCall:
    """Return a call of an operation on the inquiry's video."""
    return OperationCall(operation=operation, arguments={"video_id": inquiry.video_id, **arguments})


def advance(steps: StepsOf[_Value], variables: SolverVariables) -> Sequence[OperationCall] | _Value:
    """Run a generator against the ledger; return its value, or the calls it is waiting for."""
    known = _known(variables)
    try:
        wanted = next(steps)
        while True:
            missing = {key: one for one in wanted if (key := _key(one)) not in known}
            if missing:
                return list(missing.values())
            wanted = steps.send([known[_key(one)] for one in wanted])
    except StopIteration as done:
        value: _Value = done.value
        return value


def _known(variables: SolverVariables) -> Mapping[str, EvidenceRecord | None]:
    known: dict[str, EvidenceRecord | None] = {_key(one): None for one, _ in variables.failed_calls}
    for record in variables.records:
        if record.kind == "operation":
            known[_key(OperationCall(operation=record.source, arguments=record.asked))] = record
    return known


def _key(one: OperationCall) -> str:
    return f"{one.operation} {sorted(one.arguments.items(), key=str)}"


def together(runs: Sequence[StepsOf[_Value]]) -> StepsOf[list[_Value]]:
    """Run several generators side by side, in the steps of one; return their values in order."""
    values: dict[int, _Value] = {}
    waiting: dict[int, Sequence[OperationCall]] = {}
    for index, run in enumerate(runs):
        _resume(index, run, None, values, waiting)
    while waiting:
        asked = dict(waiting)
        answers = yield [call for calls in asked.values() for call in calls]
        waiting.clear()
        first = 0
        for index, calls in asked.items():
            _resume(index, runs[index], answers[first : first + len(calls)], values, waiting)
            first += len(calls)
    return [values[index] for index in range(len(runs))]


def _resume(
    index: int,
    run: StepsOf[_Value],
    answers: Answers | None,
    values: dict[int, _Value],
    waiting: dict[int, Sequence[OperationCall]],
) -> None:
    """Send a generator its answers; note the calls it yields next, or its value."""
    try:
        waiting[index] = next(run) if answers is None else run.send(answers)
    except StopIteration as done:
        values[index] = done.value


class Lasting(Protocol):
    """What holds over a span of time: a line, a sound, a shot."""

    @property
    def start_time(self) -> float: ...
    @property
    def end_time(self) -> float: ...


def claim(
    text: str,
    record: EvidenceRecord | None,
    over: Lasting | float | None = None,
    *,
    quote: str | None = None,
    also: tuple[EvidenceRecord | None, ...] = (),
) -> tuple[Claim, ...]:
    """Return the claim with its citations; none when there is no record to cite.

    Args:
        over: the part of the record that proves it, by its time or as a moment.
    """
    cited = [one for one in (record, *also) if one is not None]
    if not cited:
        return ()
    if over is None or isinstance(over, float):
        start_s = end_s = over
    else:
        start_s, end_s = over.start_time, over.end_time
    first = Citation(record_id=cited[0].record_id, start_time=start_s, end_time=end_s, quote=quote)
    rest = tuple(Citation(record_id=one.record_id) for one in cited[1:])
    return (Claim(text=text, citations=(first, *rest)),)


def untold(
    inquiry: Inquiry, name: str = "cannot_tell", value: object = "", *, record: EvidenceRecord | None = None
) -> Finding:
    """Say that it cannot be told, in a phrase; `record` is what was looked at."""
    text = inquiry.say(name, value)
    return Finding(text, _UNTOLD, claim(text, record), cannot_tell=True)


def unseen(
    inquiry: Inquiry, name: str, thing: Target | None, *, record: EvidenceRecord | None = None
) -> Finding:
    """Say that a thing was not seen: by its name, or in general words where it has no clean one."""
    named = name_of(thing) if thing is not None else ""
    return untold(inquiry, name, named, record=record) if named else untold(inquiry, record=record)


def has_cue(name: str, text: str) -> bool:
    """Tell whether a text has words of a cue, by its name in `cues.tsv`."""
    return bool(patterns_of("cues.tsv", "embedded")[name].search(text))


def read(record: EvidenceRecord | None, kind: type[_Result]) -> _Result | None:
    """Return a record's result as its model; None for a call that failed."""
    return None if record is None else kind.model_validate(record.result)


def hits_of(record: EvidenceRecord | None) -> list[SearchHit]:
    """Return the results of a search, the likeliest first."""
    found = read(record, TemporalSearchResult)
    return list(found.results) if found else []


def segments_of(record: EvidenceRecord | None) -> list[StructureSegment]:
    """Return the shots or scenes of a video, in order."""
    found = read(record, GetTemporalStructureResult)
    return list(found.segments) if found else []


def lines_of(record: EvidenceRecord | None) -> list[TranscriptLine]:
    """Return the lines of a transcript, in order."""
    found = read(record, GetTranscriptResult)
    return list(found.transcript) if found else []


def sounds_of(record: EvidenceRecord | None) -> list[AudioEvent]:
    """Return the sounds that were detected."""
    found = read(record, DetectAudioEventsResult)
    return list(found.audio_events) if found else []
