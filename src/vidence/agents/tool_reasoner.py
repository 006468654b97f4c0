"""The tool reasoner: the Solver/Checker loop with tools beside the operations.

The engine sees the tools that fit the question, calls one or several in a step, and answers with claims. The
records of a tool's steps enter the ledger, so claims cite and verify them like any other.
"""

from __future__ import annotations

from typing import Any

from vidence.agents.solver_checker.loop import SolverChecker, SolverInput
from vidence.schema.agent import SolverVariables

__all__ = ["MAX_TOOLS", "ToolInput", "ToolReasoner"]

MAX_TOOLS = 8
"""The most tools shown for one question; large libraries lower the pass rate."""


class ToolInput(SolverInput):
    """What a tool reasoner is given; `operations` holds the schemas of the tools too."""

    tools: tuple[dict[str, Any], ...] = ()
    """The tools as their files define them."""


class ToolReasoner(SolverChecker):
    """A Solver that may call tools."""

    name = "tool_reasoner"
    given = ToolInput

    def _variables(self) -> SolverVariables:
        given = self.run.given
        tools = given.tools if isinstance(given, ToolInput) else ()
        return super()._variables().model_copy(update={"tools": tools})
