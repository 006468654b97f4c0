"""Relations that Chinese sentences state: patterns over a sentence whose names are single marks.

Each name of a sentence becomes one character (`N` in the patterns), so that "贾赦之妻邢夫人" reads "N之妻N".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vidence.knowledge.mentions import Mention
from vidence.language.identify import HAN, has_han
from vidence.language.tables import read_table

__all__ = ["Stated", "read_sentence"]

_FIRST = 0xE000
_MOST = 1000
_N = "[\ue000-\uf8ff]"
_MARKS = re.compile(_N)
_LIST = rf"{_N}(?:(?:[，、和与同并及]|以及)?{_N})*"
_AGE = (
    "(?:嫡|亲|胞|大|小|长|次|幼|元|原|正|继|前|先|亲生|贴身|那个|这个|一个|第[一二三四五]个?"
    "|族中|远房|结发|旧日的?|房里的?|屋里的?)?"
)
_CALLED = "(?:名字叫做?|名唤|名叫|名为|叫做|叫作|唤作|唤做|取名|学名|小名|乳名|长名|名|叫|唤)"
_GAP = "[^。！？；“”\ue000-\uf8ff]"
_NAMED = f"(?:[，：]?(?:[即乃]{_GAP}{{0,16}}?，{_GAP}{{0,6}}?)?(?:{_CALLED}|便是|乃是|就是|是|乃|即)“?)?"
_BE = "(?:，)?(?:原来|原|本|又|也|却|便|正|就)?(?:是|乃|系|即|便是|就是|乃是)(?:那|这)?"
_NEAR = "[^。！？；，“”\ue000-\uf8ff]"


@dataclass(frozen=True)
class Stated:
    """`source` is the `word` of `target`: numbers of mentions; None is whom the text was about before."""

    source: int
    target: int | None
    word: str
    is_loose: bool = False
    is_his: bool = False
    """Whether a pronoun stands for the owner: the subject of the sentence before, not its last name."""


def read_sentence(text: str, start: int, end: int, mentions: Sequence[Mention]) -> Iterator[Stated]:
    """Yield what a sentence states, the mentions given by their numbers."""
    marked = _marked(text, start, end, mentions[:_MOST])
    if not _ANY.search(marked):
        return
    for pattern, read in _readers():
        at = 0
        # Statements overlap: N之妻N之侄N.
        while found := pattern.search(marked, at):
            yield from read(found, marked)
            at = max(found.start("who") if "who" in pattern.groupindex else 0, found.start() + 1)


def _marked(text: str, start: int, end: int, mentions: Sequence[Mention]) -> str:
    """Return a sentence with its names as marks; characters that look like marks become blanks."""
    parts, at = [], start
    for number, one in enumerate(mentions):
        parts += [_MARKS.sub(" ", text[at : one.start]), chr(_FIRST + number)]
        at = one.end
    return "".join([*parts, _MARKS.sub(" ", text[at:end])])


def _number(mark: str) -> int:
    return ord(mark) - _FIRST


def _numbers(marks: str) -> list[int]:
    return [_number(one) for one in marks if ord(one) >= _FIRST and ord(one) <= 0xF8FF]


@lru_cache(maxsize=1)
def _words() -> str:
    words = [
        word for row in read_table("relations.tsv", "knowledge") for word in row[-1].split() if has_han(word)
    ]
    # One character is a word of its own only after 之 or 胞: 凤姐 and 小姐 hold 姐.
    short = [
        f"{word}(?![妹弟兄姐亲])" if word in "妻妾父母" else f"(?<=[之胞嫡亲]){word}"
        for word in words
        if len(word) == 1
    ]
    return "|".join(
        [*sorted((word for word in words if len(word) > 1), key=lambda word: (-len(word), word)), *short]
    )


_K = f"(?P<word>{_words()})"
_PAIRS = {row[0]: row[1] for row in read_table("pairs.tsv", "knowledge")}
"""What the first of two is to the second: 贾珍贾蓉父子."""
_BORN = "(?:生了?|幸?存了?|养了?|有了?|得了?|留下|遗下|膝下)"
_SON = "(?:儿子|女儿|公子|小姐|千金|[一二两三]子|[一二两三]女)"
_ANY = re.compile(f"{_words()}|{'|'.join(_PAIRS)}|生|养|所出|嫁|娶|许配|认|拜|[指赏拨派][与给]")
Reader = Callable[[re.Match[str], str], Iterator[Stated]]


def _owned(found: re.Match[str], marked: str) -> Iterator[Stated]:
    """N之妻N; N的丫头N、N."""
    who = found["who"] or found["direct"] if "direct" in found.re.groupindex else found["who"]
    for one in _numbers(who):
        yield Stated(one, _number(found["of"]), found["word"])


def _is(found: re.Match[str], marked: str) -> Iterator[Stated]:
    """N是N的妹妹; N，N之妻，."""
    owner = found["of"] or found["by"] if "by" in found.re.groupindex else found["of"]
    yield Stated(_number(found["who"]), _number(owner), found["word"])


def _his(found: re.Match[str], marked: str) -> Iterator[Stated]:
    """N…他母亲N: the subject of the sentence, or whom the text was about before."""
    before = _numbers(marked[: found.start()])
    if before and "“" in marked[marked.rindex(chr(_FIRST + before[-1])) : found.start()]:
        return  # Whom a speaker means by "his" is not the speaker.
    for one in _numbers(found["who"][:1]):
        owner = before[-1] if before else None
        if owner != one:
            yield Stated(one, owner, found["word"], is_loose=True, is_his=True)


def _of_subject(found: re.Match[str], marked: str) -> Iterator[Stated]:
    """嫡妻N; 只有N一子; 父，进士N: of whom the text was about before."""
    word = {"祖": "祖父", "娶妻": "妻", "结发妻": "妻", "其妻": "妻"}.get(found["word"], found["word"])
    yield Stated(_number(found["who"]), None, word, is_loose=True)


def _born(found: re.Match[str], marked: str) -> Iterator[Stated]:
    """N…生了两个儿子：长子N，次子N."""
    parent = _number(found["of"]) if found["of"] else None
    word = "女儿" if re.search("女|小姐|千金", found["child"]) else "儿子"
    # 又生 goes on about whom the sentence before was about.
    loose = parent is None and not re.search("又$", marked[: found.start("child")].rstrip("一位个了生养得"))
    yield Stated(_number(found["who"]), parent, word, is_loose=loose)
    if (
        parent is None
        and found["who"]
        and _numbers(marked[: found.start()])[-1:] not in ([], [_number(found["who"])])
    ):
        return
    tail = re.compile(
        rf"{_GAP}{{0,16}}[，。；]?(?:次|三|四|幼|小的?)(?:子|女|名|的)?(?:名唤|名|叫|唤)?({_N})"
    )
    at, more = found.end(), None
    while more := tail.match(marked, at):
        yield Stated(_number(more[1]), parent, word, is_loose=parent is None)
        at = more.end()


def _born_of(found: re.Match[str], marked: str) -> Iterator[Stated]:
    """N所生之女名N; N…乃N之妾所出，名N."""
    yield Stated(_number(found["who"]), _number(found["of"]), "孩子")


def _both(found: re.Match[str], marked: str) -> Iterator[Stated]:
    """N和N夫妻."""
    one, other = _number(found["one"]), _number(found["other"])
    yield Stated(one, other, _PAIRS[found["pair"] or found["plain"]])


def _wed(found: re.Match[str], marked: str) -> Iterator[Stated]:
    """N娶了N; 将N许给N为妻."""
    word = "妾" if found["as"] and found["as"][-1] in "妾房" else "妻"
    husband, wife = ("of", "who") if found.re is _TAKES else ("who", "of")
    yield Stated(_number(found[wife]), _number(found[husband]), word)


def _given(found: re.Match[str], marked: str) -> Iterator[Stated]:
    """将N指与N: to serve."""
    yield Stated(_number(found["who"]), _number(found["of"]), "下人", is_loose=True)


def _takes_kin(found: re.Match[str], marked: str) -> Iterator[Stated]:
    """N娶的是N之侄女，名唤N: whose wife and whose niece she is."""
    yield Stated(_number(found["who"]), _number(found["of"]), "妻")
    yield Stated(_number(found["who"]), _number(found["kin"]), found["word"])


def _own(found: re.Match[str], marked: str) -> Iterator[Stated]:
    """N…将胞妹N: of the last named before."""
    if found["word"] in _words() and "“" not in found[0]:
        yield Stated(_number(found["who"]), _number(found["of"]), found["word"], is_loose=True)


def _adopted(found: re.Match[str], marked: str) -> Iterator[Stated]:
    """N认N为干娘; N拜N为师."""
    yield Stated(
        _number(found["who"]), _number(found["of"]), "老师" if found["as"] == "师" else f"{found['as']}"
    )


_AFTER_OWNER = rf"(?:家|府)?(?:中|里)?(?:之|的)?{_AGE}"
_GIVE = "嫁给|嫁与|嫁|许给|许与|许配给|许配与|许配|配给|配与|赏给|赏"
_AS_WIFE = "为妻|作妻|做妻|做媳妇|作媳妇|为妾|作妾|做妾|为二房|作二房|做二房"
_TAKES = re.compile(
    rf"(?P<of>{_N}){_NEAR}{{0,6}}(?:要|偷|又|便)?(?:娶了?|续娶了?|纳了)(?:的就?是|的也是)?{_NEAR}{{0,8}}"
    rf"(?P<who>{_N})(?P<as>{_AS_WIFE})?(?!(?:之|的)?(?:{_words()})|这|那)"
)


@lru_cache(maxsize=1)
def _readers() -> tuple[tuple[re.Pattern[str], Reader], ...]:
    """Return the patterns with what reads each, the surest first."""
    # After "N的女婿，便是" another "N的…" may follow; right after the word a name is the relative's.
    relative = (
        rf"(?:(?P<direct>{_N})(?!家的|媳妇|[，、和与同并及]?{_N})"
        rf"|{_NAMED}(?P<who>{_N}(?![之的]|媳妇|家的|[，、和与同并及]?{_N})|{_LIST}(?!之|的|媳妇|家的)))"
    )
    plain = "夫妻|夫妇|父子|母子|母女|父女|婆媳|祖孙|主仆|叔侄"
    named = "长子|长女|长名|名唤|名叫|唤作|取名|乳名|小名|学名|叫作|叫做|名"
    patterns: tuple[tuple[str, Reader], ...] = (
        (rf"(?P<of>{_N})(?!二夫人){_AFTER_OWNER}{_K}(?:们|辈)?{relative}", _owned),
        (
            rf"(?<![，、\ue000-\uf8ff])(?P<who>{_N})"
            rf"(?:{_BE}(?P<of>{_N}){_AFTER_OWNER}|(?<=^.)，(?P<by>{_N})(?:之|的){_AGE}){_K}(?!们|辈|{_NAMED}{_N})",
            _is,
        ),
        (rf"(?:其|他|她|自己)的?{_AGE}{_K}{_NAMED}(?P<who>{_LIST})(?!之|的|媳妇|家的)", _his),
        (
            rf"(?P<one>{_N})(?:[和与同、并]|带着|带了)?(?P<other>{_N})(?:他们?)?(?:二人|两个|两人|俩)?"
            rf"(?:(?:乃|原|也)?[是系](?:一对|亲)?(?P<pair>{'|'.join(_PAIRS)})|(?P<plain>{plain})(?=[^{HAN}]|[等两二俩们都也便就之的]))",
            _both,
        ),
        (
            rf"(?P<of>{_N}){_NEAR}{{0,6}}有(?:一|两|三)?(?:个|位)?{_AGE}{_K}{_NEAR}{{0,6}}，?{_CALLED}“?(?P<who>{_N})",
            _is,
        ),
        (
            rf"(?:(?P<of>{_N}){_GAP}{{0,30}}?)?{_BORN}{_GAP}{{0,6}}?(?P<child>{_SON}){_GAP}{{0,18}}?"
            rf"(?:{_GAP}{{0,80}}取名|{named})(?:叫作|叫做|唤作|唤|叫|做)?“?(?P<who>{_N})",
            _born,
        ),
        (
            rf"(?P<of>{_N})(?:之|的)?(?:妾|前妻|妻)?(?:所|亲)(?:生|出|养)(?:的|之)?(?:子|女|儿子|女儿)?"
            rf"，?(?:名唤|名叫|名|唤|叫|乃|是)?(?P<who>{_N})",
            _born_of,
        ),
        (
            rf"(?P<of>{_N})(?:(?![妹女姐姑婢]){_GAP}){{0,6}}(?:{_GIVE})了?(?P<who>{_N})(?P<as>{_AS_WIFE})",
            _wed,
        ),
        (
            rf"(?P<of>{_N})(?:(?![妹女姐姑婢]){_NEAR}){{0,6}}(?:嫁|许配)(?:给|与)了?(?P<who>{_N})(?P<as>)",
            _wed,
        ),
        (rf"(?P<of>{_N})(?:认|拜)了?(?P<who>{_N})(?:为|作|做)(?P<as>师|干娘|干妈|干爹|义父|义母)", _adopted),
        (rf"(?<![之的\ue000-\uf8ff])(?P<word>嫡妻|结发妻|娶妻|其妻)(?P<who>{_N})", _of_subject),
        (
            rf"(?P<of>{_N})(?:房中|房里|屋里|房内|处的?){_GAP}{{0,16}}?(?P<who>{_LIST}(?:[，、][{HAN}]{{2,3}})*)等?"
            rf"(?:众|几个|一干|大小)*(?P<word>丫鬟|丫头|小厮)",
            _owned,
        ),
        (
            rf"(?P<of>{_N})(?:之|的){_K}，?(?:便|就|乃|正)?(?:是|系|即){_N}(?:之|的){_AGE}(?:{_words()})(?P<who>{_N})",
            _is,
        ),
        (rf"(?:将|把){_NEAR}{{0,4}}(?P<who>{_N})(?:指|赏|拨|派)(?:与|给)了?(?P<of>{_N})(?!为|作|做)", _given),
        (
            rf"(?P<of>{_N})，?{_NEAR}{{0,4}}娶{_GAP}{{0,8}}(?P<kin>{_N})之{_K}，{_GAP}{{0,16}}{_CALLED}“?(?P<who>{_N})",
            _takes_kin,
        ),
        (rf"(?P<of>{_N}){_GAP}{{0,14}}?(?<![之的其他她])(?P<word>胞[妹弟兄姐])(?P<who>{_N})", _own),
        (rf"(?:只有|单有|惟有)(?P<who>{_N})(?:这|一个)*(?P<word>一子|一女)", _of_subject),
        (rf"(?:^|[，。])(?P<word>父|祖|母)亲?，{_GAP}{{0,16}}?(?P<who>{_N})", _of_subject),
    )
    return ((_TAKES, _wed), *((re.compile(pattern), read) for pattern, read in patterns))
