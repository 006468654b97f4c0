"""The monitor without a language model: planning, keywords, review and synthesis by rule, and its critic."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date

from vidence.embedded.choice.captions import VectorCache
from vidence.embedded.recipes.recipe import Embed
from vidence.embedded.wire import json_reply, read_variables
from vidence.intel.critic.review import check_statements
from vidence.intel.digest import is_question, select_notes
from vidence.language.dates import find_dates
from vidence.language.identify import has_han
from vidence.language.numbers import numbers_in
from vidence.language.tables import read_table
from vidence.language.tokens import query_terms, terms
from vidence.llm.embedded import Skill
from vidence.prompts import Prompt
from vidence.prompts.topics import (
    CHECK_TASK,
    KEYWORDS_TASK,
    PLAN_TASK,
    REVIEW_TASK,
    SELECT_TASK,
    SYNTHESIS_TASK,
)
from vidence.runs.checker import CHECKER_TASK
from vidence.schema.agent import CheckerResponse, CheckerVariables
from vidence.schema.briefing import CheckVariables
from vidence.schema.topics import (
    DraftStatement,
    KeywordReply,
    KeywordVariables,
    ReviewReply,
    ReviewVariables,
    SelectVariables,
    SubTask,
    SynthesisReply,
    SynthesisVariables,
    TaskPlan,
    TopicNote,
    TopicPlanVariables,
)

__all__ = ["MONITOR_SKILLS", "critic_skills", "make_plan"]

_ROWS = read_table("monitor.tsv", "embedded")
_NAME = re.compile(r"[A-Z][\w.'’-]*(?:[ -](?:[A-Z][\w.'’-]*|\d[\w.]*))+|\b[A-Z]\w*\d[\w.]*\b")
_HAN_NAME = re.compile("《([^》]{2,20})》|“([^”]{2,12})”|([A-Za-z][A-Za-z0-9.-]+(?: ?[A-Z0-9][\\w.-]*)*)")
_CAPITAL = re.compile(r"\b[A-Z][\w.-]*(?:[ -][A-Z0-9][\w.-]*)*")
_EDGES = " \t,.:;!?，。：；！？、的"
_NEW_KEYWORDS = 2
_LEAST_MENTIONS = 2
_SAME = 0.7
_OF_ONE_PAGE = 2
_NEAR_BEST, _WORTH_TELLING, _LEAST_TOLD = 0.75, 0.6, 5
"""The share of the best score that an answer, or a piece of news, must have; so many are told in any case."""
_LEAST_SCORE, _LEAST_ANSWER = 0.3, 0.24
"""Below this a note does not bear on an order, or on a question, whose words an answer repeats less."""


def plan_skill(prompt: Prompt) -> str:
    """Answer `monitor.plan`."""
    plan = make_plan(read_variables(prompt, TopicPlanVariables))
    return json_reply("; ".join(task.title for task in plan.sub_tasks), plan)


def make_plan(variables: TopicPlanVariables) -> TaskPlan:
    """Return the subject of a command and its sub-tasks: the command itself, then what is always asked."""
    language = "zh" if has_han(variables.command) else "en"
    subject = _subject(variables.command, language)
    aspects = [row[2:] for row in _ROWS if row[:2] == ["aspect", language]]
    titles = next(row[2:] for row in _ROWS if row[:2] == ["general", language])
    if is_question(variables.command):
        words = " ".join(dict.fromkeys(query_terms(variables.command)))
        queries = dict.fromkeys((variables.command, subject, words))
        return TaskPlan(
            subject=subject,
            sub_tasks=tuple(
                SubTask(title=title, query=query) for title, query in zip(titles[1:], queries, strict=False)
            ),
        )
    tasks = [SubTask(title=titles[0], query=subject)]
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
    least = _LEAST_ANSWER if is_question(variables.command) else _LEAST_SCORE
    weak = tuple(note.number for note in variables.notes if note.score < least)
    reason = "与指令关系不大" if variables.language == "zh" else "hardly bears on the command"
    reply = ReviewReply(doubtful=weak, reasons=(reason,) * len(weak))
    return json_reply("", reply)


def synthesis_skill(prompt: Prompt) -> str:
    """Answer `monitor.synthesis`: the best notes word for word; those that say the same become one.

    Every sub-task gets its share. What is new is told newest first, an answer to a question best first.
    """
    variables = read_variables(prompt, SynthesisVariables)
    groups: list[list[TopicNote]] = []
    for note in variables.notes:
        held = next((group for group in groups if _same(note, group[0])), None)
        if held is not None:
            held.append(note)
        else:
            groups.append([note])
    by_day = not is_question(variables.command)
    chosen = _shared_out(_near_the_best(groups, _WORTH_TELLING if by_day else _NEAR_BEST), variables.most)
    ordered = sorted(chosen, key=lambda group: _place(group[0], by_day=by_day))
    drafts = [
        DraftStatement(text=group[0].text, notes=tuple(note.number for note in group)) for group in ordered
    ]
    return json_reply("", SynthesisReply(statements=tuple(drafts)))


def _near_the_best(groups: Sequence[list[TopicNote]], share: float) -> list[list[TopicNote]]:
    """Return the groups that fit nearly as well as the best of them, and a few in any case."""
    ranked = sorted(groups, key=lambda group: -group[0].score)
    best = ranked[0][0].score if ranked else 0.0
    near = [group for group in ranked if group[0].score >= share * best]
    return ranked[: max(len(near), _LEAST_TOLD)]


def _shared_out(groups: Sequence[list[TopicNote]], most: int) -> list[list[TopicNote]]:
    """Return the best groups, the sub-tasks taking turns, few of them from one page."""
    waiting = list(groups)
    chosen: list[list[TopicNote]] = []
    used: Counter[int] = Counter()
    sources = len({group[0].source for group in groups}) or 1
    of_one = max(_OF_ONE_PAGE, -(-most // sources))
    while waiting and len(chosen) < most:
        for task in sorted({group[0].sub_task for group in waiting}):
            own = [group for group in waiting if group[0].sub_task == task]
            best = next((group for group in own if used[group[0].source] < of_one), None)
            gone = own if best is None else [best]
            waiting = [group for group in waiting if not any(group is one for one in gone)]
            if best is not None and len(chosen) < most:
                used[best[0].source] += 1
                chosen.append(best)
    return chosen


def _place(note: TopicNote, *, by_day: bool) -> tuple[float, ...]:
    day = -note.published.toordinal() if by_day and note.published is not None else 0
    return (note.sub_task, day, -note.score, note.number)


def _same(one: TopicNote, other: TopicNote) -> bool:
    mine, held = set(terms(one.text)), set(terms(other.text))
    if one.source == other.source or _figures(one.text) != _figures(other.text):
        return False
    return len(mine & held) >= _SAME * max(len(mine | held), 1)


def _figures(text: str) -> set[float]:
    return {number.value for number in numbers_in(text)}


MONITOR_SKILLS: dict[str, Skill] = {
    PLAN_TASK: plan_skill,
    KEYWORDS_TASK: keywords_skill,
    REVIEW_TASK: review_skill,
    SYNTHESIS_TASK: synthesis_skill,
}


def critic_skills(embed: Embed) -> Mapping[str, Skill]:
    """Return the skills of the critic; no language model has a part in them."""
    cached = VectorCache(embed)

    def select(prompt: Prompt) -> str:
        return json_reply("", select_notes(read_variables(prompt, SelectVariables), cached))

    def check(prompt: Prompt) -> str:
        return json_reply("", check_statements(read_variables(prompt, CheckVariables), cached))

    return {SELECT_TASK: select, CHECK_TASK: check, CHECKER_TASK: _judge}


def _judge(prompt: Prompt) -> str:
    """Accept a briefing when the verifier resolved every citation of it."""
    variables = read_variables(prompt, CheckerVariables)
    verdicts = [claim.verdict for claim in variables.claims]
    if variables.answer.cannot_tell:
        response = CheckerResponse(confidence_score=4)
    elif not verdicts or "failed" in verdicts:
        response = CheckerResponse(confidence_score=2, feedback="A statement is not in what it cites.")
    else:
        response = CheckerResponse(confidence_score=5 if set(verdicts) == {"verified"} else 4)
    return json_reply("", response)
