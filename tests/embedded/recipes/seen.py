"""A world written down by hand: what each operation would answer, as typed results, for recipes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from pydantic import BaseModel

from vidence.embedded.gather import find_recipe
from vidence.embedded.recipes.recipe import Finding, Inquiry, Recipe, advance
from vidence.embedded.recipes.speech import prefixes
from vidence.language.question import read_question
from vidence.ops.catalogue import get_operation
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.ops.get_temporal_structure import GetTemporalStructureResult, Gradual, StructureSegment
from vidence.ops.temporal_search import SearchHit, TemporalSearchResult
from vidence.runs.ledger import Ledger
from vidence.runs.verify import Verifier
from vidence.schema.agent import OperationCall, SolverVariables, VideoCard
from vidence.schema.evidence import EvidenceRecord, hash_of
from vidence.schema.time import TimeRange

Answering = Callable[[OperationCall], BaseModel | None]
"""What an operation answers; None for a call that fails."""

VIDEO = VideoCard(video_id="vid_0000000000000000", name="hand-made.mp4", duration_s=20.0)
_MOST_STEPS = 10


def ask(
    question: str, world: Answering, *, video: VideoCard = VIDEO, recipe: Recipe | None = None
) -> Finding:
    """Run the question's recipe step by step until it comes to something; every claim must hold."""
    form = read_question(question).form
    ledger = Ledger()
    for step in range(1, _MOST_STEPS + 1):
        variables = SolverVariables(
            question=question,
            language=form.language,
            videos=(video,),
            records=ledger.operations,
            failed_calls=ledger.failed,
            may_call_operations=True,
            step=step,
        )
        run = recipe or find_recipe("said" if prefixes(form.text, form.quoted) else form.kind)
        outcome = advance(run(Inquiry(form, variables, _embed)), variables)
        if isinstance(outcome, Finding):
            _hold(outcome, ledger, video, question)
            return outcome
        for number, call in enumerate(outcome):
            record = record_of(call, world, f"rec_{step:03d}{number:05d}")
            if record is None:
                ledger.note_failure(call, "it could not be answered")
            else:
                ledger.add(record)
    raise AssertionError(f"no answer after {_MOST_STEPS} steps")


def prove(
    question: str, world: Answering, *, video: VideoCard = VIDEO, recipe: Recipe | None = None
) -> Finding:
    """Ask, and insist on an answer whose every claim cites a record."""
    finding = ask(question, world, video=video, recipe=recipe)
    assert not finding.cannot_tell, finding.answer
    assert finding.claims, finding.answer
    assert all(claim.citations for claim in finding.claims)
    return finding


def thing(
    category: str, x: float, *, height: float = 0.4, confidence: float = 0.9, **looks: str
) -> DetectedObject:
    """Return an object whose centre lies at `x` of the picture's width."""
    return DetectedObject(
        object_id=f"obj_tmp_{int(x * 1000):03d}",
        category=category,
        bbox=(x - 0.05, 0.5 - height / 2, 0.1, height),
        confidence=confidence,
        attributes=looks,
    )


def seen(call: OperationCall, objects: Sequence[DetectedObject]) -> DetectObjectsResult:
    """Return what is detected at the time a call asks about."""
    wanted = call.arguments.get("category")
    sure = call.arguments.get("confidence_threshold", 0.3)
    kept = [one for one in objects if wanted in (None, one.category) and one.confidence >= sure]
    return DetectObjectsResult(timestamp=call.arguments["timestamp"], objects=kept)


def hits(query: str, *spans: tuple[float, float, float]) -> TemporalSearchResult:
    """Return search results: start, end, confidence."""
    return TemporalSearchResult(
        query=query,
        results=[
            SearchHit(
                segment_id="seg_001",
                start_time=start,
                end_time=end,
                duration=end - start,
                confidence=sure,
                matched_modality="visual",
            )
            for start, end, sure in spans
        ],
        search_time_ms=1.0,
    )


def shots(
    *starts: float, duration_s: float = VIDEO.duration_s, transitions: Sequence[Gradual | None] = ()
) -> GetTemporalStructureResult:
    """Return shots that begin at these times, with hard cuts unless told otherwise."""
    ends = [*starts[1:], duration_s]
    kinds = transitions or [None] * len(starts)
    segments = [
        StructureSegment(
            segment_id=f"seg_{number:03d}",
            start_time=start,
            end_time=end,
            duration=end - start,
            type="shot",
            transition=kind,
        )
        for number, (start, end, kind) in enumerate(zip(starts, ends, kinds, strict=True), 1)
    ]
    return GetTemporalStructureResult(segments=segments, total_segments=len(segments))


def record_of(call: OperationCall, world: Answering, record_id: str) -> EvidenceRecord | None:
    """Return the record of a call; None where it fails. An operation must know the arguments."""
    get_operation(call.operation).request.model_validate(call.arguments)
    result = world(call)
    if result is None:
        return None
    told = result.model_dump(mode="json")
    time_s = call.arguments.get("timestamp")
    return EvidenceRecord(
        record_id=record_id,
        kind="operation",
        source=call.operation,
        video_id=call.arguments["video_id"],
        span=None if time_s is None else TimeRange.moment(time_s),
        asked=call.arguments,
        arguments=call.arguments,
        result=told,
        result_hash=hash_of(told),
    )


def _hold(finding: Finding, ledger: Ledger, video: VideoCard, question: str) -> None:
    checked = Verifier(ledger, [video], question=question).check_all(finding.claims)
    broken = [(claim.text, claim.problems) for claim in checked if claim.verdict != "verified"]
    assert not broken, broken


def _embed(texts: Sequence[str]) -> object:
    return np.ones((len(texts), 4), np.float32) / 2
