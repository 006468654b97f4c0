"""What is shown: which members of a group of things are seen, and what is written on screen."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.embedded.recipes.objects import TimedDetections, detect_at, spread
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, StepsOf, call, claim, untold
from vidence.embedded.recipes.spans import find_span
from vidence.embedded.recipes.wording import article, joined, pick, quoted, seconds, sentence
from vidence.language.categories import category_words
from vidence.language.identify import has_han
from vidence.language.labels import label_in
from vidence.language.question import Question
from vidence.language.tables import words_of
from vidence.language.tokens import query_terms, terms
from vidence.runs.notes import noted_lines
from vidence.schema.evidence import Claim, EvidenceRecord
from vidence.schema.reading import NotedLine

__all__ = ["asks_for_members", "plain_letters", "tell_members", "tell_written", "text_meant", "written_lines"]

_LOOKS = 9
_MOST_NAMED = 5
_LEAST_SHARE = 0.6
"""A member is named from this share of the surest one's confidence on."""
_BASE, _PER_CONFIDENCE = 0.35, 0.45
_AROUND_S = 0.5
_MOST_LINES = 4
_ALONE, _AMONG, _ANY = 0.7, 0.5, 0.2
"""How probable it is that the only text or all are meant, that those with words of the question are, or that
one of several is of which nothing tells."""
_ABOUT_TEXT = words_of("words.tsv", "about_text", room="embedded")
_ABOUT_TEXT_ZH = re.compile("|".join(sorted(filter(has_han, _ABOUT_TEXT), key=len, reverse=True)))


def asks_for_members(question: Question) -> bool:
    """Tell whether a question asks which things of a group there are: "What animal is there?"."""
    if question.expected.type != "thing" or not question.form.targets:
        return False
    target = question.form.targets[0]
    members = category_words().get(target.category or "", frozenset())
    return target.head == question.expected.head and len(members) > 1


def tell_members(inquiry: Inquiry) -> Steps:
    """Return the members of the group that detectors see, the surest first."""
    language = inquiry.language
    span = yield from find_span(inquiry)
    times = spread(span.start_s, span.end_s, _LOOKS, inquiry.duration_s)
    seen = _surest((yield from detect_at(inquiry, times, inquiry.form.targets[0])))
    if not seen:
        return untold(inquiry)
    names = [label_in(category, language) for category in seen]
    claims: list[Claim] = []
    for name, (look, _) in zip(names, seen.values(), strict=True):
        at = seconds(look.time_s, language)
        told = inquiry.say("seen_at", pick(language, article(name), name), at=at)
        claims += claim(told, look.record)
    sure = _BASE + _PER_CONFIDENCE * max(confidence for _, confidence in seen.values())
    return Finding(sentence(joined(names, language), language), sure, tuple(claims))


def _surest(looks: list[TimedDetections]) -> dict[str, tuple[TimedDetections, float]]:
    """Return for each category the look that shows it best and its confidence, the surest first."""
    best: dict[str, tuple[TimedDetections, float]] = {}
    for look in looks:
        for thing in look.objects:
            if thing.confidence > best.get(thing.category, (look, 0.0))[1]:
                best[thing.category] = (look, thing.confidence)
    ordered = sorted(best.items(), key=lambda pair: -pair[1][1])[:_MOST_NAMED]
    least = _LEAST_SHARE * ordered[0][1][1] if ordered else 0.0
    return {category: shown for category, shown in ordered if shown[1] >= least}


def tell_written(inquiry: Inquiry) -> Steps:
    """Return the texts that share words with the question; where none does, those shown longest."""
    lines, record = yield from written_lines(inquiry)
    texts = _distinct(lines)
    if not texts:
        return untold(inquiry, "no_text")
    wanted = text_meant(inquiry.form.text)
    named = _foremost(wanted, texts)
    is_meant = bool(wanted & {term for line in named for term in terms(line.text)})
    words = [quoted(line.text) for line in named]
    claims: list[Claim] = []
    for text, line in zip(words, named, strict=True):
        claims += claim(inquiry.say("screen_reads", text), record, line, quote=line.text)
    told = named[0].text if len(named) == 1 else joined(words, inquiry.language)
    sure = _ALONE if len(texts) == 1 or not wanted else _AMONG if is_meant else _ANY
    return Finding(sentence(told, inquiry.language), sure, tuple(claims))


def text_meant(question: str) -> set[str]:
    """Return the words that tell which text a question means; none where it asks for all there is."""
    known = {term for word in _ABOUT_TEXT for term in query_terms(word)}
    return set(query_terms(_ABOUT_TEXT_ZH.sub(" ", question))) - known


def written_lines(inquiry: Inquiry) -> StepsOf[tuple[list[NotedLine], EvidenceRecord | None]]:
    """Return the noted texts on screen in the part that the question is about, and their record."""
    span = yield from find_span(inquiry)
    (record,) = yield [call("get_notes", inquiry, language=inquiry.language)]
    noted = noted_lines(record) if record is not None else []
    return [line for line in noted if line.kind == "written" and span.holds(line, _AROUND_S)], record


def plain_letters(text: str) -> str:
    """Return only letters and digits, since text recognition often errs on spaces and marks."""
    return "".join(char for char in text.casefold() if char.isalnum())


def _distinct(lines: Sequence[NotedLine]) -> list[NotedLine]:
    """Return each text once, as it is shown longest."""
    kept: dict[str, NotedLine] = {}
    for line in sorted(lines, key=_prominence):
        kept[plain_letters(line.text)] = line
    return sorted((line for letters, line in kept.items() if letters), key=_prominence, reverse=True)


def _foremost(wanted: set[str], lines: Sequence[NotedLine]) -> list[NotedLine]:
    """Return the texts with most of the wanted words."""
    shared = [len(wanted & set(terms(line.text))) for line in lines]
    most = max(shared)
    return [line for line, number in zip(lines, shared, strict=True) if number == most][:_MOST_LINES]


def _prominence(line: NotedLine) -> float:
    return line.confidence * (line.end_time - line.start_time)
