"""Follow-up questions: "and after that?" and "what colour is it?" completed from earlier turns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.language.identify import question_language
from vidence.language.question import Target, read_question
from vidence.schema.agent import AnswerLanguage

__all__ = ["Resolved", "Turn", "resolve"]

_WINDOW = 4
"""How many turns back a pronoun may refer to."""
_NEXT = re.compile(
    r"^\W*(?:and |so |but )?(?:(?:what (?:happens|happened|is|comes|came|did (?:he|she|they|it) do))?\s*"
    r"(?:right |directly |immediately )?(?P<after>after (?:that|this)|afterwards?|next|then)|what then)\W*$"
    r"|^\W*(?:and |so )?(?:what (?:happens|happened|is|was))?\s*(?:right |just )?(?P<before>before (?:that"
    r"|this))\W*$"
    r"|^\W*(?:那|在?这)?(?P<zh_after>之后|以后|后来|然后|接着|接下来|随后)(?:又|还)?(?:发生了什么|怎么样"
    r"|是什么)?呢?\W*$"
    r"|^\W*(?:那|在?这)?(?P<zh_before>之前|以前|此前)(?:发生了什么|是什么)?呢?\W*$",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"^\W*(?:and |but )?(?:what|how) about (?P<en>(?:the |a |an )?[\w' -]+?)\W*$|^\W*and "
    r"(?P<en2>the [\w' -]+?)\W*$"
    r"|^\W*那?(?P<zh>[\u3400-\u9fff]{1,8}?)呢\W*$",
    re.IGNORECASE,
)
_SHORT: tuple[tuple[str, str, str, str], ...] = (
    (
        r"(?:and )?(?:in |of )?(?:what|which) colou?r",
        "什么颜色的?",
        "What colour is the {x}?",
        "{x}是什么颜色的？",
    ),
    (r"(?:and )?where", "(?:在)?(?:哪里|哪儿|什么地方)", "Where is the {x}?", "{x}在哪里？"),
    (r"(?:and )?(?:when|at what time)", "(?:在)?什么时候", "When does the {x} appear?", "{x}什么时候出现？"),
    (r"(?:and )?how many", "(?:有)?(?:几个|多少个?)", "How many {x}s are there?", "有几个{x}？"),
    (
        r"(?:and )?(?:doing what|what (?:is|was) happening)",
        "在?做什么",
        "What is the {x} doing?",
        "{x}在做什么？",
    ),
)
_PRONOUN = re.compile(
    r"\b(?P<subject>it|he|she|they|that one|this one)\b|\b(?P<object>him|them|her(?!\s+\w))\b"
    r"|\b(?P<own>its|his|their|her(?=\s+\w))\b|(?P<zh>它们|他们|她们|它|他|她|那个(?![\u3400-\u9fff])|这个"
    r"(?![\u3400-\u9fff]))(?!人)",
    re.IGNORECASE,
)
_EMPTY_IT = re.compile(
    r"\b(?:is|was|does|did) it (?:raining|snowing|sunny|dark|day|night|time|possible|late|true|seem"
    r"|look like|clear)\b"
    r"|\bwhat time is it\b|\bhow (?:long|often) (?:is|does) it take\b",
    re.IGNORECASE,
)
_NOUN_KINDS = frozenset({"what", "which", "who"})
_PEOPLE = frozenset(
    [
        "man",
        "woman",
        "boy",
        "girl",
        "person",
        "people",
        "child",
        "kid",
        "lady",
        "guy",
        "player",
        "actor",
        "speaker",
        "teacher",
        "doctor",
        "mother",
        "father",
        "人",
        "男人",
        "女人",
        "男孩",
        "女孩",
        "孩子",
        "老人",
        "男子",
        "女子",
        "小孩",
        "老师",
        "医生",
        "男生",
        "女生",
        "演员",
    ]
)
_ARTICLE = re.compile(r"^(?:the|a|an|this|that|some|one|two|three|\d+)\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Turn:
    """A question that was answered."""

    question: str
    answer: str
    span: tuple[float, float] | None = None
    """The span of its evidence in the video."""


@dataclass(frozen=True)
class Resolved:
    """A question that stands by itself."""

    question: str
    is_rewritten: bool = False
    target: str | None = None
    """What a pronoun was taken to mean."""


def resolve(question: str, turns: Sequence[Turn]) -> Resolved:
    """Return the question completed from earlier turns; unchanged when it is complete."""
    text = " ".join(question.split())
    recent = list(turns[-_WINDOW:])
    if not recent:
        return Resolved(text)
    language = question_language(text)
    for rewrite in (_time, _other_thing, _short, _pronoun):
        found = rewrite(text, recent, language)
        if found is not None and found.question != text:
            return found
    return Resolved(text)


def _time(text: str, turns: Sequence[Turn], language: AnswerLanguage) -> Resolved | None:
    match = _NEXT.match(text)
    if match is None:
        return None
    before = bool(match["before"] or match["zh_before"])
    last = turns[-1]
    if last.span is not None:
        moment = f"{last.span[0] if before else last.span[1]:.1f}".rstrip("0").rstrip(".")
        if language == "zh":
            return Resolved(f"{moment} 秒{'之前' if before else '之后'}发生了什么？", is_rewritten=True)
        return Resolved(
            f"What happens {'before' if before else 'after'} {moment} seconds?", is_rewritten=True
        )
    asked = last.question.rstrip(" ?？.。")
    if language == "zh":
        return Resolved(f"在“{asked}”{'之前' if before else '之后'}发生了什么？", is_rewritten=True)
    return Resolved(f"What happens {'before' if before else 'after'} this: “{asked}”?", is_rewritten=True)


def _other_thing(text: str, turns: Sequence[Turn], language: AnswerLanguage) -> Resolved | None:
    """Ask the last question about another thing: "how many dogs?", then "what about the cats?"."""
    match = _ABOUT.match(text)
    if match is None:
        return None
    thing = match["en"] or match["en2"] or match["zh"]
    last = turns[-1].question
    targets = read_question(last).form.targets
    if not targets:
        return None
    old = targets[0].text
    place = last.lower().find(old.lower())
    if place < 0:
        return None
    had_article = bool(_ARTICLE.match(old)) or _ARTICLE.search(last[:place][-4:] + " ") is not None
    new = thing if language == "zh" or had_article else _ARTICLE.sub("", thing)
    if language == "en" and re.search(r"\b(?:the|a|an) $", last[:place], re.IGNORECASE):
        new = _ARTICLE.sub("", thing)
    return Resolved(last[:place] + new + last[place + len(old) :], is_rewritten=True, target=thing)


def _short(text: str, turns: Sequence[Turn], language: AnswerLanguage) -> Resolved | None:
    """Complete a question of a word or two."""
    bare = text.strip(" ?？.。呢!")
    for english, chinese, worded, worded_zh in _SHORT:
        if re.fullmatch(chinese if language == "zh" else english, bare, re.IGNORECASE):
            thing = _last_thing(turns)
            if thing is None:
                return None
            form = worded_zh if language == "zh" else worded
            return Resolved(
                form.format(x=_one(_ARTICLE.sub("", thing), language)), is_rewritten=True, target=thing
            )
    return None


def _pronoun(text: str, turns: Sequence[Turn], language: AnswerLanguage) -> Resolved | None:
    """Replace a pronoun without an antecedent by the last thing that was mentioned."""
    match = _PRONOUN.search(text)
    if match is None or _EMPTY_IT.search(text) or _has_own_antecedent(text, match.start()):
        return None
    thing = _last_thing(turns, _wants_person(match.group()))
    if thing is None:
        return None
    plain = _ARTICLE.sub("", thing)
    if match["subject"] and match["subject"].lower() != "they":
        plain = _singular(plain)
    word = plain if match["zh"] else f"the {plain}'s" if match["own"] else f"the {plain}"
    rewritten = text[: match.start()] + word + text[match.end() :]
    return Resolved(rewritten, is_rewritten=True, target=plain)


def _one(thing: str, language: AnswerLanguage) -> str:
    return thing if language == "zh" else _singular(thing)


def _singular(thing: str) -> str:
    """Return a noun phrase in the singular: "it" is one of the people that were counted."""
    targets = read_question(thing).form.targets
    *rest, last = thing.split()
    return " ".join([*rest, targets[0].head]) if targets and targets[0].head else " ".join([*rest, last])


def _has_own_antecedent(text: str, place: int) -> bool:
    """Tell whether a noun stands before the pronoun, which is then its antecedent."""
    before = text[:place].lower()
    return any(target.text.lower() in before for target in read_question(text).form.targets if target.text)


def _wants_person(pronoun: str) -> bool | None:
    """Tell whether a pronoun stands for a person; None when it may stand for anything."""
    word = pronoun.lower()
    if word in ("he", "she", "him", "her", "his", "他", "她", "他们", "她们"):
        return True
    return False if word in ("it", "its", "它", "它们") else None


def _last_thing(turns: Sequence[Turn], wants_person: bool | None = None) -> str | None:
    """Return the last thing mentioned: the one an answer named, else the subject of its question."""
    for turn in reversed(turns):
        form = read_question(turn.question).form
        named = (
            read_question(turn.answer).form.targets
            if form.kind in _NOUN_KINDS and len(turn.answer) < 80
            else ()
        )
        for target in (*named, *form.targets):
            if wants_person is None or wants_person == _is_person(target):
                return target.text
    return None


def _is_person(target: Target) -> bool:
    return target.category == "person" or target.head.lower() in _PEOPLE
