"""Names in Chinese stories: found by how people speak, are titled and are introduced.

Nothing is known in advance but surnames, titles and verbs. Chapters are counted one by one and the counts are
added up, so that a new chapter costs only itself.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from vidence.knowledge.relations import relation_words
from vidence.language.identify import HAN, has_han
from vidence.language.tables import words_of

__all__ = ["SURNAMES", "TITLES", "count_names", "gender_of", "is_full_name", "select_names", "surname_of"]

_TABLE = "names.tsv"


def _words(*kinds: str) -> list[str]:
    return sorted(words_of(_TABLE, *kinds, room="knowledge"), key=lambda word: (-len(word), word))


SURNAMES = words_of("chinese_names.tsv", "surname") | words_of(_TABLE, "surname_zh", room="knowledge")
_FEMALE, _MALE = _words("title_zh_female"), _words("title_zh_male")
TITLES = (*_FEMALE, *_MALE, *_words("title_zh_any"))
_SHORT_TITLES = frozenset("姐哥妹爷氏公") | {"姐儿", "哥儿"}
_NOT_NAMES = words_of(_TABLE, "not_name_zh", "called_zh", room="knowledge")
_NOT_ENDS = tuple(words_of(_TABLE, "not_end_zh", room="knowledge"))
"""What people do or who they are, and no part of a name: 卓大怒."""
_BEFORE = rf"(?:^|(?<=[^{HAN}])|(?<=[只忽又听那]见)|(?<=[却话且]说))"
_SAID = re.compile(
    rf"{_BEFORE}(?P<name>[{HAN}]{{2,4}}?|[{HAN}]{{2,3}}家的)(?:{'|'.join(_words('adverb_zh'))}){{0,3}}"
    rf"(?:{'|'.join(_words('say_zh'))})(?=[^{HAN}]|[他她了着])",
    re.MULTILINE,
)
_TITLED = re.compile(
    rf"(?P<name>(?:{'|'.join(sorted(SURNAMES, key=lambda one: (-len(one), one)))})(?:{'|'.join(TITLES)}))"
)
_CALLED = re.compile(
    rf"(?:{'|'.join(_words('called_zh'))})[“「《]?(?P<name>[{HAN}]{{2,3}}?)[”」》]?(?=[^{HAN}]|[者的，。是])"
    rf"|(?<=[，名])字(?P<courtesy>[{HAN}]{{2}})(?=[，。；])"
)
"""Words that introduce a name; 字 only where nothing but the name follows: 沈文，字伯远，."""
_SURNAMED = re.compile(
    rf"(?=(?P<name>(?:{'|'.join(sorted(SURNAMES, key=lambda one: (-len(one), one)))})[{HAN}]{{1,2}}))"
)
_ROLES = sorted(words_of(_TABLE, "role_zh", room="knowledge"), key=lambda word: (-len(word), word))
_APPOSED = re.compile(
    rf"(?:{'|'.join(_ROLES)})(?:名唤|名叫|唤作|叫作|名|叫|唤)?[“]?(?=(?P<name>[{HAN}]{{2,3}}))"
)
"""A role and the name that stands after it: 丫鬟入画."""
_LIST = re.compile(
    rf"(?:(?<![{HAN}])|(?<=[并和与是]))(?:[{HAN}]{{2,4}}[、，]){{2,}}[{HAN}]{{2,4}}?(?=等|[和与并、，。]|[一二两三四五六七八九十几]个)"
)
_STYLED = re.compile(rf"(?=(?P<name>[{HAN}](?:[大二三四五六])?(?:{'|'.join(_words('style_zh'))})))")
"""One character of a given name and a title: 珍爷, 宝二爷, 巧姐儿."""
_FUNCTION = frozenset(
    "的了是在和与及或被把对于从向到为以之其而且但也就都又还很最个们吗呢吧啊哪谁什么怎样几多少何不有这那来去说道看见听想要会能可着过得地便上下里外中前后一二三四五六七八九十两几只才却方再此时日年月没家"
)
_END_FUNCTION = frozenset(
    "的了是在和与及或被把对于从向到为以之其而且但也就都又还很个们吗呢吧啊哪谁什么不有这那来去说道看见听想要会能可着过得地便上里外中只才却方再此时日没笑忙问答叫等处因命进出回起曰媳"
)
_NOT_FIRST = frozenset("因忙若乃忽遂即众笑等叫连向据既偏将把当使恐各越故必亦急竟倒")
"""What a name that speaks does not begin with: words before a verb."""
_PRONOUNS = frozenset("我你他她它谁咱")
_SHOWN = {
    "said": _SAID, "titled": _TITLED, "styled": _STYLED, "called": _CALLED, "surnamed": _SURNAMED,
    "apposed": _APPOSED,
}  # fmt: skip
_EVIDENCE = {"said": 2, "titled": 1, "styled": 1, "called": 2, "surnamed": 1, "apposed": 2, "listed": 1}
_USUAL = {
    "left": "^^^^^^^^“见向和与同对给被跟替问叫命找拉陪",
    "right": "^^^^道说笑忙便听见又也只因在来听问的",
}
"""Contexts of names in any story, before those of this one are known."""
_PRIOR = 3
"""For how many names the usual contexts count."""
_SEED = 3
_LEAST, _LEAST_LIST = 2, 3
_FEW = 3
"""Below this many places the contexts say nothing."""
_FLAT = 0.2
_LEAST_RATIO, _LEAST_FULL, _LEAST_SPEAKER, _LEAST_SIDE, _LEAST_SHOWN = 0.35, 0.0, -0.6, -0.5, -1.5
_KNOWN = 6
_MORE = 1.2
_SHORTER = 4
"""A name whose first two characters stand this many times as often alone is those two and a verb."""
_NOT_STYLED = frozenset(
    "我你他她老大二三四五六小姑少太王这那本众各位好亲叔伯舅师的是了说求请回若连儿天今头者圣明安人花云"
)


def count_names(text: str) -> dict[str, dict[str, int]]:
    """Return for each candidate of a chapter what speaks for it, and the characters around its places."""
    counts: dict[str, Counter[str]] = {}
    for kind, pattern in _SHOWN.items():
        forms = (
            name for found in pattern.finditer(text) for name in _forms(found[found.lastgroup or 0], kind)
        )
        counts[kind] = Counter(name for name in forms if _may_be_name(name, kind))
    counts["listed"] = Counter(name for row in _lists(text) for name in row)
    names = {name for rows in counts.values() for name in rows}
    around = _around(text, names | _bare(counts["surnamed"]))
    background = Counter(map(_context, text))
    return {**{kind: dict(rows) for kind, rows in (counts | around).items()}, "text": dict(background)}


def select_names(chapters: Iterable[dict[str, dict[str, int]]]) -> dict[str, int]:
    """Return the names of a story, by the counts of its chapters, with how much speaks for each.

    What stands before and after a name differs from what stands around other words. The names that
    speak most teach these contexts; every other candidate is judged by its own.
    """
    total: dict[str, Counter[str]] = {
        kind: Counter() for kind in (*_SHOWN, "listed", "left", "right", "text")
    }
    for counts in chapters:
        for kind, rows in counts.items():
            total[kind].update(rows)
    strength: Counter[str] = Counter()
    for kind, weight in _EVIDENCE.items():
        for name, number in total[kind].items():
            strength[name] += weight * number
    fit = _Contexts(total)
    kept = {
        name: number
        for name, number in strength.items()
        if number >= _LEAST
        and name not in total["styled"]
        and fit.is_name(name, is_shown=_is_shown(name, total))
    }
    # 贾雨村 stands rarely, but 雨村 is a name.
    kept |= {
        name: number for name, number in strength.items() if number >= _FEW and _has_known_given(name, kept)
    }
    kept = {name: number for name, number in kept.items() if not _extends(name, fit.times, kept)}
    kept |= {
        given: fit.times[given]
        for given in _bare(kept) - kept.keys()
        if fit.times[given] > 1 and fit.is_name(given, is_shown=True) and _may_be_name(given, "surnamed")
    }
    known = [name for name in kept if is_full_name(name) and fit.times[name] >= _KNOWN]
    given = {char for name in known for char in _given(name)} - _NOT_STYLED
    return kept | {name: number for name, number in total["styled"].items() if name[0] in given}


def _has_known_given(name: str, kept: Mapping[str, int]) -> bool:
    given = _given(name)
    return is_full_name(name) and len(given) > 1 and given in kept and not is_full_name(given)


def _given(name: str) -> str:
    return name[len(surname_of(name)) :]


def _is_shown(name: str, total: Mapping[str, Counter[str]]) -> bool:
    """Say whether a title or an introduction says that this is somebody: 王夫人, 名唤英莲, 长子贾代善."""
    introduced = is_full_name(name) and total["apposed"][name] >= 4 - len(name)
    return introduced or bool(total["titled"][name] or total["called"][name])


class _Contexts:
    """How names stand in a story: which characters come before and after them."""

    def __init__(self, total: dict[str, Counter[str]]) -> None:
        self._said, text = total["said"], total["text"]
        size = sum(text.values()) or 1
        self._text = {char: number / size for char, number in text.items()}
        self._sides = {side: _by_name(total[side]) for side in ("left", "right")}
        self.times = Counter({name: sum(rows.values()) for name, rows in self._sides["left"].items()})
        seeds = [name for name, number in self._said.items() if number >= _SEED and not set(name) & _PRONOUNS]
        self._usual = {side: self._mean(side, seeds) for side in self._sides}

    def is_name(self, name: str, *, is_shown: bool) -> bool:
        """Say whether a candidate stands where names stand; one with a title or introduction needs less."""
        left, right = self._ratio(name, "left"), self._ratio(name, "right")
        if is_shown:
            return self.times[name] < _FEW or min(left, right) >= _LEAST_SHOWN
        full = _LEAST_SPEAKER if self._said[name] else _LEAST_FULL
        least = full if is_full_name(name) else _LEAST_RATIO
        return self.times[name] >= _FEW and min(left, right) >= _LEAST_SIDE and left + right >= least

    def _mean(self, side: str, seeds: Sequence[str]) -> dict[str, float]:
        usual: dict[str, float] = defaultdict(float)
        for name in seeds:
            for char, number in self._sides[side][name].items():
                usual[char] += number / self.times[name]
        for char in _USUAL[side]:
            usual[char] += _PRIOR / len(_USUAL[side])
        return {char: share / (len(seeds) + _PRIOR) for char, share in usual.items()}

    def _ratio(self, name: str, side: str) -> float:
        """Return the mean log ratio of a name's context to that of any place of the text."""
        usual, text = self._usual[side], self._text
        ratios = [
            number * math.log((usual.get(char, 0.0) / text[char] + _FLAT) / (1 + _FLAT))
            for char, number in self._sides[side].get(name, {}).items()
        ]
        return sum(ratios) / max(1, self.times[name])


def _by_name(rows: Counter[str]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for key, number in rows.items():
        name, char = key.split("\t")
        found[name][char] = number
    return found


def _around(text: str, names: Collection[str]) -> dict[str, Counter[str]]:
    """Return the characters before and after every place of some strings; places may overlap."""
    left: Counter[str] = Counter()
    right: Counter[str] = Counter()
    sizes = sorted({len(name) for name in names})
    for start in range(len(text)):
        for size in sizes:
            name = text[start : start + size]
            if name in names:
                left[f"{name}\t{_context(text[start - 1 : start])}"] += 1
                right[f"{name}\t{_context(text[start + size : start + size + 1])}"] += 1
    return {"left": left, "right": right}


def _context(char: str) -> str:
    """Return a Chinese character as it is, an opening mark as one, anything else as a break."""
    if char and char in "“「『":
        return "“"
    return char if char and has_han(char) else "^"


def _forms(name: str, kind: str) -> tuple[str, ...]:
    """Return the candidates of a match; where a name ends after a role is not known."""
    open_ended = kind in ("apposed", "surnamed") and len(name) > 2 and name[:2] not in SURNAMES
    return (name, name[:2]) if open_ended else (name,)


def _bare(names: Collection[str]) -> set[str]:
    """Return the given names of three-character names: 元春 of 贾元春."""
    return {_given(name) for name in names if is_full_name(name) and len(_given(name)) > 1}


def _lists(text: str) -> Iterator[list[str]]:
    """Yield enumerations of at least three short items: 晴雯，麝月，入画等."""
    for found in _LIST.finditer(text):
        row = [one for one in re.split("[、，]", found[0]) if _may_be_name(one, "listed")]
        if len(row) >= _LEAST_LIST:
            yield row


def _extends(name: str, times: Counter[str], kept: Mapping[str, int]) -> bool:
    """Say whether a candidate is a more frequent name with a word before or after it: 那宝玉, 宝玉笑."""
    if is_full_name(name) or name.endswith(("家的", "儿")):
        stems = [name[:2]] if len(name) == 3 and times[name[:2]] > _SHORTER * times[name] else []
    else:
        stems = [
            name[cut:end] for cut in range(2) for end in range(2, len(name) + 1) if cut or end < len(name)
        ]
    if any(len(stem) >= 2 and stem in kept and times[stem] > _MORE * times[name] for stem in stems):
        return True
    # 薛姨 is 薛姨妈 cut short.
    longer = [
        one
        for one in kept
        if one != name and one.startswith(name) and one not in (f"{name}儿", f"{name}家的")
    ]
    return any(_MORE * times[one] > times[name] for one in longer)


def is_full_name(name: str) -> bool:
    """Say whether a name begins with a surname and goes on with one or two characters that are no title."""
    rest = name[len(surname_of(name)) :]
    return 0 < len(rest) < len(name) <= 4 and rest not in TITLES and rest[1:] not in _SHORT_TITLES


@lru_cache(maxsize=1 << 14)
def surname_of(name: str) -> str:
    """Return the surname a name begins with; "" when there is none or nothing follows it."""
    for size in (2, 1):
        if name[:size] in SURNAMES and len(name) > size:
            return name[:size]
    return ""


def gender_of(name: str) -> str:
    """Return what the title in a name says; "unknown" when there is none."""
    if name.endswith(tuple(_FEMALE)):
        return "female"
    return "male" if name.endswith(tuple(_MALE)) else "unknown"


def _may_be_name(name: str, kind: str) -> bool:
    if name.endswith("家的"):
        return kind == "said" and name[0] not in _FUNCTION
    if kind == "said" and (name[0] in _NOT_FIRST or (len(name) > 3 and name[:2] not in SURNAMES)):
        return False
    if set(name) & _PRONOUNS or ((name[1:2] == "氏" or name[:2] in ("许配", "许与")) and len(name) > 2):
        return False  # 周氏笑, 许配给: a name or a verb with the next word.
    if (
        name in _NOT_NAMES
        or name.endswith(_NOT_ENDS)
        or name in relation_words()
        or name[0] in _FUNCTION
        or name[-1] in _END_FUNCTION
    ):
        return False
    if kind == "styled":
        return name[0] not in _NOT_STYLED
    if kind == "surnamed":
        return name not in TITLES and not any(char in _FUNCTION for char in name)
    return not name.endswith(("们", "等")) and name not in TITLES
