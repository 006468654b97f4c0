"""Answers from captions alone: whether one of them tells what was asked, and how probably it is right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vidence.embedded.recipes.recipe import Embed, Finding
from vidence.language.categories import same_thing
from vidence.language.colours import colours_in
from vidence.language.concepts import concepts, is_meaning, shared_with
from vidence.language.identify import has_han
from vidence.language.numbers import numbers_in
from vidence.language.phrases import phrase
from vidence.language.question import QuestionForm
from vidence.language.tables import words_of
from vidence.language.tokens import query_terms, sentences, terms
from vidence.schema.agent import MemoryUnit
from vidence.schema.evidence import Citation, Claim

__all__ = ["answer_from_captions", "fills_question"]

_ASKING = frozenset(term for word in words_of("stop_words.tsv", "asking") for term in terms(word))
"""Words that say what kind of answer is wanted, which no caption repeats: colour, many, doing, 颜色."""
_LEAST = 0.34
"""The share of the question's words below which a caption does not bear on it."""
_FAR = 3
"""Words between a colour or a number and its noun."""
_Told = Callable[[QuestionForm, str], str]
_IS = re.compile(r"(?:is|are|was|were)\b")
_PLACES = frozenset(
    re.findall(
        r"\w+", "in on at near under beside behind inside outside over next along across by above below"
    )
)
_SMALL = words_of("stop_words.tsv", "any") - _PLACES
_ASKS_FOR_OBJECT = re.compile(
    r"^what (?:is|are|was|were|did|does|do|has|have) .*?\b(?P<verb>[a-z]+)"
    r"(?: (?P<along>on|with|in|at|for|to))?\W*$"
)


@dataclass(frozen=True)
class _Candidate:
    answer: str
    sentence: str
    unit: MemoryUnit
    coverage: float
    likeness: float


def answer_from_captions(form: QuestionForm, units: Sequence[MemoryUnit], embed: Embed) -> Finding:
    """Return what the captions tell about a question; "cannot tell" where none of them bears on it."""
    found = list(_candidates(form, units, embed))
    best = max(found, key=lambda one: (bool(one.answer), one.coverage, one.likeness), default=None)
    if best is None or not best.answer:
        return Finding(phrase("not_in_captions", form.language), _UNTOLD, cannot_tell=True)
    cited = Citation(record_id=f"frame_{best.unit.frame_id}", quote=best.sentence[:200])
    claim = Claim(text=best.sentence, citations=(cited,))
    seen = phrase("frame_says", form.language, best.unit.frame_id)
    return Finding(best.answer, _probability(form, best), (claim,), f"{seen} {best.sentence}")


def _candidates(form: QuestionForm, units: Sequence[MemoryUnit], embed: Embed) -> Iterator[_Candidate]:
    """Yield what each sentence of a caption that bears on the question says about it."""
    spoken = [(unit, one) for unit in units for one in sentences(unit.caption) if one.strip()]
    if not spoken:
        return
    vectors = np.asarray(embed([form.text, *(one for _, one in spoken)]), np.float32)
    likeness = vectors[1:] @ vectors[0]
    asked = _asked(form)
    tell = _TELLS.get(form.kind, _sentence)
    for (unit, sentence), near in zip(spoken, likeness, strict=True):
        held = concepts(sentence) | {head for head in _heads(form) if head in sentence}
        wanted = shared_with(asked, held)
        coverage = len(wanted & held) / len(wanted) if wanted else 0.0
        if coverage >= _LEAST:
            answer = tell(form, sentence)
            yield _Candidate(answer, sentence, unit, coverage, float(near))


def _asked(form: QuestionForm) -> frozenset[str]:
    """Return the words that a caption must share with the question to bear on it."""
    words = {one for one in query_terms(form.text) if not has_han(one) or len(one) <= 2}
    meant = {one for one in concepts(form.text) if is_meaning(one)}
    said = frozenset(words | meant | _heads(form))
    return said - _ASKING or said


def _heads(form: QuestionForm) -> frozenset[str]:
    """Return the Chinese nouns asked about, which may be one character long and no pair of any."""
    return frozenset(target.head for target in form.targets if has_han(target.head))


def _sentence(form: QuestionForm, sentence: str) -> str:
    return sentence.strip()


def _count(form: QuestionForm, sentence: str) -> str:
    """Return the number before the noun that is counted."""
    for number in numbers_in(sentence):
        after = " ".join(re.findall(r"\w+", sentence[number.end :])[: _FAR + 1])
        if any(same_thing(after, target.head) for target in form.targets):
            return number.text
    return ""


def _colour(form: QuestionForm, sentence: str) -> str:
    """Return the colours before the noun, or after it and a verb: "a red car", "the car is red"."""
    words = re.findall(r"\w+", sentence)
    for place, word in enumerate(words):
        if not any(same_thing(word, target.head) for target in form.targets):
            continue
        before = " ".join(words[max(0, place - _FAR) : place])
        after = " ".join(words[place + 1 : place + 1 + _FAR])
        for text in (before, after if _IS.match(after) else ""):
            if found := list(colours_in(text).values()):
                return ("和" if form.language == "zh" else " and ").join(found)
    found = list(colours_in(sentence).values()) if has_han(sentence) else []
    return found[0] if len(found) == 1 else ""


def _yes(form: QuestionForm, sentence: str) -> str:
    """Return yes where the sentence says all of the question; a caption never says what is not there."""
    asked = shared_with(_asked(form), concepts(sentence))
    return phrase("yes_as", form.language) if asked <= concepts(sentence) else ""


_TELLS: dict[str, _Told] = {"count": _count, "colour": _colour, "yes_no": _yes}
_UNTOLD = 0.05

# About how often such an answer is right, set on 8,268 questions that people asked about photographs, with
# one caption of the photograph among four of others: told in the words of one kind of answer, in the place of
# the question word, or only somewhere in a sentence that holds all words of the question. By exact words
# fewer are right (colour .64, what .59, where .63); answers that mean the same by eye were counted too.
_RIGHT = {"yes_no": 0.88, "count": 0.7, "colour": 0.72}
_RIGHT_IN_PLACE = 0.7
_RIGHT_SOMEWHERE = 0.4
_RIGHT_IN_PART = ((2 / 3, 0.25), (0.5, 0.2), (0.0, 0.1))


def _probability(form: QuestionForm, best: _Candidate) -> float:
    """Return how often an answer that was found in this way is right."""
    if best.coverage < 1.0:
        return next(right for least, right in _RIGHT_IN_PART if best.coverage >= least)
    if form.kind in _RIGHT:
        # "How many people?" names no scene: any caption with a number of people would do.
        return (
            _RIGHT[form.kind]
            if form.kind != "count" or _asked(form) - _kind_words(form)
            else _RIGHT_SOMEWHERE
        )
    return _RIGHT_IN_PLACE if fills_question(form, best.sentence) else _RIGHT_SOMEWHERE


def _kind_words(form: QuestionForm) -> frozenset[str]:
    """Return the concepts of the question that only say what is counted."""
    return frozenset().union(*(concepts(target.head) for target in form.targets)) | _ASKING


def fills_question(form: QuestionForm, sentence: str) -> bool:
    """Tell whether something stands in the sentence where the question has its question word.

    "What is the man holding?" is filled by "a man holding a cup", and not by "a man is seen".
    """
    if has_han(form.text):
        return any(
            cut in sentence and sentence.partition(cut)[2].strip("。，,. ")
            for cut in _before_question_word(form.text)
        )
    asked = set(terms(form.text))
    words = re.findall(r"\w+", sentence.lower())
    stems = [next(terms(word), "") for word in words]
    places = [place for place, one in enumerate(stems) if one in asked]
    if not places:
        return False
    if form.kind == "where":
        return any(
            word in _PLACES and any(one and one not in asked for one in stems[place + 1 : place + 4])
            for place, word in enumerate(words)
            if place > places[0]
        )
    match = _ASKS_FOR_OBJECT.match(form.text.lower())
    if match is None:
        return False
    follows = [place for place, one in enumerate(stems) if one == next(terms(match["verb"]), "")]
    return any(_object_after(words, stems, place, match["along"] or "", asked) for place in follows)


def _object_after(words: list[str], stems: list[str], verb: int, along: str, asked: set[str]) -> bool:
    """Tell whether a new thing follows the verb, after the question's own preposition where it has one."""
    rest = [place for place in range(verb + 1, min(verb + 5, len(words))) if words[place] not in _SMALL]
    if along:
        return bool(rest) and words[rest[0]] == along and len(rest) > 1 and stems[rest[1]] not in asked
    return bool(rest) and words[rest[0]] not in _PLACES and stems[rest[0]] not in (*asked, "")


def _before_question_word(text: str) -> list[str]:
    """Return the characters right before 什么, 哪里 or 谁, which a sentence that answers repeats."""
    return [match[1] for match in re.finditer(r"([\u3400-\u9fff]{1,2})(?:什么|哪里|哪儿|谁|哪个)", text)]
