"""What a Solver is told it may call: what a question is likely to need in full, the rest in short.

The menu is sent at every step, so its length is paid for at every step. What is shown in short can be called
too; a call with a mistake is answered with the details.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidence.language.identify import question_language
from vidence.ops.catalogue import COMPOSED, all_operations, get_operation
from vidence.ops.operation import Operation
from vidence.ops.usage import usage_line, usage_text
from vidence.runs.worlds.video import REFUSED
from vidence.schema.agent import OperationCard
from vidence.tools import as_operation
from vidence.tools.library import Entry

__all__ = ["menu"]

_IN_FULL = 4
"""Operations whose arguments are explained from the beginning."""
_ROOMY_TOKENS = 20_000
"""An engine with a smaller context is told everything in short."""
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


def menu(
    question: str, tools: Sequence[Entry], embed: Embed, *, context_tokens: int
) -> tuple[OperationCard, ...]:
    """Return what may be called for a question: the operations, then the tools, each as a card.

    The operations whose purpose is most like the question are explained in full. A tool is told in a line,
    since its inputs are arguments of operations; it takes no operation's place, so that it only lowers what a
    run costs by being called.
    """
    language = question_language(question)
    own = [replace(as_operation(one.parsed()), purpose=one.purpose(language)) for one in tools]
    full: set[str] = set()
    if context_tokens >= _ROOMY_TOKENS:
        full = set(_ranked(question, embed)[:_IN_FULL])
    return tuple(_card(one, is_relevant=one.name in full) for one in (*_operations(), *own))


@lru_cache(maxsize=1)
def _operations() -> tuple[Operation[Any, Any], ...]:
    atomic = [one for one in all_operations() if one.name not in REFUSED]
    return (*atomic, *(get_operation(name) for name in COMPOSED))


def _ranked(question: str, embed: Embed) -> list[str]:
    alike = (_purposes(embed) @ embed([question])[0]).tolist()
    pairs = sorted(zip(alike, _operations(), strict=True), key=lambda pair: -pair[0])
    return [one.name for _, one in pairs]


@lru_cache(maxsize=1)
def _purposes(embed: Embed) -> NDArray[np.float32]:
    return embed([one.purpose for one in _operations()])


def _card(operation: Operation[Any, Any], *, is_relevant: bool) -> OperationCard:
    return OperationCard(
        name=operation.name,
        line=usage_line(operation),
        details=usage_text(operation),
        is_relevant=is_relevant,
    )
