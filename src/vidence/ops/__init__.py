"""The atomic operations on the video world, one file each."""

from vidence.ops.catalogue import COMPOSED, OPERATIONS, all_operations, get_operation
from vidence.ops.context import OpContext
from vidence.ops.llm_schema import gemini_schema, openai_schema
from vidence.ops.operation import Operation, Request, Result
from vidence.ops.runner import Outcome, run_operation

__all__ = [
    "COMPOSED",
    "OPERATIONS",
    "OpContext",
    "Operation",
    "Outcome",
    "Request",
    "Result",
    "all_operations",
    "gemini_schema",
    "get_operation",
    "openai_schema",
    "run_operation",
]
