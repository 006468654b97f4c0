"""The story tools by name; to add one, write its file and a row here."""

from __future__ import annotations

from typing import Any

from vidence.registry import Registry
from vidence.tools.story.tool import StoryTool

__all__ = ["STORY_TOOLS", "all_story_tools", "get_story_tool"]

STORY_TOOLS = Registry(
    "story tool",
    {
        "lookup_knowledge": "vidence.tools.story.lookup_knowledge:TOOL",
        "find_connection": "vidence.tools.story.find_connection:TOOL",
        "track_journey": "vidence.tools.story.track_journey:TOOL",
        "get_character_events": "vidence.tools.story.get_character_events:TOOL",
        "search_memory": "vidence.tools.story.search_memory:TOOL",
    },
    group="vidence.story_tools",
)


def get_story_tool(name: str) -> StoryTool[Any, Any]:
    """Return the story tool called `name`."""
    tool: StoryTool[Any, Any] = STORY_TOOLS.resolve(name)
    return tool


def all_story_tools() -> list[StoryTool[Any, Any]]:
    """Return every story tool, in the order of the catalogue."""
    return [get_story_tool(name) for name in STORY_TOOLS]
