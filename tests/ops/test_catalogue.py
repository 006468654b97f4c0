"""The catalogue: sixteen atomic operations, as the specification has them, and what is composed of them."""

from __future__ import annotations

from vidence.ops import COMPOSED, OPERATIONS, all_operations, get_operation

SPECIFIED = [
    "get_video_info",
    "get_temporal_structure",
    "describe_visual",
    "detect_objects",
    "recognize_activity",
    "get_scene_attributes",
    "get_transcript",
    "detect_audio_events",
    "register_entity",
    "track_entity",
    "query_entity_state",
    "spatial_relation",
    "temporal_search",
    "find_similar_segments",
    "write_memory",
    "read_memory",
]


def test_there_are_the_sixteen_operations_of_the_specification_and_no_others() -> None:
    assert list(OPERATIONS) == SPECIFIED
    assert [one.name for one in all_operations()] == SPECIFIED


def test_composed_operations_are_found_by_name_but_are_not_atomic() -> None:
    assert list(COMPOSED) == ["get_notes"]
    assert get_operation("get_notes").name == "get_notes"
