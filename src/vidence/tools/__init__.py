"""Tools: typed steps over the atomic operations, found in traces, proved by running, kept as files.

`story/` has the five tools of stories, in the same shape as an operation.
"""

from vidence.tools.check import Plan, check_tool
from vidence.tools.execute import Limits, ToolOutcome, run_plan
from vidence.tools.operation import ToolResult, as_operation
from vidence.tools.steps import Tool, parse_tool

__all__ = [
    "Limits",
    "Plan",
    "Tool",
    "ToolOutcome",
    "ToolResult",
    "as_operation",
    "check_tool",
    "parse_tool",
    "run_plan",
]
