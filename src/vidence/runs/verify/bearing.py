"""Whether records bear a sentence out in its own words: they share some, and do not say the opposite."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.language.categories import categories_in
from vidence.language.identify import HAN, has_han
from vidence.language.tables import words_of
from vidence.language.tokens import query_terms, stems
from vidence.runs.verify.checkables import checkables_in
from vidence.runs.verify.content import Content

__all__ = ["conflict_of", "implied_by", "is_denial"]

_NEGATIVE = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|neither|nor|without|cannot)\b|n't\b"
    # Not part of words that deny nothing: 不同, 无人机, 未来, 非常 …
    r"|没|不(?![同仅但过断管])|无(?!人机|线|论)|未(?!来)|非(?![常洲凡])|否",
    re.IGNORECASE,
)
_THING, _HAN_THING = "([a-z][a-z ]*?)", f"([{HAN}]{{1,6}}?)"
_ENDS = r"(?= (?:in|on|at|anywhere)\b|\s*[.,;!?]|\s*$)"
_SHOWN = "(?:seen|visible|shown|there|found|present)"
_DENIED = re.compile(
    rf"\bthere (?:is|are|was|were) no {_THING}{_ENDS}"
    rf"|\bno {_THING} (?:is|are|was|were|can be|could be) {_SHOWN}\b"
    rf"|\bno {_THING} appears?\b"
    rf"|(?:没有|沒有|未(?!来))(?:看到|看见|出现|见到)?(?:任何)?{_HAN_THING}(?:出现)?(?=[，。！；]|\s*$)",
    re.IGNORECASE,
)
_EXISTENCE = re.compile(
    rf"^\W*(?:is|are|was|were) there (?:any |an? |some )?{_THING}{_ENDS}"
    rf"|^\W*(?:does|do|did) (?:any |an? |the )?{_THING} (?:appear|show up)\b"
    rf"|^\W*(?:is|are) (?:any |an? ){_THING} (?:seen|visible|shown)\b"
    rf"|(?:有没有|是否有|是否出现){_HAN_THING}(?:吗|出现)?\W*$"
    rf"|有{_HAN_THING}吗\W*$",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    rf"^\W*(?:(yes|yeah|yep|有|是的?|对)|(no|nope|没有?|沒有|不是|否))(?![a-z{HAN}])", re.IGNORECASE
)
_TELLING, _RELATION = (words_of("stop_words.tsv", name) for name in ("telling", "relation"))
_OTHER = re.compile(r"\b(?:other|another|else|more)\b|其他|其它|别的|另外|另一", re.IGNORECASE)
"""Of another thing than one that is there, the names of what is there say nothing."""


def is_denial(text: str) -> bool:
    """Tell whether a sentence says that something is not so."""
    return bool(_NEGATIVE.search(text))


def implied_by(answer: str, question: str) -> str:
    """Return the statement that "yes" or "no" makes after "is there a …?"; "" where there is none."""
    asked, said = _EXISTENCE.search(question), _YES_NO.match(answer)
    if asked is None or said is None:
        return ""
    thing = next(part for part in asked.groups() if part)
    if _OTHER.search(asked[0]):
        return ""
    if has_han(thing):
        return f"有{thing}" if said[1] else f"没有{thing}"
    return f"There is {thing}" if said[1] else f"There is no {thing}"


def conflict_of(text: str, contents: Sequence[Content], *, known: Sequence[str] = ()) -> str:
    """Return why the records do not bear a sentence out; "" where they do or where it cannot be told.

    `known` are sentences that are proven already: where there are any, words that only relate what they tell
    (before, the left one) are no news. A denial needs no words in common, since it names what is
    not there; words of another language are compared only by the things that both languages have names for.
    """
    if is_denial(text):
        return _shown_though_denied(text, contents)
    held = "\n".join([*(_words(content) for content in contents), *known])
    if not held.strip():
        is_told = bool(contents) and all(content.is_empty for content in contents) and _content_words(text)
        return "what is cited found nothing" if is_told else ""
    is_related = bool(known) and not _content_words(text) - _RELATION
    return "" if is_related or _shares(text, held) else "none of its words stands in what is cited"


def _shown_though_denied(text: str, contents: Sequence[Content]) -> str:
    for match in _DENIED.finditer(text):
        if _OTHER.search(match[0]):
            continue
        thing = next(part for part in match.groups() if part)
        told = [line for content in contents for line in _sentences(content) if not is_denial(line)]
        listing = [content for content in contents if any(_names(label, thing) for label in _labels(content))]
        if any(_names(line, thing) for line in told) or 2 * len(listing) > len(contents):
            return f"what is cited shows {thing}"
    return ""


def _names(line: str, thing: str) -> bool:
    wanted = set(stems(thing))
    return (bool(wanted) and wanted <= set(stems(line))) or bool(categories_in(thing) & categories_in(line))


def _shares(text: str, held: str) -> bool:
    said, kinds = _content_words(text), categories_in(text)
    if has_han(text) != has_han(held):
        return not kinds or bool(kinds & categories_in(held))
    return not said or bool(said.intersection(query_terms(held))) or bool(kinds & categories_in(held))


def _content_words(text: str) -> set[str]:
    """Return the words that say something by themselves: no figures, and none that only tell of a video."""
    checked = {term for one in checkables_in(text) for term in query_terms(one.text)}
    said = {term for term in query_terms(text) if term not in _TELLING and (len(term) > 1 or has_han(term))}
    return said - checked


def _words(content: Content) -> str:
    return "\n".join([content.text, *_labels(content)])


def _sentences(content: Content) -> list[str]:
    """Return what a record says in words; the label of a thing may be a slip of the detector."""
    labels = {label for label, _ in content.groups}
    return [text for text in content.texts if text.lower() not in labels]


def _labels(content: Content) -> list[str]:
    return [label.replace("_", " ") for label, _ in content.groups]
