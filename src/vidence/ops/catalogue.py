"""Every operation by name; to add one, write its file and a row here."""

from __future__ import annotations

from typing import Any

from vidence.ops.operation import Operation
from vidence.registry import Registry

__all__ = ["COMPOSED", "OPERATIONS", "TOPIC_TOOLS", "all_operations", "get_operation", "topic_tools"]

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
        "find_similar_segments": "vidence.ops.find_similar_segments:OPERATION",
        "write_memory": "vidence.ops.write_memory:OPERATION",
        "read_memory": "vidence.ops.read_memory:OPERATION",
    },
    group="vidence.operations",
)
"""The sixteen atomic operations of the specification, and those of installed packages."""

COMPOSED = Registry("operation", {"get_notes": "vidence.ops.get_notes:OPERATION"})
"""What is put together from several atomic operations' material, in the same shape."""

TOPIC_TOOLS = Registry(
    "tool",
    {
        "platform_search": "vidence.ops.topics.platform_search:OPERATION",
        "memory_search": "vidence.ops.topics.memory_search:OPERATION",
        "analyze_sentiment": "vidence.ops.topics.analyze_sentiment:OPERATION",
        "competitor_lookup": "vidence.ops.topics.competitor_lookup:OPERATION",
        "timeline_query": "vidence.ops.topics.timeline_query:OPERATION",
        "web_scrape": "vidence.ops.topics.web_scrape:OPERATION",
    },
)
"""The monitor's tools: operations without a video."""


def get_operation(name: str) -> Operation[Any, Any]:
    """Return the operation or the monitor's tool called `name`."""
    table = next((one for one in (TOPIC_TOOLS, COMPOSED) if name in one), OPERATIONS)
    operation: Operation[Any, Any] = table.resolve(name)
    return operation


def all_operations() -> list[Operation[Any, Any]]:
    """Return every atomic operation in catalogue order."""
    return [get_operation(name) for name in OPERATIONS]


def topic_tools() -> list[Operation[Any, Any]]:
    """Return the monitor's tools in catalogue order."""
    return [get_operation(name) for name in TOPIC_TOOLS]
