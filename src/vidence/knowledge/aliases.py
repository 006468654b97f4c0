"""Which names are one person: merges with their reason, blocked by contradiction and undone at will."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from vidence.knowledge import names_en, names_zh
from vidence.language.identify import has_han
from vidence.schema.story import Merge

__all__ = ["MergedName", "Named", "merge_names"]

_CLEAR = 1.5
"""In how many times as many chapters as any other candidate a name must stand to take an ambiguous alias."""
_OWN_SURNAME = frozenset(
    [
        "姑娘",
        "小姐",
        "妹妹",
        "姐姐",
        "哥哥",
        "公子",
        "先生",
        "老师",
        "教授",
        "医生",
        "主任",
        "书记",
        "局长",
        "师傅",
        "同志",
        "大夫",
        "二爷",
        "三爷",
    ]
)
"""Titles that stand after one's own surname or name; 王夫人 may be a Wang by birth or by marriage."""
_AFTER_GIVEN = frozenset(
    [
        "姐",
        "哥",
        "妹",
        "丫头",
        "大爷",
        "二爷",
        "三爷",
        "四爷",
        "爷",
        "姐儿",
        "哥儿",
        "姑娘",
        "公",
        "老爹",
        "老爷",
    ]
)
"""Titles that also stand after one character of a given name: 凤姐, 宝二爷."""
_GIVEN_RULES, _TITLE_RULES = ("full_name", "diminutive"), ("title", "nickname", "full_name", "diminutive")
_TOGETHER = 3
"""Sentences that join two names as two people before their merge is blocked."""


class Named(NamedTuple):
    """How often a name stands, what kind of thing it names, and in how many chapters it stands."""

    times: int
    kind: str
    chapters: int = 1
    gender: str = "unknown"


@dataclass
class MergedName:
    """A name, the aliases merged into it, and why."""

    name: str
    count: int
    kind: str = "person"
    gender: str = "unknown"
    aliases: list[str] = field(default_factory=list)
    merges: list[Merge] = field(default_factory=list)


def merge_names(
    names: Mapping[str, Named],
    *,
    apart: Mapping[tuple[str, str], int],
    stated: Sequence[tuple[str, str, str]] = (),
    split: frozenset[tuple[str, str]] = frozenset(),
    joined: Sequence[tuple[str, str]] = (),
) -> list[MergedName]:
    """Return the people and places of a story, aliases merged.

    Args:
        names: every name with how often it stands and its kind.
        apart: how often a sentence joins two names as two people (sorted pair).
        stated: alias, name and the words that say so.
        split: merges undone by hand (alias, name).
        joined: merges made by hand (alias, name).
    """
    merger = _Merger(names, apart, split)
    for alias, name in joined:
        merger.merge(alias, name, Merge(alias=alias, rule="by_hand"), forced=True)
    for alias, name, words in stated:
        merger.merge(alias, name, Merge(alias=alias, rule="stated", evidence=words))
    ranked = sorted(names, key=lambda one: (-len(one), -names[one][0], one))
    # Given names first: how often somebody is named decides whose title an ambiguous one is.
    for rules in (_GIVEN_RULES, _TITLE_RULES, _TITLE_RULES):
        known = merger.as_named()
        for alias in ranked:
            found = _full_name(alias, known)
            if found is not None and found[1] in rules:
                merger.merge(alias, found[0], Merge(alias=alias, rule=found[1]))
    return merger.people()


class _Merger:
    """Groups of names; a group never holds two names that contradict each other."""

    def __init__(
        self,
        names: Mapping[str, Named],
        apart: Mapping[tuple[str, str], int],
        split: frozenset[tuple[str, str]],
    ) -> None:
        self._names, self._apart, self._split = names, apart, split
        self._group = {name: name for name in names}
        self._members: dict[str, list[str]] = {name: [name] for name in names}
        self._merges: dict[str, list[Merge]] = defaultdict(list)

    def merge(self, alias: str, name: str, merge: Merge, *, forced: bool = False) -> None:
        """Join two groups unless something speaks against it."""
        if alias not in self._group or name not in self._group:
            return
        first, second = self._group[name], self._group[alias]
        if first == second or (not forced and self._contradict(first, second)):
            return
        self._merges[first] += [merge, *self._merges.pop(second, [])]
        for member in self._members.pop(second):
            self._group[member] = first
            self._members[first].append(member)

    def as_named(self) -> dict[str, Named]:
        """Return every name with the places and chapters of all names of its group."""
        genders = {
            key: next((gender for one in members if (gender := _gender(one)) != "unknown"), "unknown")
            for key, members in self._members.items()
        }
        whole = {
            key: Named(
                sum(self._names[one].times for one in members),
                self._names[key].kind,
                max(self._names[one].chapters for one in members),
                genders[key],
            )
            for key, members in self._members.items()
        }
        return {name: whole[key]._replace(kind=self._names[name].kind) for name, key in self._group.items()}

    def people(self) -> list[MergedName]:
        """Return the groups, each under its most telling name."""
        return [self._person(key, members) for key, members in self._members.items()]

    def _person(self, key: str, members: list[str]) -> MergedName:
        name = max(members, key=lambda one: (_is_whole(one), self._names[one][0], len(one), one))
        genders = [gender for one in members if (gender := _gender(one)) != "unknown"]
        count = sum(self._names[one][0] for one in members)
        aliases = sorted((one for one in members if one != name), key=lambda one: (-self._names[one][0], one))
        kinds = [self._names[one][1] for one in members]
        kind = "person" if "person" in kinds else kinds[0]
        return MergedName(name, count, kind, genders[0] if genders else "unknown", aliases, self._merges[key])

    def _contradict(self, first: str, second: str) -> bool:
        mine, others = self._members[first], self._members[second]
        genders = {_gender(one) for one in (*mine, *others)} - {"unknown"}
        digits = {_digits(one) for one in (*mine, *others)} - {""}
        if len(genders) > 1 or len(digits) > 1:
            return True
        pairs = [(one, other) for one in mine for other in others]
        if any(pair in self._split or pair[::-1] in self._split for pair in pairs):
            return True
        if any(self._apart.get((min(pair), max(pair)), 0) >= _TOGETHER for pair in pairs):
            return True
        surnames = {names_zh.surname_of(one) for one in (*mine, *others) if names_zh.is_full_name(one)}
        return (
            has_han(first)
            and len({one for one in (*mine, *others) if names_zh.is_full_name(one)}) > 1
            and (len(surnames) > 1 or _different_given(mine, others))
        )


def _different_given(mine: Sequence[str], others: Sequence[str]) -> bool:
    """Say whether two groups have other given names, none of them known to be the other's (刘备, 字玄德)."""
    first, second = (
        {
            one[len(names_zh.surname_of(one)) :].removesuffix("儿")
            for one in members
            if names_zh.is_full_name(one)
        }
        for members in (mine, others)
    )
    return bool(first and second) and not (first | set(mine)) & (second | set(others))


def _full_name(alias: str, names: Mapping[str, Named]) -> tuple[str, str] | None:
    return _full_chinese(alias, names) if has_han(alias) else _full_english(alias, names)


def _full_chinese(alias: str, names: Mapping[str, Named]) -> tuple[str, str] | None:
    """Return the one name that an alias is the given name, a short form or a title of."""
    if alias.endswith("儿") and len(alias) > 2 and alias[:-1] in names:
        return alias[:-1], "diminutive"
    if f"{alias}儿" in names and len(alias) >= 2 and names[f"{alias}儿"][0] > names[alias][0]:
        return f"{alias}儿", "diminutive"
    if len(alias) >= 2 and not names_zh.is_full_name(alias):
        owners = [one for one in names if one.endswith(alias) and names_zh.is_full_name(one) and one != alias
                  and one[len(names_zh.surname_of(one)) :] == alias]  # fmt: skip
        best = _clear(owners, names)
        if best:
            return best, "full_name"
    if len(alias) == 2 and names_zh.is_full_name(alias):
        owners = [one for one in names if one != alias and one[len(names_zh.surname_of(one)):] == alias
                  and names_zh.is_full_name(one) and len(one) == 3]  # fmt: skip
        best = _clear(owners, names)
        if best:
            return best, "full_name"
    if len(alias) == 2 and alias.endswith("氏") and f"{alias[0]}夫人" in names:
        return f"{alias[0]}夫人", "title"
    for title in names_zh.TITLES:
        stem = alias.removesuffix(title)
        if stem == alias or not stem:
            continue
        if len(stem) >= 2 and stem in names:
            return stem, "title"
        if title not in _OWN_SURNAME and (stem in names_zh.SURNAMES or title not in _AFTER_GIVEN):
            return None
        gender = _gender(alias)
        surname = names_zh.surname_of(stem)
        if surname and len(stem) == len(surname) + 1:
            # 王凤姐 is 王熙凤: the surname and one character of the given name.
            owners = [
                one
                for one in names
                if one != alias and len(one) == 3
                and one.startswith(surname) and stem[-1] in one[len(surname) :]
                and names[one].gender in (gender, "unknown")
            ]  # fmt: skip
            best = _clear(owners, names)
            return (best, "title") if best else None
        owners = [
            one for one in names
            if names_zh.is_full_name(one)
            and (one.startswith(stem) or one[1:].startswith(stem) or one.endswith(stem))
            and (gender == "unknown" or names[one].gender in (gender, "unknown"))
        ]  # fmt: skip
        best = _clear(owners, names)
        return (best, "title") if best else None
    return None


def _full_english(alias: str, names: Mapping[str, Named]) -> tuple[str, str] | None:
    """Return the one longer name that an alias is part of, or the formal name of a nickname."""
    title, rest = names_en.split_title(alias)
    words = rest.split()
    owners = []
    for one in names:
        other_title, other = names_en.split_title(one)
        parts = other.split()
        if one == alias or len(parts) < len(words) or names[one][1] != names[alias][1]:
            continue
        if len(parts) == len(words) and bool(title) >= bool(other_title):
            continue
        if _agree(title, one) and (words == parts[: len(words)] or words == parts[-len(words) :]):
            owners.append(one)
    if title and not owners:
        owners = [rest] if rest in names and len(words) > 0 and _agree(title, rest) else []
    # Of Robert Grey and Captain Robert Grey only the longer counts: they are one person.
    whole = [one for one in owners if not any(one != other and other.endswith(one) for other in owners)]
    best = _clear(whole, names)
    if best:
        return best, "title" if title else "full_name"
    nick = [
        one for one in names
        if one != alias and words and names_en.nickname_of(words[0], names_en.split_title(one)[1].split()[0])
        and (len(words) == 1 or words[1:] == names_en.split_title(one)[1].split()[1:])
        and names[one][0] >= names[alias][0]
    ]  # fmt: skip
    best = _clear(nick, names)
    return (best, "nickname") if best else None


def _agree(title: str, other: str) -> bool:
    mine, his = names_en.gender_of(f"{title} X") if title else "unknown", names_en.gender_of(other)
    return "unknown" in (mine, his) or mine == his


def _clear(owners: Sequence[str], names: Mapping[str, Named]) -> str | None:
    """Return the only owner, or the one that stands far more often than the next."""
    # A namesake is told apart by his full name wherever he appears, but appears in few chapters.
    ranked = sorted(owners, key=lambda one: (-names[one].chapters, -names[one].times, one))
    if not ranked:
        return None
    if len(ranked) == 1 or names[ranked[0]].chapters >= _CLEAR * names[ranked[1]].chapters:
        return ranked[0]
    return None


def _gender(name: str) -> str:
    return names_zh.gender_of(name) if has_han(name) else names_en.gender_of(name)


def _digits(name: str) -> str:
    return "".join(char for char in name if char.isdigit())


def _is_whole(name: str) -> bool:
    if has_han(name):
        return names_zh.is_full_name(name)
    return len(names_en.split_title(name)[1].split()) > 1
