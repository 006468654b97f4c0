"""Saving the frames an answer rests on, with what was found in them drawn in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vidence.app import Workspace
from vidence.errors import FileProblem
from vidence.runs.brief import cited_span
from vidence.runs.frames import encode_jpeg, read_frame, with_boxes
from vidence.schema.agent import AgentAnswer
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.perception import Box

__all__ = ["boxes_of", "save_frames"]

_MAX_SIDE = 1280
_BOX_NAMES = ("bbox", "matched_bbox", "avg_bbox")


def save_frames(workspace: Workspace, answer: AgentAnswer, folder: Path) -> list[Path]:
    """Write one JPEG for every moment the answer cites; return where they are."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise FileProblem(f"{folder} cannot be made: {exc.strerror}.") from exc
    saved: dict[Path, None] = {}
    for video_id, time_s, record in _moments(answer):
        path = folder / f"{video_id}_{time_s:08.2f}s_{record.record_id}.jpg"
        if path in saved:
            continue
        file = workspace.store.catalogue.locate(video_id)
        image = read_frame(file, time_s, max_side=_MAX_SIDE, threads=workspace.settings.threads)
        try:
            path.write_bytes(encode_jpeg(with_boxes(image, list(boxes_of(record.result)))))
        except OSError as exc:
            raise FileProblem(f"{path} cannot be written: {exc.strerror}.") from exc
        saved[path] = None
    return list(saved)


def boxes_of(node: Any, label: str = "") -> Iterator[tuple[Box, str]]:
    """Yield every box in a result with the name of what is in it."""
    if isinstance(node, list):
        for item in node:
            yield from boxes_of(item, label)
    elif isinstance(node, dict):
        name = str(node.get("category") or node.get("entity_id") or label)
        for key in _BOX_NAMES:
            if isinstance(node.get(key), list) and len(node[key]) == 4:
                yield Box(*(float(value) for value in node[key])), name
        for value in node.values():
            if isinstance(value, dict | list):
                yield from boxes_of(value, name)


def _moments(answer: AgentAnswer) -> Iterator[tuple[str, float, EvidenceRecord]]:
    records = {record.record_id: record for record in answer.evidence}
    lengths = {video.video_id: video.duration_s for video in answer.videos}
    for claim in answer.claims:
        for citation in claim.citations:
            record = records[citation.record_id]
            span = cited_span(record, citation)
            if record.video_id is None or span is None:
                continue
            middle = (span[0] + span[1]) / 2
            yield record.video_id, max(0.0, min(middle, lengths.get(record.video_id, middle) - 0.001)), record
