"""Names in Chinese stories: found by how people speak, are titled and are introduced.

Nothing is known in advance but surnames, titles and verbs. Chapters are counted one by one and the counts are
added up, so that a new chapter costs only itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from vidence.knowledge.relations import relation_words
from vidence.language.identify import HAN
from vidence.language.tables import words_of

__all__ = ["SURNAMES", "TITLES", "count_names", "gender_of", "is_full_name", "select_names"]

_TABLE = "names.tsv"


def _words(*kinds: str) -> list[str]:
    return sorted(words_of(_TABLE, *kinds, room="knowledge"), key=lambda word: (-len(word), word))


SURNAMES = words_of("chinese_names.tsv", "surname") | frozenset(
    [
        "甄",
        "尤",
        "邢",
        "柳",
        "甘",
        "封",
        "娄",
        "詹",
        "卜",
        "来",
        "倪",
        "鲍",
        "乐",
        "单",
        "包",
        "穆",
        "费",
        "施",
        "祝",
        "焦",
        "傅",
        "霍",
        "邬",
        "鞠",
        "惠",
        "栗",
        "苗",
        "乔",
        "安",
        "胡",
        "米",
        "古",
        "薄",
        "裘",
        "赖",
        "茗",
        "张",
        "葛",
        "柴",
        "关",
        "诸",
        "荀",
        "曹",
        "鲁",
        "阮",
        "燕",
        "花",
        "卢",
        "扈",
        "晁",
        "吕",
        "洪",
        "项",
        "欧",
        "阎",
        "温",
        "庞",
        "龚",
        "嵇",
        "阳",
        "裴",
        "司马",
        "诸葛",
        "欧阳",
        "上官",
        "慕容",
        "夏侯",
        "公孙",
        "令狐",
        "东方",
        "皇甫",
        "尉迟",
        "长孙",
        "西门",
        "司徒",
        "独孤",
    ]
)
_FEMALE, _MALE = _words("title_zh_female"), _words("title_zh_male")
TITLES = (*_FEMALE, *_MALE, *_words("title_zh_any"))
_NOT_NAMES = words_of(_TABLE, "not_name_zh", room="knowledge")
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
)
_SURNAMED = re.compile(
    rf"(?=(?P<name>(?:{'|'.join(sorted(SURNAMES, key=lambda one: (-len(one), one)))})[{HAN}]{{1,2}}))"
)
_FUNCTION = frozenset(
    "的了是在和与及或被把对于从向到为以之其而且但也就都又还很最个们吗呢吧啊哪谁什么怎样几多少何不有这那来去说道看见听想要会能可着过得地便上下里外中前后一二三四五六七八九十两几只才却方再此时日年月没家"
)
_END_FUNCTION = frozenset(
    "的了是在和与及或被把对于从向到为以之其而且但也就都又还很个们吗呢吧啊哪谁什么不有这那来去说道看见听想要会能可着过得地便上里外中只才却方再此时日没笑忙问答叫等处因命进出回起"
)
_OBJECT = re.compile(r"[和与同向对见给被跟替、问叫命找拉陪]$")
_LEAST_OBJECT = 0.02
"""The share of its places at which a name is an object: 向宝玉, 和黛玉; adverbs and verbs are none."""
_FEW = 25
"""Below this many places the share says nothing."""
_LEAST_SAID, _LEAST_SURNAMED = 2, 3
_LEAST_FREEDOM = 0.35
"""How varied the characters after a name must be: after a name stands anything, after half a word not."""
_SHORTER = 4
"""A name whose first two characters stand this many times as often alone is those two and a verb."""


def count_names(text: str) -> dict[str, dict[str, int]]:
    """Return for each candidate of a chapter how often it speaks, is titled, introduced, surnamed."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in ("said", "titled", "called", "surnamed")}
    for kind, pattern in (("said", _SAID), ("titled", _TITLED), ("called", _CALLED), ("surnamed", _SURNAMED)):
        counts[kind].update(
            found["name"] for found in pattern.finditer(text) if _may_be_name(found["name"], kind)
        )
    after: Counter[str] = Counter()
    for found in _SURNAMED.finditer(text):
        name = found["name"]
        if name in counts["surnamed"]:
            after[f"{name}\t{text[found.start() + len(name) : found.start() + len(name) + 1]}"] += 1
    for name in counts["said"]:
        places = [found.start() for found in re.finditer(name, text)]
        counts.setdefault("total", Counter())[name] = len(places)
        counts.setdefault("object", Counter())[name] = sum(
            bool(_OBJECT.search(text[max(0, at - 1) : at])) for at in places
        )
    return {**{kind: dict(rows) for kind, rows in counts.items()}, "after": dict(after)}


def select_names(chapters: Iterable[dict[str, dict[str, int]]]) -> dict[str, int]:
    """Return the names of a story, by the counts of its chapters, with how much speaks for each."""
    total: dict[str, Counter[str]] = {}
    for counts in chapters:
        for kind, rows in counts.items():
            total.setdefault(kind, Counter()).update(rows)
    said, surnamed = total.get("said", Counter()), total.get("surnamed", Counter())
    strength: Counter[str] = Counter()
    for name, number in said.items():
        if number < _LEAST_SAID or _extends(name, said):
            continue
        if total["total"][name] < _FEW or total["object"][name] >= _LEAST_OBJECT * total["total"][name]:
            strength[name] += 2 * number
    for name, number in total.get("titled", Counter()).items():
        strength[name] += number
    for name, number in total.get("called", Counter()).items():
        strength[name] += 2 * number
    followers: dict[str, set[str]] = {}
    for pair in total.get("after", Counter()):
        name, follower = pair.split("\t")
        followers.setdefault(name, set()).add(follower)
    for name, number in surnamed.items():
        if number >= _LEAST_SURNAMED and _is_free(name, number, followers, surnamed):
            strength[name] += number
    return {name: number for name, number in strength.items() if number >= _LEAST_SAID}


def is_full_name(name: str) -> bool:
    """Say whether a name begins with a surname and goes on with one or two characters that are no title."""
    return surname_of(name) != "" and name[len(surname_of(name)) :] not in TITLES and len(name) <= 4


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
    if name in _NOT_NAMES or name in relation_words() or name[0] in _FUNCTION or name[-1] in _END_FUNCTION:
        return False
    if kind == "surnamed":
        return name not in TITLES and not any(char in _FUNCTION for char in name)
    return not name.endswith(("们", "等")) and name not in TITLES


def _extends(name: str, said: Counter[str]) -> bool:
    """Say whether a candidate is a more frequent name with a word before or after it: 那宝玉, 宝玉笑."""
    parts = (name[1:], name[:-1])
    return any(len(part) >= 2 and said[part] > 3 * said[name] for part in parts) and not is_full_name(name)


def _is_free(name: str, number: int, followers: dict[str, set[str]], surnamed: Counter[str]) -> bool:
    """Say whether what follows a surnamed string varies, and no longer string explains most of it."""
    varied: float = len(followers.get(name, ())) / number**0.75
    if len(name) == 2:
        return varied >= _LEAST_FREEDOM
    if surnamed[name[:2]] > _SHORTER * number:
        return False
    return varied >= _LEAST_FREEDOM
