"""QueryRefiner: two or three queries for the next attempt, and the hint that carries them."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.prompts import Prompt, Wording
from vidence.prompts.fenced import data, one_line
from vidence.schema.agent import AnswerLanguage
from vidence.schema.message import Message
from vidence.schema.react import RefinerReply, RefinerVariables

__all__ = ["REFINER_TASK", "hint", "refiner_prompt"]

REFINER_TASK = "refiner.queries"


def refiner_prompt(variables: RefinerVariables, wording: Wording) -> Prompt:
    """Return the prompt that asks for queries."""
    text = wording.fill(
        REFINER_TASK,
        question=one_line(variables.question),
        suggestion=one_line(variables.suggestion),
        tried=data("\n".join(map(one_line, variables.tried)) or "–", 'kind="tried"'),
        seen=data(
            "\n".join(one_line(quote)[:200] for quote in variables.seen[:6]) or "–", 'kind="quotations"'
        ),
    )
    message = Message(role="user", text=text)
    return Prompt(REFINER_TASK, (message,), variables, RefinerReply, wording.uses(REFINER_TASK))


def hint(question: str, queries: Sequence[str], language: AnswerLanguage) -> str:
    """Return the question of the next attempt: the original and the hint, in the seed's words."""
    quoted = ", ".join(f'"{query}"' for query in queries)
    if language == "zh":
        return (
            f"{question}\n\n[系统提示: 上次答案深度不足。建议搜索关键词: {quoted}。\n"
            "可以使用 search_memory 搜索故事内容，track_journey 追踪时间线，\n"
            "或 find_connection 查找关系。请根据问题类型选择合适的工具。]"
        )
    return (
        f"{question}\n\n[System hint: the last answer was not deep enough. "
        f"Suggested search keywords: {quoted}.\n"
        "You can use search_memory to search the story, track_journey to follow the timeline,\n"
        "or find_connection to find relations. Choose the tools that fit the type of question.]"
    )
