"""Parsing a question into its form, in English and Chinese."""

from __future__ import annotations

import re
from typing import Literal, cast

from vidence.language.categories import category_words
from vidence.language.identify import has_han, one_form, question_language
from vidence.language.question.anchors import find_anchors
from vidence.language.question.asking import asking_part
from vidence.language.question.chinese import chinese_action, chinese_name, chinese_targets, thing_asked_of
from vidence.language.question.compare import compare, find_alternatives
from vidence.language.question.english import english_action, english_name, english_targets
from vidence.language.question.form import Anchor, Kind, Ordinal, QuestionForm, Sense, Target
from vidence.language.question.naming import MEASURES, is_yes_no, position_of
from vidence.language.question.ordinals import find_ordinal
from vidence.language.quotations import quotations
from vidence.language.tables import pattern_of, patterns_of, words_of
from vidence.language.times import find_times, without_times
from vidence.schema.agent import AnswerLanguage

__all__ = ["actions_of", "name_of", "read_form", "targets_of", "words_named"]

_LONGEST = 800
_TWO = 2
_ASIDE = re.compile(r"[(（](?:in )?(?:seconds?|s|秒|sec|以秒计|单位.?秒)[^)）]*[)）]", re.IGNORECASE)
_COUNTED = re.compile(r"(?:how many|number of|count (?:of|all|how many)?|几|多少)(.*)", re.IGNORECASE)
_COUNTED_ZH = re.compile(rf"(?<![这那好哪])几[{MEASURES}次回人]")
_ASKS_WHAT = re.compile(
    r"\b(?:what|which|who|whose|when|where|how|or)\b|什么|哪|谁|几个?字?是|多少", re.IGNORECASE
)
_HIDING = frozenset({"said", "read", "colour", "who", "where"})
"""Kinds whose words stand in yes-or-no questions, too: "Does the colour of the bike match the train?"."""
_KINDS = "question_kinds.tsv"
_FIRST_TRIED = "describe"
"""The kinds from this one on are tried in the table's order."""
_ON_SCREEN = re.compile(
    r"\b(?:on-?screen|on (?:the )?screen|the screen|written|printed|spelled|spelt|caption\w*|subtitles?"
    r"|(?:in|on) (?:the )?(?:titles?|credits)|the (?:words?|text|phrase|letters))\b"
    r"|\b(?:signs?|banners?|posters?|titles?|cards?|screens?|labels?|plates?|shirts?) (?:ever )?"
    r"(?:says?|reads?|shows?|displays?)\b"
    r"|屏幕|字幕|字样|文字|写着|写的|写了|写有|个字|标题|片尾|片头",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"(?<![\w'’])[A-Z][A-Z0-9'’&.-]*[A-Z0-9](?:[ &-]+[A-Z0-9][A-Z0-9'’&.-]*)*(?![\w'’])")
_WRITTEN_EN = re.compile(
    r"\b(?:say|says|read|reads|show|shows|display|displays|spell|spells)\s+(.+?)\s+(?:anywhere\s+)?"
    r"(?:on|in) (?:the |a )?(?:screen|sign|picture|frame|video|wall|title|card|credits)\b"
    r"|\bthe (?:words?|text|phrase|letters) (.+?) (?:ever )?"
    r"(?:appears?|shown|written|seen|visible|on|in|come)\b",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9'’&.-]*(?:\s+[A-Za-z0-9][A-Za-z0-9'’&.-]*)*")
_WRITTEN_ZH = re.compile(
    r"(?:写着|写有|写了|显示)(?:过|了)?(.+?)(?:这?[几两三四五六七八]个字|这个词|字样|的字)?(?:吗|呢|[？?]|$)"
    r"|(?:有|出现过?|看到过?)(.+?)(?:这?[几两三四五六七八]个字|这个词|字样)"
)
_NO_WORDS = re.compile(
    r"^(?:any|some|something|anything|the|a|an|text|words?|title|字|文字|内容|什么|有|没有|[的了过])*\W*$",
    re.IGNORECASE,
)
_SAYER = re.compile(
    r"\b(?:do|does|did|is|are|was|were)\b(?P<who>(?:(?!\b(?:do|does|did|is|are|was|were)\b)[^?])*?)"
    r"(?<!to )(?:\b(?:say|saying|tell)|(?<=is |as |re )said)\b(?P<rest>[^?]*)",
    re.IGNORECASE,
)
_PRONOUNS, _EMPTY, _VOICES = (
    words_of("question_english.tsv", kind) for kind in ("pronoun", "empty", "voice")
)
_LIVING = frozenset({"person", "animal", *category_words().get("animal", ())})
_SEES = re.compile(r"\b(?:see|seen|visible)\b(?! (?:the )?(?:words?|text))|看[到得]?见?", re.IGNORECASE)
_SENSES: tuple[Sense, ...] = ("said", "read", "heard")
_KINDS_OF_THINGS = ("animal", "vehicle", "food", "fruit", "furniture", "electronics")
"""Groups of which a question asks for a member by its kind, not by its place."""


def read_form(question: str, language: AnswerLanguage) -> QuestionForm:
    """Parse a question; every text has a form, at worst the kind `what` with no targets."""
    text = _shortened(" ".join(one_form(question, language).split()))
    ordinal = find_ordinal(text)
    asked = asking_part(text)
    offered = () if _has("whether", asked) else find_alternatives(asked)
    kind = _settled(_find_kind(asked), text, asked, offered, language)
    if kind == "what" and ordinal is not None and ordinal.unit in ("word", "sentence"):
        kind = "said"
    times = find_times(_ASIDE.sub(" ", text))
    moments = tuple(point.value_s for one in times for point in one.points)
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
        alternatives=offered,
        items=items,
        comparison=comparison,
        sense=_sense(text, kind),
        quoted=quotations(text) or words_named(text),
        wants_seconds=_fits("when", text) and not _has("lasting", text),
        wants_duration=(_fits("duration", text) or _has("lasting", text))
        and not re.search(r"how long (?:into|until|before|after)", text, re.IGNORECASE),
        wants_clock=_fits("clock", text),
        wants_date=_fits("calendar", text),
        distinct=_has("distinct", text),
        repeated=_has("repeated", text),
        extreme=_extreme(text),
        negated=_has("negated", text),
        ordinal=ordinal,
        moments=moments,
    )


def _targets(plain: str, text: str, kind: Kind, language: AnswerLanguage) -> tuple[Target, ...]:
    """Return the things a question names; the thing to count, or whose colour is asked for, comes first."""
    found = targets_of(plain, language)
    if kind == "colour" and language == "zh" and (thing := thing_asked_of(plain)):
        return (thing, *(one for one in found if one.head != thing.head))
    counted = _COUNTED.search(without_times(_ASIDE.sub(" ", text))) if kind == "count" else None
    asked = targets_of(counted[0] if language == "zh" else counted[1], language) if counted else ()
    if not asked:
        return found
    return (asked[0], *(one for one in found if one.head != asked[0].head))


def targets_of(text: str, language: AnswerLanguage | None = None) -> tuple[Target, ...]:
    """Return the things a text names, read in `language` or, without one, its own."""
    is_chinese = (language or question_language(text)) == "zh"
    return chinese_targets(text) if is_chinese else english_targets(text)


def name_of(target: Target) -> str:
    """Return what to call a thing in an answer; "" where its words are no clean noun phrase."""
    return chinese_name(target) if has_han(target.head) else english_name(target)


def actions_of(text: str, language: AnswerLanguage | None = None) -> str | None:
    """Return the verb phrase of a text, read in `language` or, without one, its own."""
    is_chinese = (language or question_language(text)) == "zh"
    return chinese_action(text) if is_chinese else english_action(text)


def _anchors(text: str, ordinal: Ordinal | None) -> tuple[Anchor, ...]:
    """Return the anchors; with an ordinal, "last" selects an item and not the end of the video."""
    found = find_anchors(_ASIDE.sub(" ", text))
    return tuple(one for one in found if ordinal is None or one.relation not in ("first", "last"))


def _shortened(text: str) -> str:
    """Return the beginning and end of a very long question; one of them asks."""
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
    if _is_about_screen(text) and (quotations(text) or words_named(text)):
        return "read"
    if _SEES.search(text):
        return "seen"
    sense: Sense = next((sense for sense in _SENSES if _has(sense, text)), "seen")
    return (_sense_of_saying(text) or "said") if sense == "said" else sense


def _settled(kind: Kind, text: str, asked: str, offered: tuple[str, ...], language: AnswerLanguage) -> Kind:
    """Correct the kind by how the question begins, by the nouns and by the choices offered."""
    if kind in ("said", "read"):
        kind = _sense_of_saying(text) or kind
    if kind in _HIDING and _asks_whether(asked, kind):
        kind = "yes_no"
    if kind in ("what", "yes_no", "who", "where") and offered:
        return "which"
    if kind == "order" and len(offered) > 1 and all(position_of(one) for one in offered):
        return "which"
    if kind == "what" and language == "en" and re.match(r"\W*which\b", asked, re.IGNORECASE):
        nouns = english_targets(asked)
        if nouns and nouns[0].category not in (None, *_KINDS_OF_THINGS):
            # "Which bottle" is answered by a place, "which animal" by a kind.
            return "which" if nouns[0].head == nouns[0].category or nouns[0].category == "person" else "what"
    return kind


def _asks_whether(asked: str, kind: Kind) -> bool:
    """Tell whether a question asks for yes or no, or for one of its choices, whatever it mentions."""
    if not is_yes_no(asked) or _has("to_be_told", asked):
        return False
    if kind in ("who", "where"):
        # "Is the man who is running …": the word does not ask.
        return _has("of_itself", asked)
    found = {word.lower() for word in _ASKS_WHAT.findall(asked)}
    return found <= ({"or"} if kind == "colour" else set())


def _sense_of_saying(text: str) -> Literal["said", "read"] | None:
    """Return how a question means "say", by who does: what a bus or a sign says is written on it."""
    found = _SAYER.search(text)
    if found is None:
        return None
    who, rest = found["who"].strip(), found["rest"]
    words, things = who.lower().split(), english_targets(who)
    if words in ([], ["it"], ["this"]):
        is_placed = _has("placed", rest) and (english_targets(rest) or _has("in_picture", rest))
        # "He holds a poster. What does it say?"
        return "read" if is_placed or _has("bears_text", text[: found.start()]) else None
    if not things:
        return "read" if words[-1] in _EMPTY - _VOICES else None
    is_living = things[0].category in _LIVING or things[0].head in _VOICES or words[0] in _PRONOUNS
    is_named = things[0].category is None and (who[0].isupper() or _has("to_somebody", rest))
    return "said" if is_living or is_named else "read"


def _find_kind(text: str) -> Kind:
    """Return the kind of a question."""
    if _fits("told_in_order", text):
        return "describe"
    if _has("why_first", text):
        return "why"
    if _fits("order", text):
        return "order"
    timed = _fits("when", text) or _fits("duration", text) or _has("lasting", text)
    counted = _fits("count", text)
    if _fits("cut", text) and (timed or counted or is_yes_no(text)):
        return "cuts"
    if timed:
        return "when"
    if counted:
        return "count"
    kinds = list(patterns_of(_KINDS))
    tried = kinds[kinds.index(_FIRST_TRIED) :]
    kind = cast("Kind", next((kind for kind in tried if _fits(kind, text)), "what"))
    return "order" if kind in ("yes_no", "what") and _fits("yes_order", text) else kind


def _fits(kind: str, text: str) -> bool:
    if kind == "count" and _COUNTED_ZH.search(text):
        return True
    return pattern_of(_KINDS, kind).search(text) is not None


def _is_about_screen(text: str) -> bool:
    """Say whether a question is about text on the screen or in the picture."""
    return _ON_SCREEN.search(text) is not None


def words_named(text: str) -> tuple[str, ...]:
    """Return the words that a question about on-screen text names: THE END, 谢谢观看."""
    if not _is_about_screen(text):
        return ()
    found = _in_capitals(text) or _told(_WRITTEN_EN, text)
    if not found and not text.isascii():
        found = _told(_WRITTEN_ZH, text) or tuple(match.group() for match in _LATIN.finditer(text))
    return tuple(part for part in found if not _NO_WORDS.match(part))


def _in_capitals(text: str) -> tuple[str, ...]:
    """Return the words in capitals; none when the whole question is in capitals."""
    if text.upper() == text and text.isascii():
        return ()
    return tuple(match.group() for match in _CAPITALS.finditer(text) if len(match.group()) > 1)


def _told(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    match = pattern.search(text)
    return tuple(part.strip() for part in match.groups() if part and part.strip()) if match else ()
