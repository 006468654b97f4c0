"""Noun phrases and verbs of an English question, found by rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vidence.language.forms import base_form, is_verb_form, singular
from vidence.language.identify import HAN
from vidence.language.numbers import NUMBER_WORDS
from vidence.language.question.form import Target
from vidence.language.question.naming import category_of, colours_of, position_of
from vidence.language.tables import words_of

__all__ = ["ends_as_adverb", "english_action", "english_name", "english_targets"]

_TABLE = "question_english.tsv"
_DETERMINERS = words_of(_TABLE, "determiner")
_PREPOSITIONS = words_of(_TABLE, "preposition")
_PARTICLES = words_of(_TABLE, "particle")
_AUXILIARIES = words_of(_TABLE, "auxiliary")
_PRONOUNS = words_of(_TABLE, "pronoun")
_QUESTION_WORDS = words_of(_TABLE, "asking")
_ADJECTIVES = words_of(_TABLE, "adjective")
_ADVERBS = words_of(_TABLE, "adverb")
_EMPTY_NOUNS = words_of(_TABLE, "empty")
"""Nouns that name a place to look, not a thing to look for."""
_QUANTIFIERS = words_of(_TABLE, "quantifier")
_NO_HEADS = words_of(_TABLE, "no_head")
"""Words that describe and end no noun phrase: "the door open", "his hands right at the start"."""
_ASKED_FOR = words_of(_TABLE, "asked_for")
"""Nouns after "what" that are asked for, and no part of the thing: "what colour shirt"."""
_IMPERATIVES = words_of(_TABLE, "imperative")
_NOUN_VERBS = words_of(_TABLE, "noun_verb")
_HALVES = words_of(_TABLE, "half")
_CLOSED = (_DETERMINERS | _PREPOSITIONS | _AUXILIARIES | _PRONOUNS | _QUESTION_WORDS) - frozenset(
    NUMBER_WORDS
)
_POINTING = frozenset(("this", "that", "these", "those"))
_OWNERS = frozenset(("his", "her", "their", "my", "your"))
_GARMENTS = frozenset(("top", "bottom"))
"""Places that are garments where somebody owns them: "her top"."""
_LEAST_ADVERB = 5
_CONTAINERS = words_of(_TABLE, "of")
"""Nouns that contain the thing named after them: a pair of shoes."""
_NUMBERS = {**NUMBER_WORDS, "both": 2, "pair": 2, "couple": 2}
_TOKEN = re.compile(rf"[A-Za-z]+(?:[-'][A-Za-z]+)*|[{HAN}]+|\d+(?:\.\d+)?|[^\sA-Za-z\d]")
_NOT_COUNTED = words_of(_TABLE, "not_counted")
"""Words after a number that do not make it a count: units of time, conjunctions."""
_POST = frozenset(("with", "in", "wearing", "holding", "carrying", "without"))
"""Words after a noun that continue its description."""
_PLACE = re.compile(
    r"\s*,?\s*(?:(?:on|at|in|to) (?:the|its|his|her))\s*(?:far |very )?"
    r"((?:top|upper|bottom|lower)[ -](?:left|right)|left(?:-hand)?|right(?:-hand)?|middle|cent(?:er|re)|"
    r"foreground|background|top|bottom)(?: side| corner| of the (?:picture|image|frame|screen))?(?![\w-])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Word:
    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        return self.text.lower()


def english_targets(text: str) -> tuple[Target, ...]:
    """Return the things a text names, in order."""
    tokens = [_Word(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(text)]
    found = list(_phrases(tokens))
    targets = [_target(text, tokens, first, last) for first, last in found]
    return tuple(one for one in targets if one is not None)


def english_action(text: str) -> str | None:
    """Return the last verb phrase of a text with its particles: "taken away", "start to flow"."""
    tokens = [_Word(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(text)]
    inside = {index for first, last in _phrases(tokens) for index in range(first, last + 1)}
    phrase: list[str] = []
    for index, token in enumerate(tokens):
        if index in inside or token.lower in _AUXILIARIES:
            continue
        if is_verb_form(token.lower):
            phrase.append(token.lower)
            for after in tokens[index + 1 : index + 2]:
                if after.lower in _PARTICLES:
                    phrase.append(after.lower)
    return " ".join(phrase) or None


def english_name(target: Target) -> str:
    """Return what to call a thing in an answer, without the article; "" where its words are no noun phrase.

    A noun is known, or has an article or an owner before it; a verb, a pronoun or an adverb makes it none.
    """
    words = [match.group() for match in _TOKEN.finditer(target.text)]
    is_determined = bool(words) and words[0].lower() in _DETERMINERS
    plain = words[1:] if is_determined else words
    is_told = is_determined or target.head in words_of("asking_words.tsv", "word")
    if not plain or not (target.category or (is_told and _is_noun(target.head))):
        return ""
    before = [word for word in plain[:-1] if word.lower() not in _NUMBERS]
    clean = all(word[0].isalpha() and word.lower() not in _CLOSED and not _is_adverb(word) for word in before)
    return " ".join([*before, target.head]) if clean else target.head


def _is_noun(head: str) -> bool:
    """Say whether a word that no table of nouns knows can be one."""
    is_verb = head.endswith("ing") or (is_verb_form(head) and head not in _NOUN_VERBS)
    is_closed = head in _CLOSED or head in _NO_HEADS or head in _EMPTY_NOUNS or _is_adverb(head)
    return head.isalpha() and len(head) > 2 and not is_verb and not is_closed


def _phrases(tokens: list[_Word]) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of each run of words that can be one noun phrase."""
    start: int | None = None
    for index, token in enumerate(tokens):
        if _continues(tokens, index, start):
            start = index if start is None else start
            continue
        if start is not None:
            yield start, index - 1
            start = None
        if token.lower in _DETERMINERS and token.lower not in ("that", "no"):
            start = index
    if start is not None:
        yield start, len(tokens) - 1


def _continues(tokens: list[_Word], index: int, start: int | None) -> bool:
    """Say whether a token can belong to a noun phrase that began at `start`."""
    word = tokens[index].lower
    if not word[0].isalnum() or word[0].isdigit():
        return word.isdigit() and _before_noun(tokens, index)
    if word in _DETERMINERS or word in _PRONOUNS or word in _AUXILIARIES:
        return False
    if word in _QUESTION_WORDS or _is_adverb(word) or (index == 0 and word in _IMPERATIVES):
        return False
    if word in _PREPOSITIONS:
        return False
    if is_verb_form(word):
        return start is not None and _describes_verbally(tokens, index, start)
    return True


def _describes_verbally(tokens: list[_Word], index: int, start: int) -> bool:
    """Say whether a verb's form belongs to the noun phrase: "the parked car", "the orange checked shirt"."""
    word, before = tokens[index].lower, tokens[index - 1].lower
    if before.endswith("'s"):
        # A possessive is followed by a thing: the person's face, the man's watch.
        return True
    is_determined = tokens[start].lower in _DETERMINERS or tokens[start].lower in _NUMBERS
    if start == index - 1 and is_determined:
        return True
    if not _adjectives_only(tokens, start, index) or _has_particle(tokens, index):
        return False
    may_be_noun = word.endswith("ed") or singular(word) in _NOUN_VERBS or category_of(word) is not None
    if not is_determined or position_of(before):
        # "The man in green holding …", "the one on the left wearing …"; but: "pink frosting donuts".
        return may_be_noun or (word.endswith("ing") and _is_noun_like(tokens, index + 1))
    return True


def ends_as_adverb(word: str) -> bool:
    """Say whether a word has the ending of an adverb: actually, nearly; not: family, friendly."""
    return len(word) >= _LEAST_ADVERB and word.endswith("ly") and word not in words_of(_TABLE, "not_adverb")


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or ends_as_adverb(word)


def _has_particle(tokens: list[_Word], index: int) -> bool:
    """Say whether a bare verb is followed by its particle: "on black come up"."""
    after = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    return _bare_verb(tokens[index].lower) and after in ("up", "down", "off", "out", "away")


def _is_noun_like(tokens: list[_Word], index: int) -> bool:
    """Say whether the word at a place can only be a noun or an adjective."""
    word = tokens[index].lower if index < len(tokens) else ""
    return (
        word.isalpha()
        and word not in _CLOSED | _PARTICLES
        and not _is_adverb(word)
        and not is_verb_form(word)
    )


def _adjectives_only(tokens: list[_Word], start: int | None, index: int) -> bool:
    """Say whether no noun follows the determiner yet: "the orange checked shirt"."""
    if start is None:
        return False
    return all(_describes(token.lower) for token in tokens[start:index])


def _describes(word: str) -> bool:
    """Say whether a word only describes the noun after it."""
    if word in _DETERMINERS or word in _ADJECTIVES or ("-" in word and word.endswith("ed")):
        return True
    return bool(colours_of(word)) or position_of(word) is not None


def _bare_verb(word: str) -> bool:
    return base_form(word) == word


def _before_noun(tokens: list[_Word], index: int) -> bool:
    after = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    return after.isalpha() and after not in _NOT_COUNTED


def _target(text: str, tokens: list[_Word], first: int, last: int) -> Target | None:
    whole = tokens[first : last + 1]
    while len(whole) > 1 and _only_describes(whole[-1].lower):
        whole = whole[:-1]
    asks = first > 0 and tokens[first - 1].lower in ("what", "which")
    if whole[0].lower in _QUANTIFIERS or (asks and len(whole) > 1 and whole[0].lower in _ASKED_FOR):
        whole = whole[1:]
    run = whole
    while run and run[0].lower in _DETERMINERS and run[0].lower not in _NUMBERS:
        run = run[1:]
    if not run or _names_nothing(tokens[first], run):
        return None
    last = first + tokens[first : last + 1].index(whole[-1])
    head = singular(run[-1].lower.removesuffix("'s"))
    if position_of(head) and len(run) == 1 and not (head in _GARMENTS and whole[0].lower in _OWNERS):
        return None
    after = tokens[last + 1].lower if last + 1 < len(tokens) else ""
    if head in _EMPTY_NOUNS or (
        head in _CONTAINERS and after == "of" and head not in ("bottle", "cup", "glass")
    ):
        return None
    written = text[whole[0].start : whole[-1].end]
    described = _described(text, tokens, last)
    modifiers = tuple(one.lower for one in run[:-1])
    return Target(
        text=written,
        head=head,
        modifiers=modifiers,
        colours=colours_of(" ".join(modifiers)),
        position=position_of(" ".join(modifiers)) or _placed(text, tokens[last].end),
        category=category_of(head, " ".join((*modifiers[-1:], head)) if modifiers else ""),
        phrase=(written + described).strip(),
        number=next((_NUMBERS[m] for m in (tokens[first].lower, *modifiers) if m in _NUMBERS), None),
    )


def _only_describes(word: str) -> bool:
    if word in _NO_HEADS or word in _ASKED_FOR:
        return True
    return bool(colours_of(word)) and category_of(word) is None


def _names_nothing(first: _Word, run: list[_Word]) -> bool:
    """Say whether words only describe, or say what was done: "the dark", "on black", "was this filmed"."""
    if run[-1].lower in _HALVES and len(run) > 1:
        return True
    is_done = first.lower in _POINTING and len(run) == 1 and run[0].lower.endswith("ed")
    only_colours = first is run[0] and all(colours_of(one.lower) for one in run)
    unknown = category_of(run[-1].lower) is None
    return run[-1].lower in _NO_HEADS or (
        unknown and (only_colours or (is_done and is_verb_form(run[0].lower)))
    )


def _placed(text: str, end: int) -> str | None:
    found = _PLACE.match(text, end)
    return position_of(found[1].lower()) if found else None


def _described(text: str, tokens: list[_Word], last: int) -> str:
    """Return the description after a noun: " with blond hair and a dark coat"."""
    index = last + 1
    if index >= len(tokens) or tokens[index].lower not in _POST:
        return ""
    end = index
    for place in range(index + 1, len(tokens)):
        word = tokens[place].lower
        joins = word == "and" and place + 1 < len(tokens) and not is_verb_form(tokens[place + 1].lower)
        if joins or word in _DETERMINERS or _continues(tokens, place, index + 1):
            end = place
        else:
            break
    described = text[tokens[last].end : tokens[end].end]
    return "" if position_of(described) or _says_where(described) else described


def _says_where(described: str) -> bool:
    last = described.split()[-1].lower() if described.split() else ""
    return last in _EMPTY_NOUNS or last in _DETERMINERS or len(described.split()) < 2
