"""Which type of answer a question asks for, and whether a given answer is of that type."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Literal, cast

from vidence.language.colours import colours_in
from vidence.language.dates import find_dates
from vidence.language.forms import is_verb_form, singular
from vidence.language.identify import has_han
from vidence.language.numbers import numbers_in
from vidence.language.objects import resolve_asked
from vidence.language.question.chinese import noun_of
from vidence.language.question.english import ends_as_adverb
from vidence.language.question.form import Kind, QuestionForm
from vidence.language.question.naming import MEASURES, position_of
from vidence.language.tables import pattern_of, read_table, words_of

__all__ = ["AnswerType", "Expected", "expected_of", "suits"]

AnswerType = Literal[
    "yes_no", "number", "money", "time", "duration", "date", "colour", "name", "person", "job", "place",
    "text", "utterance", "sound", "action", "reason", "order", "choice", "thing", "language", "weather",
    "material", "pattern", "mood", "summary", "camera", "direction", "daytime", "other",
]  # fmt: skip
_BY_KIND: dict[Kind, AnswerType] = {
    "count": "number", "when": "time", "order": "order", "which": "choice", "colour": "colour",
    "yes_no": "yes_no", "what": "thing", "who": "person", "where": "place", "why": "reason",
    "said": "utterance", "heard": "sound", "read": "text", "doing": "action", "describe": "summary",
    "camera": "camera", "cuts": "number", "direction": "direction", "compare": "other",
}  # fmt: skip
_REFINED = frozenset({"thing", "text", "utterance", "choice", "number", "place", "person", "action"})
"""Types that the asked-for noun may narrow: "what" asks for a thing, "what date" for a date."""
_DATED: frozenset[AnswerType] = frozenset({"time", "thing", "text", "choice", "number", "date"})
_KEPT_BY_NUMBER = frozenset({"money", "duration"})
_NOUN_EN = re.compile(
    r"\b(?:what|which|whose)(?:\s+(?:kind|type|sort|brand|make|piece|breed|species)s?\s+of)?"
    r"((?:\s+[A-Za-z][\w'’-]*){1,4})",
    re.IGNORECASE,
)
_OF_EN = re.compile(
    r"\b(?:what(?:'s|\s+(?:is|are|was|were))|how(?:'s|\s+(?:is|was))|tell me|give me|name)\s+"
    r"(?:the|his|her|their|its|your|this|that)"
    r"((?:\s+[A-Za-z][\w'’-]*){1,3})",
    re.IGNORECASE,
)
"""“What is the title”: only a noun that names a type of answer is asked for there."""
_AMOUNT_EN = re.compile(r"\bhow (?:many|much)((?:\s+[A-Za-z][\w'’-]*){1,3})", re.IGNORECASE)
_MEASURE = re.compile(
    r"\bhow (?:old|tall|far|fast|big|large|heavy|deep|high|wide|hot|cold)\b"
    r"|多[大高远快重宽深]|几岁|第几[^秒次个]",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"\bhow much (?:is|are|was|were)\b(?! (?:it|he|she) \w+ing\b)"
    r"|\bhow much\b.*\b(?:cost|pay|paid|charge|earn|spend|sell)\w*\b",
    re.IGNORECASE,
)
_NOUN_ZH = re.compile(
    r"(?:(?<!为)什么样(?!子)的?|(?<!为)什么(?!样)|哪[一几些两]?(?![里儿])|几|多少)"
    rf"(?:名(?!字|称)|[{MEASURES.replace('名', '')}](?!子))?([\u4e00-\u9fff]{{1,4}})"
)
_OF_ZH = re.compile(r"([\u4e00-\u9fff]{1,4})(?:(?:是|叫|有|为)(?:什么|多少|几|哪)|怎么?样|如何)")
_SCRIPT = re.compile(r"哪一?[种国]的?(?:文字|字)")
_DAYTIME = re.compile(
    r"\btime of (?:the )?day\b|一天(?:中|里|之中)?的?(?:什么时|哪个?时|何时)|什么时段|哪个时段", re.IGNORECASE
)
_BREAKS = words_of("question_english.tsv", "auxiliary", "preposition", "determiner")
_YES_NO = re.compile(
    r"^\W*(?:(?:yes|no|none|nothing|nobody|never|not|neither|nowhere)\b|是|否|有|没|不|能|会|对|可以|无|未|在)"
    r"|\bnot (?:seen|shown|heard|said)\b",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\b(?:no|none|zero|once|twice|never|nobody|several|many|few|a lot|dozens?)\b|没|无|零|几", re.IGNORECASE
)
_TIME = re.compile(
    r"\d|\b(?:start|beginning|end|never|throughout|always|first|last)\b|开始|开头|最后|结尾|一直|始终",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"^(?:probably|perhaps|maybe|what may be|it is|this is|可能是?|大概是?|也许是?)\s*|\s*[(（].*[)）]\W*$",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(
    r"\b[A-Z][a-z]+(?:ish|ese|ian|an|ch|ic|in|i|ew|ek|u|o)\b|[\u4e00-\u9fff]{1,3}[语文话]|字母"
)
_TABLE = "answer_types.tsv"
_ANY_DAY = date(2000, 1, 1)


@dataclass(frozen=True)
class Expected:
    """The type of answer a question asks for, and the noun that names it."""

    type: AnswerType
    head: str = ""
    """The asked-for noun: "library" of "which library"; empty where the question names none."""
    is_side: bool = False
    """Whether a side of the picture or of a thing is asked for, which only left, right, top, … answer."""

    @property
    def looked_for_as(self) -> AnswerType:
        """The type that the short answers of a look are known to be of: a side is told like a direction."""
        return "direction" if self.is_side else self.type

    def fits(self, answer: str) -> bool:
        """Tell whether an answer is of the type; what cannot be told by its words is taken to be."""
        text = answer.strip()
        if not text or (self.is_side and not _names_side(text)):
            return False
        match self.type:
            case "yes_no":
                return bool(_YES_NO.search(text))
            case "number" | "money" | "duration":
                return bool(numbers_in(text) or re.search(r"\d", text) or _NONE.search(text))
            case "time":
                return bool(_TIME.search(text) or numbers_in(text))
            case "date":
                return bool(re.search(r"\d", text) or find_dates(text, today=_ANY_DAY))
            case "colour":
                return bool(colours_in(text))
            case "direction":
                return _names_side(text)
            case "language":
                return bool(_LANGUAGE.search(text))
            case "thing" | "choice" | "order" | "other" | "pattern" | "material" | "text" | "utterance":
                return True
        if self.type == "action" and not self.head and not has_han(text):
            return any(map(is_verb_form, re.findall(r"[a-z]+", text.lower())))
        return not _is_bare_object(text, self.type)


def expected_of(form: QuestionForm) -> Expected:
    """Return the type of answer that a question asks for."""
    head = _asked_noun(form)
    asked = _BY_KIND[form.kind]
    if _SCRIPT.search(form.text):
        return Expected("language", head)
    if _MEASURE.search(form.text):
        return Expected("number", head)
    if _PRICE.search(form.text) and not head:
        return Expected("money")
    if form.wants_duration:
        return Expected("duration", head)
    if form.kind == "doing" and _is_part_told(form):
        return Expected("summary")
    if _DAYTIME.search(form.text) and form.kind in ("what", "when", "which"):
        return Expected("daytime", head)
    if form.wants_clock or (form.wants_date and asked in _DATED):
        return Expected("date", head)
    if form.kind == "cuts":
        return Expected("time" if form.wants_seconds else _yes_or_number(form), head)
    if asked == "choice" and _asks_side(form):
        return Expected(asked, head, is_side=True)
    named = _type_of(head)
    if named is None or asked not in _REFINED or (asked == "number" and named not in _KEPT_BY_NUMBER):
        return Expected(asked, head)
    return Expected(named, head)


def _asks_side(form: QuestionForm) -> bool:
    """Tell whether a question asks for a side and offers nothing else."""
    asks = pattern_of("question_features.tsv", "asks_side").search(form.asked)
    return bool(asks) and all(position_of(one) for one in form.alternatives)


def _names_side(answer: str) -> bool:
    return bool(pattern_of("question_features.tsv", "names_side").search(answer))


def _is_part_told(form: QuestionForm) -> bool:
    """Tell whether a question asks what happens in a part of the video: at its start, its end or a time."""
    placed = [one.relation in ("start", "end") or one.start_s is not None for one in form.anchors]
    told = pattern_of("question_features.tsv", "part_told")
    return bool(placed) and all(placed) and bool(told.search(form.asked))


def _yes_or_number(form: QuestionForm) -> AnswerType:
    return "number" if re.search(r"\bhow many\b|\bnumber\b|几|多少", form.text, re.IGNORECASE) else "yes_no"


def _asked_noun(form: QuestionForm) -> str:
    """Return the noun right after the question word: which Python library → library."""
    if form.language == "zh":
        return _asked_noun_zh(form.text)
    match = _AMOUNT_EN.search(form.text) or _NOUN_EN.search(form.text)
    head = _last_noun(match[1]) if match else ""
    if not head and (match := _OF_EN.search(form.text)):
        named = _last_noun(match[1])
        head = named if _type_of(named) is not None and _type_of(named) != "person" else ""
    return head


def _last_noun(words: str) -> str:
    """Return the last word of the noun phrase that words begin with; "" where they begin with another."""
    found: list[str] = []
    for word in words.lower().split():
        noun = singular(word.removesuffix("'s").removesuffix("’s"))
        is_verb = is_verb_form(word) and _type_of(noun) is None and resolve_asked(noun) is None
        if ends_as_adverb(word) and not found:
            continue
        if word in _BREAKS or is_verb or (found and _type_of(found[-1]) not in (None, "name")):
            break
        found.append(noun)
    return found[-1] if found else ""


def _asked_noun_zh(text: str) -> str:
    for match in (_NOUN_ZH.search(text), _OF_ZH.search(text)):
        if match is None:
            continue
        for length in range(len(match[1]), 0, -1):
            part = match[1][:length] if match.re is _NOUN_ZH else match[1][-length:]
            if part in _types():
                return part
    match = _NOUN_ZH.search(text)
    return noun_of(match[1]) if match else ""


def _type_of(noun: str) -> AnswerType | None:
    return _types().get(noun)


@lru_cache(maxsize=1)
def _types() -> dict[str, AnswerType]:
    return {word: cast("AnswerType", kind) for kind, words in read_table(_TABLE) for word in words.split()}


def _is_bare_object(text: str, asked: AnswerType) -> bool:
    """Tell whether an answer is only the name of a kind of thing that detectors know: "a chair"."""
    plain = _FILLER.sub("", _FILLER.sub("", text.strip(" .。"))).strip(" .。").lower()
    plain = re.sub(r"^(?:an?|the|some|一[个只把张辆件])\s*", "", plain)
    if asked == "place" and plain in _places():
        return False
    found = resolve_asked(plain) if len(plain) <= 20 and (has_han(plain) or plain.isascii()) else None
    return bool(found) and not (asked == "person" and "person" in (found or ()))


def suits(answer: str, asked: AnswerType) -> bool:
    """Tell whether people give a short answer to questions of a type; True where the table knows neither."""
    known = _suiting()
    return asked not in known[""] or answer not in known or asked in known[answer]


@lru_cache(maxsize=1)
def _suiting() -> dict[str, frozenset[str]]:
    """Return which types of question each short answer suits, and under "" all types that the table knows."""
    table = {row[0]: frozenset(" ".join(row[2:]).split()) for row in read_table("visual_answers.tsv")}
    return {**table, "": frozenset().union(*table.values())}


@lru_cache(maxsize=1)
def _places() -> frozenset[str]:
    """Return the names of places, some of which name groups of things, too: kitchen, street, indoor."""
    rows = [row for row in read_table("scene_names.tsv") if row[0] == "place"]
    names = [name for row in rows for name in (*row[1].split("_", 1), row[2].split()[-1], row[3])]
    return frozenset(name.replace("_", " ") for name in names)
