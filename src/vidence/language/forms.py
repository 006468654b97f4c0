"""The forms of an English word: stem, singular and plural, base form of a verb.

`snowballstemmer` does the regular stemming: it is pure Python, maintained, and the reference implementation
of the algorithm. The irregular forms are one table, `irregular.tsv`.
"""

from __future__ import annotations

from functools import lru_cache

import snowballstemmer

from vidence.language.tables import read_table, words_of

__all__ = [
    "base_form", "has_one_form", "is_plural", "is_verb_form", "lookup_forms", "plural", "singular", "stem",
]  # fmt: skip

_TABLE = "irregular.tsv"
_LONGEST = 64
_STEMMER = snowballstemmer.stemmer("english")


def _bases(*kinds: str) -> dict[str, str]:
    return {form: row[1] for row in read_table(_TABLE) if row[0] in kinds for form in row[2].split()}


_STORED = _bases("verb", "noun", "degree")
_MATCHED = {
    form: base
    for form, base in (_STORED | _bases("plural", "spelling")).items()
    if form not in words_of(_TABLE, "own")
}
_VERB_FORMS = _bases("verb")
_SINGULARS = _bases("noun", "plural")
_PLURALS = {base: form for form, base in reversed(_SINGULARS.items())}
_PAIRS = words_of(_TABLE, "pair")
_ONE_FORM = _PAIRS | words_of(_TABLE, "same")
_ONLY_SINGULAR = words_of(_TABLE, "singular")
_VERBS = words_of("question_english.tsv", "verb")
_NOT_VERBS = words_of("question_english.tsv", "not_verb")
_VERB_ENDINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ing", ("", "e")), ("ied", ("y",)), ("ed", ("", "e")), ("ies", ("y",)), ("es", ("", "e")),
    ("s", ("",)), ("d", ("",)),
)  # fmt: skip


@lru_cache(maxsize=1 << 17)
def stem(word: str, *, stored: bool = False) -> str:
    """Return the stem of an English word in lower case.

    Args:
        stored: use only the irregular forms that the terms of stored memories are made with.
    """
    base = (_STORED if stored else _MATCHED).get(word, word)[:_LONGEST]
    return str(_STEMMER.stemWord(base)) if base.isascii() else base


def singular(noun: str) -> str:
    """Return the singular of a noun or of a phrase that ends in one."""
    lead, space, word = noun.rpartition(" ")
    return f"{lead}{space}{_singular(word)}"


def _singular(word: str) -> str:
    if word in _SINGULARS:
        return _SINGULARS[word]
    if word in _ONE_FORM or word in _ONLY_SINGULAR:
        return word
    if not word.endswith("s") or word.endswith(("ss", "us", "is")) or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes", "oes")):
        return word[:-2]
    return word[:-1]


def plural(noun: str) -> str:
    """Return the plural of a noun or of a phrase that ends in one."""
    lead, space, word = noun.rpartition(" ")
    if word in _ONE_FORM or word in _PLURALS:
        return f"{lead}{space}{_PLURALS.get(word, word)}"
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def is_plural(noun: str) -> bool:
    """Say whether a noun stands for several: dogs, people, trousers."""
    return noun in _PAIRS or singular(noun) != noun


def has_one_form(noun: str) -> bool:
    """Say whether a noun is the same for one and for several: trousers, sheep."""
    return noun in _ONE_FORM


def lookup_forms(phrase: str) -> tuple[str, ...]:
    """Return the forms to look a phrase up by: as written, then what it may be the plural of."""
    forms = (phrase, singular(phrase), phrase.removesuffix("s"), phrase.removesuffix("es"))
    return tuple(dict.fromkeys(forms)) if phrase.isascii() else (phrase,)


@lru_cache(maxsize=4096)
def base_form(word: str) -> str | None:
    """Return the base form of a known verb, None where the word is no form of one."""
    if word in _VERBS:
        return word
    if _VERB_FORMS.get(word) in _VERBS:
        return _VERB_FORMS[word]
    for ending, others in _VERB_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            root = word[: -len(ending)]
            bases = [root + other for other in others]
            if len(root) > 2 and root[-1] == root[-2]:
                bases.append(root[:-1])
            known = [base for base in bases if base in _VERBS]
            if known:
                return known[0]
    return None


def is_verb_form(word: str) -> bool:
    """Say whether a word is a known verb or is shaped like a participle."""
    return base_form(word) is not None or (
        len(word) > 5 and word.endswith(("ing", "ed")) and word not in _NOT_VERBS
    )
