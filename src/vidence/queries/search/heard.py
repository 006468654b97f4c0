"""Evidence from speech, sounds, text on screen and captions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from vidence.language.question import SearchQuery
from vidence.language.tables import read_table
from vidence.language.tokens import clean, stems
from vidence.queries.search.material import Hit, Material
from vidence.schema.speech import Utterance

__all__ = ["captions_read", "is_misread", "screen_read", "sounds_heard", "words_heard"]

_FUZZY = 0.8
_CONTEXT_S = 0.4
_MIN_WORD = 4
_LONG_WORD = 9


def words_heard(query: SearchQuery, material: Material) -> Iterator[Hit]:
    """Find speech: quoted words literally, else utterances that share words with the query."""
    weights = _weights([one.text for one in material.speech], query.stems)
    talk = "speech" in query.cues
    for said in material.speech:
        score = _matched(query, said.text, weights)
        if not score and talk and not query.exact:
            # A query for speech in general is weakly supported by any speech.
            score = 0.25
        if score:
            start, end = _spoken(query, said) if query.exact else (said.start_time, said.end_time)
            yield Hit(start, end, score * max(0.5, said.confidence), "speech")


def sounds_heard(query: SearchQuery, material: Material) -> Iterator[Hit]:
    """Find sounds by their names in either language, or by their kind."""
    if query.exact:
        return
    for event in material.sounds:
        names = {name for name in (event.event_type, event.description) if name}
        score = max((_sound_fit(name, query) for name in names), default=0.0)
        if score:
            yield Hit(event.start_time, event.end_time, score * event.confidence, "sounds")


def screen_read(query: SearchQuery, material: Material) -> Iterator[Hit]:
    """Find words on screen; when the query asks for text without saying which, any text."""
    lines = [" ".join(line.text for line in row.lines) for row in material.texts]
    weights = _weights(lines, query.stems)
    for row, text, span in zip(material.texts, lines, material.place(material.texts), strict=True):
        score = _matched(query, text, weights, fuzzy=True)
        if text and "text" in query.cues and not query.exact:
            score = max(score, 0.5)
        if score:
            sure = max(line.confidence for line in row.lines)
            yield Hit(span.start_s, span.end_s, score * sure, "screen")


def captions_read(query: SearchQuery, material: Material) -> Iterator[Hit]:
    """Find captions that share the query's words."""
    if query.exact:
        return
    wanted = set(query.stems)
    for caption in material.captions:
        own = set(stems(caption.en)) | set(stems(caption.zh))
        share = len(own & wanted) / len(wanted) if wanted else 0.0
        if share:
            yield Hit(caption.start_time, caption.end_time, share * caption.confidence, "captions")


def _matched(query: SearchQuery, text: str, weights: dict[str, float], *, fuzzy: bool = False) -> float:
    if query.exact:
        return min(_says(part, text, fuzzy=fuzzy) for part in query.exact)
    if not weights:
        return 0.0
    own = set(stems(text))
    found = {stem: 1.0 if stem in own else _near(stem, own) if fuzzy else 0.0 for stem in weights}
    return sum(weights[stem] * found[stem] for stem in weights) / sum(weights.values())


def _near(stem: str, own: set[str]) -> float:
    """Return the similarity to the nearest word, since OCR misreads a letter now and then."""
    if len(stem) < _MIN_WORD:
        return 0.0
    near = [one for one in own if len(one) >= _MIN_WORD and is_misread(stem, one)]
    return max((SequenceMatcher(None, stem, one).ratio() for one in near), default=0.0)


def is_misread(word: str, other: str) -> bool:
    """Tell whether two words differ by so few letters that one may be the other misread."""
    allowed = 1 if max(len(word), len(other)) < _LONG_WORD else 2
    if abs(len(word) - len(other)) > allowed:
        return False
    row = list(range(len(other) + 1))
    for place, letter in enumerate(word, 1):
        before, row[0] = row[0], place
        for index, one in enumerate(other, 1):
            before, row[index] = row[index], min(row[index] + 1, row[index - 1] + 1, before + (letter != one))
    return row[-1] <= allowed


def _says(part: str, text: str, *, fuzzy: bool) -> float:
    needle, hay = _plain(part), _plain(text)
    if not needle:
        return 0.0
    if re.search(rf"(?<!\w){re.escape(needle)}(?!\w)", hay) or (not needle.isascii() and needle in hay):
        return 1.0
    if fuzzy and len(needle) >= _MIN_WORD:
        ratio = max(
            (SequenceMatcher(None, needle, hay[i : i + len(needle)]).ratio() for i in range(len(hay))),
            default=0,
        )
        return ratio * 0.9 if ratio >= _FUZZY + 0.05 else 0.0
    return 0.0


def _spoken(query: SearchQuery, said: Utterance) -> tuple[float, float]:
    """Return when the quoted words themselves are said, where word times are known."""
    wanted = _plain(" ".join(query.exact)).split()
    words = [_plain(word.text) for word in said.words]
    for index in range(len(words) - len(wanted) + 1):
        if words[index : index + len(wanted)] == wanted:
            first, last = said.words[index], said.words[index + len(wanted) - 1]
            return max(said.start_time, first.start_time - _CONTEXT_S), min(
                said.end_time, last.end_time + _CONTEXT_S
            )
    return said.start_time, said.end_time


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", " ", clean(text).lower()).split())


def _weights(texts: Sequence[str], wanted: Sequence[str]) -> dict[str, float]:
    """Return a weight per query word: words that occur in many texts weigh less."""
    owned = [set(stems(text)) for text in texts]
    return {stem: 1.0 / (1.0 + sum(stem in own for own in owned)) ** 0.5 for stem in wanted} if owned else {}


def _sound_fit(name: str, query: SearchQuery) -> float:
    wanted = set(query.stems)
    for own, worth in _sound_words().get(name, ((frozenset(stems(name.replace("_", " "))), 1.0),)):
        if own & wanted:
            return worth
    return 0.12 if "sound" in query.cues and not _names_a_sound(query.stems) else 0.0


def _names_a_sound(wanted: tuple[str, ...]) -> bool:
    return any(own & set(wanted) for rows in _sound_words().values() for own, _ in rows)


@lru_cache(maxsize=1)
def _sound_words() -> dict[str, tuple[tuple[frozenset[str], float], ...]]:
    """Return per sound the words that name it, and those that name its kind and weigh less."""
    return {
        row[0]: (
            (frozenset(stem for word in row[1].split(",") for stem in stems(word)), 1.0),
            (frozenset(stem for word in row[2].split(",") for stem in stems(word)), 0.7),
        )
        for row in read_table("search_sounds.tsv")
    }
