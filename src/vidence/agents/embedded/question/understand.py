"""Taking a question apart, in English and Chinese."""

from __future__ import annotations

import re
from typing import Literal

from vidence.agents.embedded.question.chinese import chinese_action, chinese_targets
from vidence.agents.embedded.question.compare import compare, find_alternatives
from vidence.agents.embedded.question.english import english_action, english_targets
from vidence.agents.embedded.question.form import Kind, QuestionForm, Sense, Target
from vidence.agents.embedded.question.kinds import find_kind, is_duration, is_when
from vidence.agents.embedded.question.times import find_anchors, without_times
from vidence.schema.agent import AnswerLanguage

__all__ = ["actions_of", "language_of", "targets_of", "understand"]

_HAN = re.compile(r"[\u3400-\u9fff]")
_QUOTED = re.compile(
    r"\"([^\"]+)\"|“([^”]+)”|「([^」]+)」|『([^』]+)』|《([^》]+)》|(?<!\w)'([^']{2,})'(?!\w)"
)
_ASIDE = re.compile(r"[(（](?:in )?(?:seconds?|s|秒|sec|以秒计|单位.?秒)[^)）]*[)）]", re.IGNORECASE)
_SCAFFOLD = re.compile(
    r"^\W*(?:please\s+)?(?:(?:at|in|on|by|from) (?:about |roughly )?(?:what|which) (?:time|second|moment|point|timestamp|"
    r"minute)s?|when(?: exactly)?|(?:give|name|find|tell|state)(?: me)? (?:a|the|one|any) (?:time|moment|timestamp|"
    r"second|point)(?: in seconds)?(?: near the \w+)?(?: at which| when| where| in which)?|how many times|how many seconds|"
    r"how many|how often|how long|(?:what|which) is the (?:maximum|minimum|largest|smallest|greatest|highest|lowest|total|"
    r"most|least)?\s*number of(?: times)?|what number of|count (?:the number of|how many|all|the))\b",
    re.IGNORECASE,
)
_MOST = (
    r"\b(?:maximum|max|most|largest|greatest|highest|biggest|peak) (?:number|count|amount|of|people|\w+s)?\b|\bat most\b"
    r"|最多|最大数"
)
_FEWEST = r"\b(?:minimum|min|fewest|smallest|lowest|least) (?:number|count|amount|\w+s)?\b|\bat least one time\b|最少|最小数"
_DISTINCT = (
    r"\b(?:different|distinct|unique|individual|separate)\b|\bin total\b|\baltogether\b|\boverall\b|\bthroughout\b"
    r"|\bin the (?:whole|entire) (?:video|clip|film)\b|\bover the (?:whole|entire|course)|\bcome[s]? (?:in|into|by|past|to)\b"
    r"|\bwalk(?:s)? (?:by|past|through|into|across)\b|\bpass(?:es)? (?:by|through)?\b|\benter(?:s)?\b"
    r"|不同|总共|一共|先后|整个|经过|走过|累计"
)
_COUNTED = re.compile(r"(?:how many|number of|count (?:of|all|how many)?|几|多少)(.*)", re.IGNORECASE)
_REPEATED = r"\bhow many times\b|\bnumber of times\b|\bhow often\b|多少次|几次|几回|多少回|次数"
_NEGATED = (
    r"\b(?:not|never|no longer|n't|without|out of (?:the )?(?:picture|frame|view|shot|sight|screen)|absent|nobody)\b"
    r"|n't\b|没有|不在|不见|看不见|看不到|消失|并未|没"
)
_SENSES: tuple[tuple[Sense, str], ...] = (
    ("said", r"\b(?:says?|said|saying|speaks?|speaking|spoken|talks?|talking|mentions?|mentioned|voice|narrat\w+|speech|"
             r"utter\w*|phrase|announce\w*|tells? (?:us|the|him|her|them))\b|说|讲|提到|谈到|旁白|台词|念|朗读"),
    ("read", r"\b(?:on-?screen text|written|title|captions?|subtitles?|copyright|text|words? on|sign says?|read on|logo|"
             r"credits?|headline|watermark)\b|文字|字幕|标题|写着|写的|招牌|版权|字样"),
    ("heard", r"\b(?:hear|heard|hears|hearing|sounds?|noises?|audible|music|bark(?:s|ing)? (?:be )?heard|loud|silent|audio)\b"
              r"|听|声音|声响|音乐|响"),
)  # fmt: skip


def understand(question: str) -> QuestionForm:
    """Take a question apart; every text gives a form, at worst the kind `what` with no targets."""
    text = " ".join(question.split())
    language = language_of(text)
    kind = _settled(find_kind(text), text, language)
    plain = _content(text)
    comparison, items = compare(text, kind)
    return QuestionForm(
        text=text,
        language=language,
        kind=kind,
        targets=_targets(plain, text, kind),
        action=actions_of(plain),
        anchors=find_anchors(_ASIDE.sub(" ", text)),
        alternatives=find_alternatives(text),
        items=items,
        comparison=comparison,
        sense=_sense(text, kind),
        quoted=_quoted(text),
        wants_seconds=is_when(text),
        wants_duration=is_duration(text)
        and not re.search(r"how long (?:into|until|before|after)", text, re.IGNORECASE),
        distinct=bool(re.search(_DISTINCT, text, re.IGNORECASE)),
        repeated=bool(re.search(_REPEATED, text, re.IGNORECASE)),
        extreme=_extreme(text),
        negated=bool(re.search(_NEGATED, text, re.IGNORECASE)),
    )


def _targets(plain: str, text: str, kind: Kind) -> tuple[Target, ...]:
    """Return the things a question names, what is to be counted before all others."""
    found = targets_of(plain)
    counted = _COUNTED.search(without_times(_ASIDE.sub(" ", text))) if kind == "count" else None
    asked = targets_of(counted[1]) if counted else ()
    if not asked:
        return found
    return (asked[0], *(one for one in found if one.head != asked[0].head))


def language_of(text: str) -> AnswerLanguage:
    """Return the language a question is asked in."""
    han = len(_HAN.findall(text))
    return "zh" if han and han * 2 >= len(re.findall(r"[A-Za-z]+", text)) else "en"


def targets_of(text: str) -> tuple[Target, ...]:
    """Return the things a text names."""
    return chinese_targets(text) if language_of(text) == "zh" else english_targets(text)


def actions_of(text: str) -> str | None:
    """Return what a text says is done."""
    return chinese_action(text) if language_of(text) == "zh" else english_action(text)


def _content(text: str) -> str:
    """Return a question without the words that only ask."""
    return _SCAFFOLD.sub(" ", without_times(_ASIDE.sub(" ", text))).strip()


def _quoted(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for groups in _QUOTED.findall(text) for part in groups if part.strip())


def _extreme(text: str) -> Literal["most", "fewest"] | None:
    if re.search(_MOST, text, re.IGNORECASE):
        return "most"
    return "fewest" if re.search(_FEWEST, text, re.IGNORECASE) else None


def _sense(text: str, kind: Kind) -> Sense:
    if kind in ("said", "heard", "read"):
        return kind
    return next((sense for sense, pattern in _SENSES if re.search(pattern, text, re.IGNORECASE)), "seen")


def _settled(kind: Kind, text: str, language: AnswerLanguage) -> Kind:
    """Look twice at `which`, `what` and `yes_no`: what can be told from the nouns and the choices offered."""
    if kind in ("what", "yes_no") and find_alternatives(text):
        return "which"
    if kind == "what" and language == "en" and re.match(r"\W*which\b", text, re.IGNORECASE):
        nouns = english_targets(text)
        if nouns and nouns[0].category not in (None, "animal", "vehicle", "food", "furniture", "electronics"):
            # Which bottle, among bottles: it is told by where it is. Which animal: by what it is.
            return "which" if nouns[0].head == nouns[0].category or nouns[0].category == "person" else "what"
    return kind
