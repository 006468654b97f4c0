"""Run an operation: validate, index the stages it reads, serve from cache or compute, and record."""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Req, Request, Res
from vidence.ops.validate import validate_request
from vidence.schema.evidence import OpRecord, canonical_json

__all__ = ["Outcome", "run_operation"]


@dataclass(frozen=True)
class Outcome(Generic[Res]):
    """A result and the record that proves where it came from."""

    result: Res
    record: OpRecord


def run_operation(
    operation: Operation[Req, Res], arguments: Mapping[str, Any], context: OpContext
) -> Outcome[Res]:
    """Run one operation and return its result with provenance."""
    request = validate_request(operation, arguments)
    video_id = None
    if isinstance(request, Request):
        video_id = context.store.catalogue.resolve(request.video_id).video_id
        request = request.model_copy(update={"video_id": video_id})
    started_at, clock = time.time(), time.perf_counter()
    version = "" if video_id is None else _ensure_index(operation, video_id, context)
    chosen = [context.shelf.fingerprint(capability) for capability in operation.capabilities]
    key = _cache_key(operation, request, version, chosen)
    cached = _serve(operation, key, context)
    result = cached or operation.run(context, request)
    text = canonical_json(result.model_dump(mode="json"))
    record = OpRecord(
        record_id=f"rec_{uuid.uuid4().hex[:16]}",
        operation=operation.name,
        arguments=request.model_dump(mode="json"),
        video_id=video_id,
        span=operation.span(request),
        models=tuple(context.models),
        index_version=version,
        result_hash=hashlib.sha256(text.encode()).hexdigest(),
        started_at=started_at,
        duration_s=time.perf_counter() - clock,
        cached=cached is not None,
    )
    _keep(operation, key, record, text, context)
    return Outcome(result, record)


def _ensure_index(operation: Operation[Req, Res], video_id: str, context: OpContext) -> str:
    """Compute the stages that an operation reads and return the version of the index."""
    for model_id in context.indexer.ensure(video_id, operation.stages, progress=context.progress):
        context.used(model_id)
    stages = (*operation.stages, *operation.also_reads)
    return context.store.stages.index_version(video_id, stages)


def _cache_key(operation: Operation[Req, Res], request: Req, version: str, models: Sequence[str]) -> str:
    identity = [operation.name, operation.version, request.model_dump(mode="json"), version, *models]
    return hashlib.sha256(canonical_json(identity).encode()).hexdigest()


def _serve(operation: Operation[Req, Res], key: str, context: OpContext) -> Res | None:
    if operation.stateful or not context.settings.cache_results:
        return None
    text = context.store.results.cached(key)
    if text is None:
        return None
    # The models are cached with the result, so that a cached result has the same provenance.
    kept = json.loads(text)
    for model_id in kept["models"]:
        context.used(model_id)
    return operation.result.model_validate(kept["result"])


def _keep(operation: Operation[Req, Res], key: str, record: OpRecord, text: str, context: OpContext) -> None:
    results = context.store.results
    if not operation.stateful and context.settings.cache_results and not record.cached:
        kept = canonical_json({"models": record.models, "result": json.loads(text)})
        results.remember(key, record.video_id, record.operation, kept)
    results.record(record, result_json=text)
