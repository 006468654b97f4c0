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
"""Operations and tools whose arguments are explained from the beginning."""
_ROOMY_TOKENS = 20_000
"""An engine with a smaller context is told everything in short."""
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


def menu(
    question: str, tools: Sequence[Entry], embed: Embed, *, context_tokens: int
) -> tuple[OperationCard, ...]:
    """Return what may be called for a question: the operations, then the tools, each as a card.

    Tools that were found in past runs come first among what is explained in full, since they were chosen for
    the kind of question; then whatever has a purpose like the question.
    """
    language = question_language(question)
    offered = [
        *_operations(),
        *(replace(as_operation(one.parsed()), purpose=one.purpose(language)) for one in tools),
    ]
    first = [one.name for one in tools if one.learned_from]
    most = _IN_FULL if context_tokens >= _ROOMY_TOKENS else 0
    full = set(([*first, *_ranked(offered, question, embed)] if most else [])[:most])
    return tuple(_card(one, is_relevant=one.name in full) for one in offered)


@lru_cache(maxsize=1)
def _operations() -> tuple[Operation[Any, Any], ...]:
    atomic = [one for one in all_operations() if one.name not in REFUSED]
    return (*atomic, *(get_operation(name) for name in COMPOSED))


def _ranked(offered: Sequence[Operation[Any, Any]], question: str, embed: Embed) -> list[str]:
    vectors = embed([question, *(one.purpose for one in offered)])
    alike = (vectors[1:] @ vectors[0]).tolist()
    return [one.name for _, one in sorted(zip(alike, offered, strict=True), key=lambda pair: -pair[0])]


def _card(operation: Operation[Any, Any], *, is_relevant: bool) -> OperationCard:
    return OperationCard(
        name=operation.name,
        line=usage_line(operation),
        details=usage_text(operation),
        is_relevant=is_relevant,
    )
