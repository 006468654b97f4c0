"""The monitor without a language model: planning, keywords, review and synthesis by rule."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date

from vidence.embedded.wire import json_reply, read_variables
from vidence.intel.digest import is_question
from vidence.language.dates import find_dates
from vidence.language.identify import has_han
from vidence.language.tables import read_table
from vidence.language.tokens import query_terms, terms
from vidence.llm.embedded import Skill
from vidence.prompts import Prompt
from vidence.prompts.topics import KEYWORDS_TASK, PLAN_TASK, REVIEW_TASK, SYNTHESIS_TASK
from vidence.schema.topics import (
    DraftStatement,
    KeywordReply,
    KeywordVariables,
    ReviewReply,
    ReviewVariables,
    SubTask,
    SynthesisReply,
    SynthesisVariables,
    TaskPlan,
    TopicNote,
    TopicPlanVariables,
)

__all__ = ["MONITOR_SKILLS", "make_plan"]

_ROWS = read_table("monitor.tsv", "embedded")
_NAME = re.compile(r"[A-Z][\w.'’-]*(?:[ -](?:[A-Z][\w.'’-]*|\d[\w.]*))+|\b[A-Z]\w*\d[\w.]*\b")
_HAN_NAME = re.compile("《([^》]{2,20})》|“([^”]{2,12})”|([A-Za-z][A-Za-z0-9.-]+(?: ?[A-Z0-9][\\w.-]*)*)")
_CAPITAL = re.compile(r"\b[A-Z][\w.-]*(?:[ -][A-Z0-9][\w.-]*)*")
_EDGES = " \t,.:;!?，。：；！？、的"
_NEW_KEYWORDS = 2
_LEAST_MENTIONS = 2
_SAME = 0.7
_LEAST_SCORE = 0.3
"""Below this a note does not bear on the command."""


def plan_skill(prompt: Prompt) -> str:
    """Answer `monitor.plan`."""
    plan = make_plan(read_variables(prompt, TopicPlanVariables))
    return json_reply("; ".join(task.title for task in plan.sub_tasks), plan)


def make_plan(variables: TopicPlanVariables) -> TaskPlan:
    """Return the subject of a command and its sub-tasks: the command itself, then what is always asked."""
    language = "zh" if has_han(variables.command) else "en"
    subject = _subject(variables.command, language)
    aspects = [row[2:] for row in _ROWS if row[:2] == ["aspect", language]]
    tasks = [SubTask(title=_title(variables.command), query=variables.command)]
    tasks += [SubTask(title=title, query=f"{subject} {query}") for title, query in aspects]
    return TaskPlan(subject=subject, sub_tasks=tuple(tasks[:5]))


def _subject(command: str, language: str) -> str:
    """Return what a command is about: without how it begins and without "latest developments"."""
    text = " ".join(command.split()).strip(_EDGES)
    names = [match[0] for match in _CAPITAL.finditer(text) if match.start()] if is_question(command) else []
    if names and language == "en":
        return " ".join(dict.fromkeys(names))
    changed = True
    while changed:
        changed = False
        lowered = text.lower()
        for kind, *words in ((row[0], *row[2:]) for row in _ROWS if row[1] == language):
            for word in sorted(words, key=len, reverse=True):
                found = _without(text, lowered, kind, word)
                if found and found != text:
                    text, changed = found, True
                    break
            if changed:
                break
    return text or command


def _without(text: str, lowered: str, kind: str, word: str) -> str:
    space = "" if has_han(word) else r"\b"
    if kind == "order" and re.match(rf"{re.escape(word)}{space}", lowered):
        return text[len(word) :].strip(_EDGES)
    if kind == "tail" and re.search(rf"{space}{re.escape(word)}$", lowered):
        return re.sub(
            r"(?:['’]s?|\b(?:and|in|on|of|about|the))$", "", text[: -len(word)].strip(_EDGES)
        ).strip(_EDGES)
    return ""


def _title(command: str) -> str:
    return " ".join(command.split())[:120]


def keywords_skill(prompt: Prompt) -> str:
    """Answer `monitor.extract_keywords`: names that come up with the subject and were not searched for."""
    variables = read_variables(prompt, KeywordVariables)
    subject = set(query_terms(variables.subject))
    known = {term for one in variables.searched for term in terms(one)} | subject
    mentions: Counter[str] = Counter()
    for sentence in variables.sentences:
        if subject & set(terms(sentence)):
            pattern = _HAN_NAME if has_han(sentence) else _NAME
            found = {_first(match) for match in pattern.finditer(sentence)}
            fresh = (one.strip(_EDGES) for one in found if set(terms(one)) - known)
            mentions.update(one for one in fresh if not find_dates(one, today=date.min))
    ranked = sorted(mentions.items(), key=lambda item: (-item[1], -len(item[0]), item[0]))
    kept = [name for name, number in ranked if number >= _LEAST_MENTIONS and len(name) > 1]
    reply = KeywordReply(keywords=tuple(kept[:_NEW_KEYWORDS]))
    return json_reply(", ".join(reply.keywords), reply)


def _first(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group), match[0])


def review_skill(prompt: Prompt) -> str:
    """Answer `monitor.critical_review`: notes that do not bear on the command are doubtful."""
    variables = read_variables(prompt, ReviewVariables)
    weak = tuple(note.number for note in variables.notes if note.score < _LEAST_SCORE)
    reason = "与指令关系不大" if variables.language == "zh" else "hardly bears on the command"
    reply = ReviewReply(doubtful=weak, reasons=(reason,) * len(weak))
    return json_reply("", reply)


def synthesis_skill(prompt: Prompt) -> str:
    """Answer `monitor.synthesis`: the best notes word for word; those that say the same become one."""
    variables = read_variables(prompt, SynthesisVariables)
    groups: list[list[TopicNote]] = []
    for note in variables.notes:
        held = next((group for group in groups if _same(note, group[0])), None)
        if held is not None:
            held.append(note)
        elif len(groups) < variables.most:
            groups.append([note])
    ordered = sorted(groups, key=lambda group: (group[0].sub_task, -group[0].score, group[0].number))
    drafts = [
        DraftStatement(text=group[0].text, notes=tuple(note.number for note in group)) for group in ordered
    ]
    return json_reply("", SynthesisReply(statements=tuple(drafts)))


def _same(one: TopicNote, other: TopicNote) -> bool:
    mine, held = set(terms(one.text)), set(terms(other.text))
    return one.source != other.source and len(mine & held) >= _SAME * max(len(mine | held), 1)


MONITOR_SKILLS: dict[str, Skill] = {
    PLAN_TASK: plan_skill,
    KEYWORDS_TASK: keywords_skill,
    REVIEW_TASK: review_skill,
    SYNTHESIS_TASK: synthesis_skill,
}
