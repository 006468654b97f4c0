"""Whether what is cited bears on the question: it must speak of something that the question names."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.language.categories import same_thing
from vidence.language.identify import has_han
from vidence.language.question import Target, read_question
from vidence.language.tokens import stems
from vidence.runs.verify.content import Content

__all__ = ["bears_on"]

_PERSON = "person"
"""People are called by too many names (he, the guy, a customer) to be compared by words."""


def bears_on(question: str, contents: Sequence[Content]) -> bool:
    """Tell whether any content speaks of a thing that the question names.

    Only where that can be told: a question may name nothing that has a word of its own, and what is cited may
    be in another language.
    """
    named = read_question(question).form.targets
    held = [text for content in contents for text in (*content.texts, *content.asked)]
    labels = [label.replace("_", " ") for content in contents for label, _ in content.groups]
    if all(one.category in (None, _PERSON) for one in named) or not (held or labels):
        return True
    is_quoted = any(text.strip() and text in question for text in held)
    return is_quoted or any(_speaks_of(one, [*held, *labels]) for one in named)


def _speaks_of(target: Target, held: Sequence[str]) -> bool:
    wanted = set(stems(target.head))
    if any(wanted & set(stems(text)) or (has_han(target.head) and target.head in text) for text in held):
        return True
    if target.category is None:
        return False
    words = {word for text in held for word in _words(text)}
    return any(same_thing(word, target.category) for word in words) or not any(
        has_han(text) == has_han(target.head) for text in held
    )


def _words(text: str) -> list[str]:
    return [text.lower(), *(word.strip(".,;:!?“”\"'").lower() for word in text.split())]
