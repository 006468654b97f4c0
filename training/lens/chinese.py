"""Extra texts for training: tag templates in both languages and word-by-word Chinese glosses of captions."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

__all__ = ["Tag", "gloss", "load_probe", "load_tags", "tag_text"]

DATA = Path(__file__).parent / "data"
Language = Literal["en", "zh"]
_LONGEST_PHRASE = 6  # words


@dataclass(frozen=True)
class Tag:
    """One of the 80 object names, with what people call it."""

    name: str
    english: tuple[str, ...]
    chinese: tuple[str, ...]  # the first is the one evaluated
    unseen: str  # a Chinese synonym kept out of training

    def names(self, language: Language) -> tuple[str, ...]:
        return self.english if language == "en" else self.chinese


@cache
def load_tags() -> dict[str, Tag]:
    """Return the 80 tags by their COCO name."""
    tags = [
        Tag(name, tuple(en.split("|")), tuple(zh.split("|")), unseen)
        for name, en, zh, unseen in _table("tags.tsv")
    ]
    return {tag.name: tag for tag in tags}


def load_probe() -> list[list[str]]:
    """Return (place in the test part, Chinese phrase) of the hand-made probe; never trained on."""
    return _table("probe_zh.tsv")


def tag_text(tags: tuple[str, ...], language: Language, rng: random.Random) -> tuple[str, tuple[str, ...]]:
    """Return a sentence naming one to three of `tags`, and the tags it names."""
    count = rng.choice([n for n in (1, 1, 2, 3) if n <= len(tags)])
    chosen = tuple(rng.sample(tags, count))
    template = rng.choice(_templates(language)[count])
    names = [rng.choice(load_tags()[name].names(language)) for name in chosen]
    return template.format(*names), chosen


def gloss(caption: str) -> str:
    """Return a rough Chinese rendering of an English caption, or "" when fewer than two words are known.

    Words the glossary lacks are left out; a place word closes the noun phrase after it, as in 在…上.
    """
    words = re.findall(r"[a-z]+", caption.lower())
    pieces: list[str] = []
    known, closing, i = 0, "", 0
    while i < len(words):
        length, chinese, kind = _longest(words, i)
        i += length
        if kind == "":
            continue
        known += kind in "nav"
        if kind == "p" or (kind == "v" and closing):
            pieces.append(closing)
            closing = ""
        if kind == "p":
            pieces.append("在")
            closing = chinese
        else:
            pieces.append(chinese)
    text = "".join([*pieces, closing])
    return text if known >= 2 else ""


def _longest(words: list[str], start: int) -> tuple[int, str, str]:
    glossary = _glossary()
    for length in range(min(_LONGEST_PHRASE, len(words) - start), 0, -1):
        entry = glossary.get(" ".join(words[start : start + length]))
        if entry:
            return length, *entry
    return 1, "", ""


@cache
def _glossary() -> dict[str, tuple[str, str]]:
    return {form: (zh, kind) for zh, kind, forms in _table("glossary.tsv") for form in forms.split("|")}


@cache
def _templates(language: Language) -> dict[int, list[str]]:
    rows = [(int(count), template) for lang, count, template in _table("templates.tsv") if lang == language]
    return {count: [t for n, t in rows if n == count] for count in (1, 2, 3)}


def _table(name: str) -> list[list[str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]
