"""Names of the people who speak: from captions under them, and from what they say of themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.language.identify import HAN, has_han
from vidence.language.tables import words_of
from vidence.queries.notes.screen import MergedLine
from vidence.schema.speech import Utterance

__all__ = ["NamedPerson", "captioned_people", "name_voices"]

_TITLES_EN, _TITLES_ZH = words_of("job_titles.tsv", "en"), words_of("job_titles.tsv", "zh")
_SURNAMES = "".join(sorted(words_of("chinese_names.tsv", "surname")))
_WORD = r"[A-Z][A-Za-z'’\-]+\.?"
_ENGLISH = re.compile(
    rf"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.?\s+)?{_WORD}(?:\s+(?:de|van|von|der|la|del|bin|al|[A-Z]\.?))*(?:\s+{_WORD}){{1,2}}"
)
_CHINESE = re.compile(rf"[{_SURNAMES}][{HAN}]{{1,2}}")
_APART = re.compile(r"\s*(?:[,，|｜·•:：/]|\s[-–—]\s|\s{2,})\s*")
_I_AM = re.compile(
    rf"\b(?:my name is|my name's)\s+({_WORD}(?:\s+{_WORD}){{0,2}})"
    rf"|\b(?:I am|I'm)\s+({_WORD}(?:\s+{_WORD}){{1,2}})"
)
_WO_SHI = re.compile(
    rf"我(?:叫|的名字叫|的名字是|名叫)([{HAN}]{{2,4}}?)(?=[，,。.!！；\s]|$|是|来自|今年)"
    rf"|我是([{_SURNAMES}][{HAN}]{{1,2}})(?=[，,。.!！；\s]|$)"
)
_LOWER = 0.5
_CAPTION_LINES = 3
_AROUND_S = 8.0
"""A caption names whoever speaks while it shows, and this long before and after."""


@dataclass(frozen=True)
class NamedPerson:
    """A name with what stands beside it, and when it shows."""

    name: str
    role: str
    start_s: float
    end_s: float

    @property
    def text(self) -> str:
        """Name and role, in the form of their language."""
        joiner = "，" if has_han(self.name) else ", "
        return f"{self.name}{joiner}{self.role}" if self.role else self.name


def captioned_people(blocks: Sequence[Sequence[MergedLine]]) -> list[NamedPerson]:
    """Return the names in captions: a name in the lower half of the picture with a job beside it."""
    found: dict[str, NamedPerson] = {}
    for block in blocks:
        if len(block) > _CAPTION_LINES or block[0].box.centre[1] < _LOWER:
            continue
        parts = [part for line in block for part in _APART.split(line.text) if part]
        named = next((part for part in parts if _is_name(part)), None)
        roles = [part for part in parts if part != named and _has_title(part)]
        if named is None or not roles:
            continue
        person = NamedPerson(
            named, roles[0], min(line.start_s for line in block), max(line.end_s for line in block)
        )
        found.setdefault(named, person)
    return list(found.values())


def name_voices(said: Sequence[Utterance], shown: Sequence[NamedPerson]) -> list[str | None]:
    """Return the name of who says each utterance, where a caption or the speaker gives it."""
    names: list[str | None] = [_own_name(one.text) for one in said]
    for index, one in enumerate(said):
        near = [
            person
            for person in shown
            if one.start_time < person.end_s + _AROUND_S and one.end_time > person.start_s - _AROUND_S
        ]
        # Two captions at once may name either of two people.
        if names[index] is None and len(near) == 1 and _touches(one, near[0]):
            names[index] = near[0].name
    votes: dict[str, Counter[str]] = {}
    for one, name in zip(said, names, strict=True):
        if one.speaker and name:
            votes.setdefault(one.speaker, Counter())[name] += 1
    of_voice = {speaker: counted.most_common(1)[0][0] for speaker, counted in votes.items()}
    return [
        of_voice.get(one.speaker or "", name) or _written_name(one)
        for one, name in zip(said, names, strict=True)
    ]


def _touches(said: Utterance, person: NamedPerson) -> bool:
    return said.start_time < person.end_s and said.end_time > person.start_s


def _written_name(said: Utterance) -> str | None:
    """Return the speaker that a subtitle file names."""
    is_number = said.speaker is None or re.fullmatch(r"speaker_\d+", said.speaker)
    return None if is_number else said.speaker


def _own_name(text: str) -> str | None:
    match = _WO_SHI.search(text) if has_han(text) else _I_AM.search(text)
    return next((part.rstrip(".") for part in match.groups() if part), None) if match else None


def _is_name(text: str) -> bool:
    if has_han(text):
        return bool(_CHINESE.fullmatch(text)) and text not in _TITLES_ZH
    return bool(_ENGLISH.fullmatch(text)) and not _has_title(text.removeprefix("Dr").removeprefix("Prof"))


def _has_title(text: str) -> bool:
    if has_han(text):
        return any(title in text for title in _TITLES_ZH)
    return bool({word.strip(".,()").lower() for word in re.split(r"[\s\-/]+", text)} & _TITLES_EN)
