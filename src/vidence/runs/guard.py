"""The guard of a reader's answer: what it copied must stand in the notes that it cites.

A language model that reads may fill in a name, a number or a date that it did not read, or take the nearest
figure. Such an answer becomes "cannot tell". Only a wrong number of a note is put right, where another note
holds the answer as it stands.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import date

from vidence.language.colours import colours_in, same_colour
from vidence.language.dates import find_dates
from vidence.language.identify import HAN, has_han
from vidence.language.numbers import numbers_in
from vidence.language.quotations import quotations
from vidence.language.tables import words_of
from vidence.language.tokens import stems
from vidence.runs.verify.checkables import checkables_in
from vidence.schema.reading import Note, ReaderReply, ReaderVariables

__all__ = ["guarded", "unfounded"]

_NEAR_CHARS = 48
"""How far from a figure, on either side, the noun it counts may stand."""
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_COPIED = frozenset({"name", "person", "text", "utterance"})
"""Types of answer that are copied word for word."""
_YES_NO = frozenset(stems("yes no not true false correct 是的 不是 没有 有的 对的"))
_FIGURES = frozenset({"number", "count", "money", "duration"})
_TELLING, _LONG = 3, 8
"""Letters or digits of an answer by which its note can be told, with words of the question and without."""
_ANY_DAY = date(2000, 1, 1)


def _any(kind: str) -> str:
    return "|".join(sorted(words_of("chinese_names.tsv", kind)))


_HAN_NAME = re.compile(
    rf"(?:{_any('before')})[“「《]?([{HAN}]{{2,4}})(?![{HAN}])"
    rf"|((?:{_any('surname')})[{HAN}]{{0,2}}?)(?:{_any('title')})"
)


def guarded(reply: ReaderReply, variables: ReaderVariables) -> ReaderReply:
    """Return the reply, or "cannot tell" where something in its answer is unfounded."""
    if reply.cannot_tell:
        return ReaderReply(sure=reply.sure)
    return _cited_right(reply, variables) if unfounded(reply, variables) else reply


def _cited_right(reply: ReaderReply, variables: ReaderVariables) -> ReaderReply:
    """Return the reply with the note that it should have cited; "cannot tell" where there is none.

    A small model copies well and numbers badly. Of several notes that hold the answer as it stands, the one
    with most words of the question is meant; a long name or text needs none of them: the shortest note is.
    """
    answer, asked = _bare(reply.answer), set(stems(variables.question)) - set(stems(reply.answer))
    if len(answer) < _TELLING:
        return ReaderReply()
    holding = [note for note in variables.notes if answer in _bare(_said(note))]
    shared = [len(asked & set(stems(_said(note)))) for note in holding]
    is_known = any(note.number in reply.notes for note in variables.notes)
    is_long = variables.answer_type in _COPIED and len(answer) >= _LONG and is_known
    if not holding or not (any(shared) or is_long):
        return ReaderReply()
    ranked = zip(shared, holding, strict=True)
    _, best = max(ranked, key=lambda pair: (pair[0], -len(pair[1].text)))
    told = reply.model_copy(update={"notes": (best.number,)})
    return ReaderReply() if unfounded(told, variables) else told


def unfounded(reply: ReaderReply, variables: ReaderVariables) -> list[str]:
    """Return the parts of an answer that the cited notes do not bear out."""
    cited = [note for note in variables.notes if note.number in reply.notes]
    if not cited:
        return [reply.answer]
    held = "\n".join(_said(note) for note in cited)
    known = f"{held}\n{variables.question}"
    missing = [*_figures(reply.answer, known), *_names(reply.answer, known, variables.question)]
    missing += _colours(reply.answer, known)
    if variables.answer_type in _COPIED:
        missing += _words(reply.answer, known)
    if not missing and _is_invented(reply.answer, held, variables.question):
        missing.append(reply.answer)
    if not missing and _is_figure(reply.answer, variables):
        missing += _strays(reply.answer, cited, variables)
    return list(dict.fromkeys(missing))


def _said(note: Note) -> str:
    return f"{note.label} {note.text}"


def _figures(answer: str, known: str) -> list[str]:
    """Return the numbers and dates of an answer that are in none of the notes."""
    values = {number.value for number in numbers_in(known)}
    digits = {_plain_digits(found) for found in _DIGITS.findall(_folded(known))}
    dates = set(find_dates(known, today=_ANY_DAY))
    if (said := find_dates(answer, today=_ANY_DAY)) and all(one in dates for one in said):
        # The same day written otherwise: 5 March 2022 and 2022-03-05.
        return []
    missing = [
        found
        for found in _DIGITS.findall(_folded(answer))
        if _plain_digits(found) not in digits and not _is_value(found, values)
    ]
    spelt = [one for one in numbers_in(answer) if not one.is_vague and not _DIGITS.search(one.text)]
    return missing + [one.text for one in spelt if one.value not in values]


def _is_value(found: str, values: set[float]) -> bool:
    plain = found.replace(",", "")
    return plain.replace(".", "", 1).isdigit() and float(plain) in values


def _plain_digits(found: str) -> str:
    return found.replace(",", "").strip(".:")


def _names(answer: str, known: str, question: str) -> list[str]:
    """Return the names and quotations of an answer that are in none of the notes."""
    held = _bare(known)
    wanted = [one.text for one in checkables_in(answer, given=question) if one.kind in ("name", "quote")]
    wanted += [one for found in _HAN_NAME.findall(answer) for one in found if one]
    wanted += quotations(answer)
    return [one for one in wanted if _bare(one) not in held]


def _colours(answer: str, known: str) -> list[str]:
    held = set(colours_in(known))
    return [word for family, word in colours_in(answer).items() if not same_colour(family, held)]


def _words(answer: str, known: str) -> list[str]:
    """Return the words of a copied answer that are in none of the notes; in another language none can be."""
    if has_han(answer) and not has_han(known):
        return []
    held = set(stems(known))
    return [word for word in stems(answer) if word not in held]


def _is_invented(answer: str, held: str, question: str) -> bool:
    """Tell whether none of the words that an answer adds to its question stands in the notes.

    Other languages have other words, "yes" and "no" are no words of a note, and figures are checked as such.
    """
    if _numbers(answer):
        return False
    added = set(stems(answer)) - set(stems(question)) - _YES_NO
    return bool(added) and has_han(answer) == has_han(held) and added.isdisjoint(stems(held))


def _is_figure(answer: str, variables: ReaderVariables) -> bool:
    asked = variables.answer_type
    return bool(_numbers(answer)) and (asked in _FIGURES if asked else len(stems(answer)) <= len(_FIGURES))


def _strays(answer: str, cited: Sequence[Note], variables: ReaderVariables) -> list[str]:
    """Return the figures of an answer near which no note names what was asked for."""
    head, question = set(stems(variables.head)), set(stems(variables.question))
    given = {number.value for number in numbers_in(variables.question)}
    return [
        text
        for text, value in _numbers(answer)
        if value not in given
        and not any(_stands_near(value, note, head, question, variables) for note in cited)
    ]


def _stands_near(
    value: float, note: Note, head: set[str], question: set[str], variables: ReaderVariables
) -> bool:
    text = _said(note)
    if has_han(text) != has_han(variables.question):
        # Another language has other words; that the figure stands there is all that can be checked.
        return any(value == one for _, one in _numbers(text))
    spans = [(one.start, one.end) for one in numbers_in(text) if one.value == value]
    # Ordinals and labels are no numbers of things, but may be asked for: 第120天, CAM 12.
    spans += [found.span() for found in _DIGITS.finditer(text) if _is_value(found[0], {value})]
    return any(
        (head or question) & set(stems(text[max(start - _NEAR_CHARS, 0) : end + _NEAR_CHARS]))
        for start, end in spans
    )


def _numbers(text: str) -> list[tuple[str, float]]:
    return [(one.text, one.value) for one in numbers_in(text) if not one.is_vague]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _bare(text: str) -> str:
    return "".join(character for character in _folded(text).casefold() if character.isalnum())
