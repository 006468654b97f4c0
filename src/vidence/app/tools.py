"""Tools of a workspace: check and dry-run a file, induce from traces, and test what was found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vidence.app.tool_admission import Judge, Tried, induce
from vidence.app.tool_proposals import propose
from vidence.app.workspace import Workspace
from vidence.errors import FileProblem, OpFailed
from vidence.tools import Tool, ToolOutcome, check_tool, parse_tool, run_plan
from vidence.tools.execute import CallAnswer
from vidence.tools.library import Admission, Entry
from vidence.tools.reduce import contains_words

__all__ = [
    "Admission",
    "Entry",
    "Judge",
    "Tried",
    "check_file",
    "dry_run",
    "dry_run_file",
    "induce",
    "propose",
]


def check_file(path: Path) -> Tool:
    """Return the tool of a file, having checked its types."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise FileProblem(f"{path} cannot be read as text: {exc}.") from exc
    tool = parse_tool(text)
    check_tool(tool)
    return tool


def dry_run_file(workspace: Workspace, path: Path, video: str, inputs: Mapping[str, Any]) -> ToolOutcome:
    """Run a tool's file on the recorded results of a video."""
    return dry_run(workspace, check_file(path), workspace.find(video).video_id, inputs)


def dry_run(workspace: Workspace, tool: Tool, video_id: str, inputs: Mapping[str, Any]) -> ToolOutcome:
    """Run a tool on results recorded earlier, without any model: it finds what types cannot."""
    return run_plan(check_tool(tool), inputs, _Recorded(workspace, video_id))


@dataclass
class _Recorded:
    """Answers each operation with its latest recorded result on a video."""

    workspace: Workspace
    video_id: str
    latest: dict[str, CallAnswer] = field(default_factory=dict)

    def call(self, api: str, params: Mapping[str, Any]) -> CallAnswer:
        if api not in self.latest:
            self.latest[api] = self._find(api)
        return self.latest[api]

    def prepare(self, api: str, calls: Sequence[Mapping[str, Any]]) -> None:
        """Nothing is computed, so nothing is prepared."""

    def matches(self, texts: Sequence[str], wanted: str) -> bool:
        return any(contains_words(text, wanted) for text in texts)

    def _find(self, api: str) -> CallAnswer:
        results = self.workspace.store.results
        for record in results.records(video_id=self.video_id, operation=api, limit=1):
            text = results.result(record.result_hash)
            if text is not None:
                return CallAnswer(json.loads(text), record.record_id)
        raise OpFailed(f"No result of {api} was recorded for this video yet; run it once: vidence op {api}")
