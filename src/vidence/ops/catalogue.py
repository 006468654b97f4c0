"""Every operation by name; to add one, write its file and a row here."""

from __future__ import annotations

from typing import Any

from vidence.ops.operation import Operation
from vidence.registry import Registry

__all__ = ["OPERATIONS", "all_operations", "get_operation"]

OPERATIONS = Registry(
    "operation",
    {
        "get_video_info": "vidence.ops.get_video_info:OPERATION",
        "get_temporal_structure": "vidence.ops.get_temporal_structure:OPERATION",
        "describe_visual": "vidence.ops.describe_visual:OPERATION",
        "detect_objects": "vidence.ops.detect_objects:OPERATION",
        "recognize_activity": "vidence.ops.recognize_activity:OPERATION",
        "get_scene_attributes": "vidence.ops.get_scene_attributes:OPERATION",
        "get_transcript": "vidence.ops.get_transcript:OPERATION",
        "detect_audio_events": "vidence.ops.detect_audio_events:OPERATION",
        "register_entity": "vidence.ops.register_entity:OPERATION",
        "track_entity": "vidence.ops.track_entity:OPERATION",
        "query_entity_state": "vidence.ops.query_entity_state:OPERATION",
        "spatial_relation": "vidence.ops.spatial_relation:OPERATION",
        "temporal_search": "vidence.ops.temporal_search:OPERATION",
        "get_notes": "vidence.ops.get_notes:OPERATION",
        "find_similar_segments": "vidence.ops.find_similar_segments:OPERATION",
        "write_memory": "vidence.ops.write_memory:OPERATION",
        "read_memory": "vidence.ops.read_memory:OPERATION",
    },
    group="vidence.operations",
)


def get_operation(name: str) -> Operation[Any, Any]:
    """Return the operation called `name`."""
    operation: Operation[Any, Any] = OPERATIONS.resolve(name)
    return operation


def all_operations() -> list[Operation[Any, Any]]:
    """Return every operation in catalogue order."""
    return [get_operation(name) for name in OPERATIONS]
