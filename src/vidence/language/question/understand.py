"""Taking a question apart, in English and Chinese."""

from __future__ import annotations

import re
from typing import Literal

from vidence.language.identify import one_form, question_language
from vidence.language.question.chinese import chinese_action, chinese_targets
from vidence.language.question.compare import compare, find_alternatives
from vidence.language.question.english import english_action, english_targets
from vidence.language.question.form import Anchor, Kind, Ordinal, QuestionForm, Sense, Target
from vidence.language.question.kinds import find_kind, is_duration, is_when
from vidence.language.question.ordinals import find_ordinal
from vidence.language.question.times import find_anchors, find_moments, without_times
from vidence.language.question.written import is_about_screen, words_named
from vidence.language.quotations import quotations
from vidence.language.tables import pattern_of
from vidence.schema.agent import AnswerLanguage

__all__ = ["actions_of", "targets_of", "understand"]

_LONGEST = 800
_TWO = 2
_ASIDE = re.compile(r"[(（](?:in )?(?:seconds?|s|秒|sec|以秒计|单位.?秒)[^)）]*[)）]", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:left|right|middle|cent(?:er|re)|top|bottom)\b|[左右]|中间", re.IGNORECASE)
_COUNTED = re.compile(r"(?:how many|number of|count (?:of|all|how many)?|几|多少)(.*)", re.IGNORECASE)
_YES_NO = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|can|could|has|have|had|will)\b|吗|是否|有没有|是不是", re.IGNORECASE
)
_ASKS_WHAT = re.compile(
    r"\b(?:what|which|who|whose|when|where|how|or)\b|什么|哪|谁|几个?字?是|多少", re.IGNORECASE
)
_SENSES: tuple[Sense, ...] = ("said", "read", "heard")


def understand(question: str) -> QuestionForm:
    """Take a question apart; every text gives a form, at worst the kind `what` with no targets."""
    language = question_language(question)
    text = _shortened(" ".join(one_form(question, language).split()))
    ordinal = find_ordinal(text)
    kind = _settled(find_kind(text), text, language)
    if kind == "what" and ordinal is not None and ordinal.unit in ("word", "sentence"):
        kind = "said"
    moments = find_moments(_ASIDE.sub(" ", text))
    if len(moments) == _TWO and _has("compares", text):
        kind = "compare"
    plain = _content(text)
    comparison, items = compare(text, kind)
    return QuestionForm(
        text=text,
        language=language,
        kind=kind,
        targets=_targets(plain, text, kind, language),
        action=actions_of(plain, language),
        anchors=_anchors(text, ordinal),
        alternatives=find_alternatives(text),
        items=items,
        comparison=comparison,
        sense=_sense(text, kind),
        quoted=quotations(text) or words_named(text),
        wants_seconds=is_when(text),
        wants_duration=is_duration(text)
        and not re.search(r"how long (?:into|until|before|after)", text, re.IGNORECASE),
        distinct=_has("distinct", text),
        repeated=_has("repeated", text),
        extreme=_extreme(text),
        negated=_has("negated", text),
        ordinal=ordinal,
        moments=moments,
    )


def _targets(plain: str, text: str, kind: Kind, language: AnswerLanguage) -> tuple[Target, ...]:
    """Return the things a question names, what is to be counted before all others."""
    found = targets_of(plain, language)
    counted = _COUNTED.search(without_times(_ASIDE.sub(" ", text))) if kind == "count" else None
    asked = targets_of(counted[1], language) if counted else ()
    if not asked:
        return found
    return (asked[0], *(one for one in found if one.head != asked[0].head))


def targets_of(text: str, language: AnswerLanguage | None = None) -> tuple[Target, ...]:
    """Return the things a text names, read in `language`, or else in its own."""
    is_chinese = (language or question_language(text)) == "zh"
    return chinese_targets(text) if is_chinese else english_targets(text)


def actions_of(text: str, language: AnswerLanguage | None = None) -> str | None:
    """Return what a text says is done, read in `language`, or else in its own."""
    is_chinese = (language or question_language(text)) == "zh"
    return chinese_action(text) if is_chinese else english_action(text)


def _anchors(text: str, ordinal: Ordinal | None) -> tuple[Anchor, ...]:
    """Return the pointers in time; the last word said is no pointer to the end of the video."""
    found = find_anchors(_ASIDE.sub(" ", text))
    return tuple(one for one in found if ordinal is None or one.relation not in ("first", "last"))


def _shortened(text: str) -> str:
    """Return a very long question's beginning and end; what is asked stands at either."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} {text[-_LONGEST // 2 :]}"


def _content(text: str) -> str:
    """Return a question without the words that only ask."""
    return pattern_of("question_features.tsv", "asks").sub(" ", without_times(_ASIDE.sub(" ", text))).strip()


def _extreme(text: str) -> Literal["most", "fewest"] | None:
    if _has("most", text):
        return "most"
    return "fewest" if _has("fewest", text) else None


def _has(feature: str, text: str) -> bool:
    return pattern_of("question_features.tsv", feature).search(text) is not None


def _sense(text: str, kind: Kind) -> Sense:
    if kind in ("said", "heard", "read"):
        return kind
    if is_about_screen(text) and (quotations(text) or words_named(text)):
        return "read"
    return next((sense for sense in _SENSES if _has(sense, text)), "seen")


def _settled(kind: Kind, text: str, language: AnswerLanguage) -> Kind:
    """Look twice at `which`, `what` and `yes_no`: what can be told from the nouns and the choices offered."""
    offered = find_alternatives(text)
    if kind == "read" and _YES_NO.search(text) and not _ASKS_WHAT.search(text):
        return "yes_no"
    if kind in ("what", "yes_no", "who", "where") and offered:
        return "which"
    if kind == "order" and len(offered) > 1 and all(_PLACE.search(one) for one in offered):
        return "which"
    if kind == "what" and language == "en" and re.match(r"\W*which\b", text, re.IGNORECASE):
        nouns = english_targets(text)
        if nouns and nouns[0].category not in (None, "animal", "vehicle", "food", "furniture", "electronics"):
            # Which bottle, among bottles: it is told by where it is. Which animal: by what it is.
            return "which" if nouns[0].head == nouns[0].category or nouns[0].category == "person" else "what"
    return kind
