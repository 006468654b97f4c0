"""Plain extraction: the reader without a language model copies the part of a note that answers.

It chooses the note by the words it shares with the question and by meaning, and from it the span of the type
that was asked for. A type that cannot be copied from a note, or a question that no note bears on, is "cannot
tell".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from vidence.embedded.recipes.recipe import Embed
from vidence.embedded.wire import json_reply, read_variables
from vidence.language.identify import has_han
from vidence.language.numbers import numbers_in
from vidence.language.tables import words_of
from vidence.language.tokens import query_terms, sentences, terms
from vidence.llm.embedded import Skill
from vidence.runs.guard import guarded
from vidence.runs.notes import relevance
from vidence.runs.reading import READER_ANSWER, READER_CHOOSE, READER_SUMMARISE
from vidence.schema.reading import Note, ReaderReply, ReaderVariables

__all__ = ["extract", "reader_skills"]

_NAMED = 0.15
"""What a note gains that names the asked-for noun."""
_LEAST = 0.34
"""Below this no note bears on the question."""
_NEARLY_ALL = 0.8
"""Share of the time for which dates are shown that the one that is meant takes; misread ones are short."""
_SENTENCES = 3
_NEAR = 24
"""Characters between a figure and its noun."""
_ASKING = frozenset(
    term for word in words_of("words.tsv", "about_speech", room="embedded") for term in terms(word)
)
"""Words about speech itself, which say nothing of its content."""
_DATE = re.compile(
    r"\d{4}\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}\s*[日号]?(?:[\sT]*\d{1,2}:\d{2}(?::\d{2})?)?"
    r"|\d{1,2}\s*月\s*\d{1,2}\s*[日号]"
    r"|(?:\d{1,2}(?:st|nd|rd|th)?\s+)?(?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December)(?:\s+\d{1,2}(?:st|nd|rd|th)?)?(?:,?\s+\d{4})?"
    r"|\b(?:19|20)\d\d\b\s*年?"
)
_TIME = r"\d{1,2}[:：]\d{2}(?:[:：]\d{2})?"
_CLOCK = re.compile(
    rf"(?<![\d:.]){_TIME}(?:\s*[–-]\s*{_TIME})?(?![\d:.])(?:\s*[ap]\.?m\b\.?)?", re.IGNORECASE
)
_CLOCK_HEADS = words_of("words.tsv", "clock", room="embedded")
_MONEY = re.compile(
    r"[$€£¥￥]\s*\d[\d,.]*(?:\s*(?:million|billion|thousand|[kKmMbB万亿]))?"
    r"|(?:\d[\d,.]*|[零一二两三四五六七八九十百千万几]+)\s*(?:多|来)?\s*"
    r"(?:dollars?|euros?|pounds?|yuan|cents?|RMB|万?元|块钱?|毛钱?|美元|人民币)"
)
_NAME = re.compile(r"[A-Z][\w'’.-]+(?:\s+(?:(?:of|de|van|von|la|del|the)\s+)?[A-Z][\w'’.-]+)*")
_Span = Callable[[str, ReaderVariables], str]


def reader_skills(embed: Embed) -> Mapping[str, Skill]:
    """Return the skills of a reader without a language model; between options it has no opinion."""

    def read(how: Callable[[ReaderVariables, Embed], ReaderReply]) -> Skill:
        return lambda prompt: json_reply("", how(read_variables(prompt, ReaderVariables), embed))

    return {READER_ANSWER: read(extract), READER_SUMMARISE: read(_summary), READER_CHOOSE: lambda _: "{}"}


def extract(variables: ReaderVariables, embed: Embed) -> ReaderReply:
    """Return the span of a note that fits the question and its type, or "cannot tell"."""
    if not variables.notes:
        return ReaderReply()
    texts = [note.text for note in variables.notes]
    head = set(terms(variables.head))
    scores = [
        score + _NAMED * bool(head & set(terms(text)))
        for score, text in zip(
            relevance(variables.question, texts, embed, ignored=_ASKING), texts, strict=True
        )
    ]
    ranked = sorted(zip(scores, variables.notes, strict=True), key=lambda pair: -pair[0])
    for score, note in ranked:
        if score < _LEAST:
            break
        if span := _span(note, variables):
            reply = ReaderReply(answer=span, notes=(note.number,))
            if not (kept := guarded(reply, variables)).cannot_tell:
                return kept
    return _only_one(variables)


def _only_one(variables: ReaderVariables) -> ReaderReply:
    """Return the date of all notes, where there is only one or one is there nearly all the time."""
    if variables.answer_type != "date":
        return ReaderReply()
    lasting: dict[str, float] = {}
    noted: dict[str, Note] = {}
    for note in variables.notes:
        if span := _span(note, variables):
            lasting[span] = lasting.get(span, 0.0) + (note.end_s or 0.0) - (note.start_s or 0.0)
            noted.setdefault(span, note)
    best = max(lasting, key=lambda span: lasting[span], default="")
    if not best or (len(lasting) > 1 and lasting[best] < _NEARLY_ALL * sum(lasting.values())):
        return ReaderReply()
    return guarded(ReaderReply(answer=best, notes=(noted[best].number,)), variables)


def _span(note: Note, variables: ReaderVariables) -> str:
    """Return the part of a note that is of the type asked for; "" when there is none."""
    find = _SPANS.get(variables.answer_type)
    if find is not None:
        return find(note.text, variables)
    return _sentence(note.text, variables) if variables.answer_type in _OPEN else ""


def _sentence(text: str, variables: ReaderVariables) -> str:
    """Return the sentence that shares most words with the question."""
    wanted = set(query_terms(variables.question)) - _ASKING
    return max(sentences(text), key=lambda one: len(wanted & set(terms(one))))


def _figure(text: str, variables: ReaderVariables) -> str:
    """Return the figure nearest to the asked-for noun, with the words around it kept out."""
    head = set(terms(variables.head)) or set(query_terms(variables.question)) - _ASKING
    found = [one for one in numbers_in(text) if not one.is_vague]
    near = [one for one in found if head & set(terms(text[max(one.start - _NEAR, 0) : one.end + _NEAR]))]
    return near[0].text if near else ""


def _first(pattern: re.Pattern[str]) -> _Span:
    def find(text: str, variables: ReaderVariables) -> str:
        known = variables.question.lower()
        spans = (match[0].strip() for match in pattern.finditer(text))
        return next((span for span in spans if span.lower() not in known), "")

    return find


def _date(text: str, variables: ReaderVariables) -> str:
    """Return the date, or the time of day where that is asked for."""
    is_clock = variables.head in _CLOCK_HEADS
    return _first(_CLOCK if is_clock else _DATE)(text, variables)


def _name(text: str, variables: ReaderVariables) -> str:
    """Return the longest name that the question does not give; of a short Chinese line, the line."""
    known = variables.question.lower()
    found = [match[0] for match in _NAME.finditer(text) if match[0].lower() not in known]
    if found:
        return max(found, key=len)
    return text if has_han(text) and len(text) <= _SHORT_LINE else ""


_SHORT_LINE = 12
_SPANS: dict[str, _Span] = {
    "number": _figure,
    "count": _figure,
    "duration": _figure,
    "money": _first(_MONEY),
    "date": _date,
    "name": _name,
    "person": _name,
}
_OPEN = frozenset({"", "other", "text", "utterance", "reason", "place", "job", "statement", "action"})
"""Types that a whole sentence answers."""


def _summary(variables: ReaderVariables, embed: Embed) -> ReaderReply:
    """Return the notes most like the rest, in order."""
    notes = [note for note in variables.notes if note.text.strip()]
    if not notes:
        return ReaderReply()
    vectors = np.asarray(embed([note.text for note in notes]), np.float32)
    central = vectors @ vectors.mean(axis=0)
    best = sorted(sorted(range(len(notes)), key=lambda index: -central[index])[:_SENTENCES])
    kept = [notes[index] for index in best]
    ended = [note.text.rstrip(" .。") for note in kept]
    is_chinese = variables.language == "zh"
    answer = "。".join(ended) + "。" if is_chinese else ". ".join(ended) + "."
    return ReaderReply(answer=answer, notes=tuple(note.number for note in kept))
