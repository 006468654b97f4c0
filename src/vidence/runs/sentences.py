"""The sentences of a reader's summary that its notes bear out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from vidence.language.identify import has_han
from vidence.language.tables import words_of
from vidence.language.tokens import query_terms, sentences, stems
from vidence.runs.guard import unfounded
from vidence.runs.notes import Embed
from vidence.runs.verify.bearing import is_denial
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Citation, Claim
from vidence.schema.reading import Note, ReaderReply, ReaderVariables

__all__ = ["ended", "kept_sentences", "says_the_same"]

_LONGEST = 160
_OF_ONE_NOTE, _SAME, _SAME_ZH = 0.6, 0.7, 0.6
"""Share of a sentence's words that one note must hold; shares by which two sentences say the same: of words,
and of pairs of Chinese characters."""
_OF_ALL_NOTES, _MOST_CITED = 0.7, 4
"""Share of the words of what it is about that its notes must hold, and the most notes it may cite."""
_COLUMNS = " | "
_HALF, _MEANT, _MOST_NEW = 0.5, 0.4, 1
"""A sentence of what it is about may also hold so many words that stand in no note ("troubleshooting") where
half of its words do and one note means nearly the same: four of eight sentences about clips reached that on
notes of their own video, and none of 56 on those of the others."""
_NEAR = 0.35
"""The least likeness of a sentence to a note in another language: eight of our summaries reached .28 to .72
on notes of their own video, and at most .27 on those of the others."""
_TOPIC = words_of("stop_words.tsv", "topic")
_TOPIC_STEMS = words_of("stop_words.tsv", "telling") | {stem for word in _TOPIC for stem in stems(word)}
_TOPIC_ZH = re.compile("|".join(sorted(filter(has_han, _TOPIC_STEMS), key=len, reverse=True)))
_ENDS = (".", "!", "?", "。", "！", "？", "”", '"')


def kept_sentences(text: str, asked: ReaderVariables, embed: Embed) -> list[Claim]:
    """Return the sentences of a text that the notes bear out, each once, with the notes that do."""
    kept: list[Claim] = []
    for part in sentences(text):
        if _only_quotes(part, asked.notes):
            continue
        claim = _borne_out(part, asked) or _topic(part, asked, embed)
        if claim is not None and not any(says_the_same(claim.text, other.text) for other in kept):
            kept.append(claim)
    return kept


def _only_quotes(sentence: str, notes: Sequence[Note]) -> bool:
    """Tell whether a sentence is a note, word for word: the summary tells the telling ones anyway.

    What somebody says misleads where it is quoted without a speaker, and a line of a screen is no sentence.
    """
    plain = _letters(sentence)
    return _COLUMNS in sentence or any(plain in _letters(note.text) for note in notes)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _borne_out(sentence: str, asked: ReaderVariables) -> Claim | None:
    """Return a sentence with the notes that bear it out; None where it says what no note says."""
    words = set(stems(sentence))
    shared = sorted(
        ((len(words & set(stems(note.text))), note) for note in asked.notes), key=lambda one: -one[0]
    )
    cited = [note for count, note in shared[:3] if count]
    reply = ReaderReply(answer=sentence, notes=tuple(note.number for note in cited))
    # Words of several notes can be put together into something that none of them says.
    if not cited or shared[0][0] < _OF_ONE_NOTE * len(words) or not sentence.endswith(_ENDS):
        return None
    if unfounded(reply, asked.model_copy(update={"question": ""})):
        return None
    return Claim(text=ended(sentence, asked.language), citations=_citations(cited))


def _topic(sentence: str, asked: ReaderVariables, embed: Embed) -> Claim | None:
    """Return a sentence that only says what a video is about, with the notes that hold its words.

    It tells no event, so its words may stand in several notes. Notes in another language are compared by
    meaning.
    """
    is_topic = any(word in sentence.lower() for word in _TOPIC)
    if not is_topic or is_denial(sentence) or len(sentence) > _LONGEST:
        return None
    if _is_foreign(sentence, asked):
        cited = _nearest(sentence, asked.notes, embed, least=_NEAR)
    else:
        cited = _holding(sentence, asked) or _meaning(sentence, asked, embed)
    reply = ReaderReply(answer=sentence, notes=tuple(note.number for note in cited))
    if unfounded(reply, asked.model_copy(update={"question": ""})):
        return None
    return Claim(text=ended(sentence, asked.language), citations=_citations(cited))


def _is_foreign(sentence: str, asked: ReaderVariables) -> bool:
    """Tell whether most of what is said and written is in another language than a sentence."""
    told = [has_han(note.text) for note in asked.notes if note.kind in ("said", "written")]
    return told.count(not has_han(sentence)) > len(told) / 2


def _meaning(sentence: str, asked: ReaderVariables, embed: Embed) -> list[Note]:
    """Return the notes that bear out a sentence with a word of its own; none where they do not."""
    words = _telling(sentence)
    known = {word for note in asked.notes for word in _telling(note.text)}
    if len(words - known) > _MOST_NEW or len(words & known) < _HALF * len(words):
        return []
    near = _nearest(sentence, asked.notes, embed, least=_MEANT)
    return near if any(words & _telling(note.text) for note in near) else []


def _nearest(sentence: str, notes: Sequence[Note], embed: Embed, *, least: float) -> list[Note]:
    """Return the notes that mean most nearly the same; none where none is near."""
    vectors = np.asarray(embed([sentence, *(note.text for note in notes)]), np.float32)
    near = vectors[1:] @ vectors[0]
    best = np.argsort(-near, kind="stable")[:_MOST_CITED]
    return [notes[index] for index in best] if near[best[0]] >= least else []


def _holding(sentence: str, asked: ReaderVariables) -> list[Note]:
    """Return the notes that hold most of the words of a sentence; none where they do not."""
    words = _telling(sentence)
    cited, left = list[Note](), set(words)
    while left and len(cited) < _MOST_CITED:
        best = max(asked.notes, key=lambda note: len(left & _telling(note.text)))
        if not left & _telling(best.text):
            break
        cited.append(best)
        left -= _telling(best.text)
    return cited if len(left) <= (1 - _OF_ALL_NOTES) * len(words) else []


def _telling(text: str) -> set[str]:
    """Return what a text says something with: stems of words, and single Chinese characters."""
    plain = _TOPIC_ZH.sub(" ", text)
    found = {term for term in query_terms(plain) if term not in _TOPIC_STEMS}
    return {part for term in found for part in (term if has_han(term) else (term,))}


def says_the_same(one: str, other: str) -> bool:
    """Tell whether two sentences share most of the words of the shorter one."""
    first, second = _bare_terms(one), _bare_terms(other)
    least = _SAME_ZH if has_han(one) and has_han(other) else _SAME
    return len(first & second) > least * min(len(first), len(second))


def _bare_terms(text: str) -> set[str]:
    """Return the stems of a text, of Chinese its pairs of characters."""
    plain = [char for char in text if char.isalnum()]
    return {one + other for one, other in pairwise(plain)} if has_han(text) else set(stems(text))


def _citations(notes: Sequence[Note]) -> tuple[Citation, ...]:
    return tuple(
        Citation(record_id=note.record_id, start_time=note.start_s, end_time=note.end_s, quote=note.quote)
        for note in notes
        if note.record_id is not None
    )


def ended(text: str, language: AnswerLanguage) -> str:
    """Return a text as a sentence."""
    plain = text.strip()
    first = plain[:1].upper() + plain[1:]
    if plain.endswith((".", "!", "?", "。", "！", "？", "…")):
        return first
    return f"{first}。" if language == "zh" else f"{first}."
