"""Clauses of a Chinese story."""

from __future__ import annotations

import re

from vidence.embedded.planning.story_parts import Part
from vidence.language.identify import HAN

__all__ = ["chinese_clauses", "plain_chinese", "read_chinese"]

_HAN = rf"[{HAN}A-Za-z]"
_WHO = rf"(?P<who>(?:{_HAN}{{1,6}}?)(?:[和与跟、]{_HAN}{{1,6}}?)*)"
_HEARER = (
    r"(?P<hearer>[他她]|妈妈|爸爸|奶奶|爷爷|姐姐|哥哥|弟弟|妹妹|老师|同学|[小老阿][\u3400-\u9fff]"
    rf"|{_HAN}{{2,3}}?)"
)
_THING = rf"(?P<thing>{_HAN}{{1,12}}?)"
_PLACE = rf"(?P<place>{_HAN}{{1,12}}?)"
_WHERE = r"(?:里面|里边|里头|下面|上面|后面|旁边|里|中|上|下)?"
_OUT = rf"(?:从{_HAN}{{1,10}}?(?:里面|里|中|上|下)?)"
_SECRET = re.compile(
    rf"偷偷地?|悄悄地?|暗中|趁(?P<one>{_HAN}{{1,4}}?)(?:不注意|没看见|没看到|不在(?:的时候|时)?)[，,]?"
    rf"|在(?P<two>{_HAN}{{1,4}}?)不知道的情况下[，,]?"
)
_LEAD = re.compile(
    r"^(?:然后|接着|随后|之后|后来|于是|这时候?|此时|但是|但|不久|过了一会儿?|一会儿后?|最后|有一天|一天"
    r"|首先|同时|就|便|又|再|并且?)[，,]?"
)
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("say", rf"^{_WHO}(?:告诉|通知)(?:了)?{_HEARER}[：:，,]?[“\"]?{_THING}(?:现在)?(?:是)?"
                rf"(?:在|放在|藏在){_PLACE}{_WHERE}(?:了)?[”\"]?$"),
        ("say", rf"^{_WHO}(?:对|跟|和|向){_HEARER}说(?:了)?[：:，,]?[“\"]?{_THING}(?:现在)?"
                rf"(?:在|放在|藏在){_PLACE}{_WHERE}(?:了)?[”\"]?$"),
        ("say", rf"^{_WHO}(?:告诉|问)(?:了)?{_HEARER}[：:，,“\"](?P<words>.+)$"),
        ("say", rf"^{_WHO}(?:对|跟|和|向){_HEARER}说(?:了)?[：:，,]?(?P<words>.+)$"),
        ("see", rf"^{_WHO}(?:看到|看见|发现|注意到)(?:了)?{_THING}(?:在|放在|藏在){_PLACE}{_WHERE}$"),
        ("place", rf"^(?:{_WHO})?(?:把|将){_THING}{_OUT}?(?:拿出来?|取出来?)?[，,]?"
                  rf"(?:放|移|搬|藏|装|拿|挪|转移|移动|塞|收)(?:到|进|在|入|回)(?:了)?{_PLACE}{_WHERE}(?:去"
                  rf"|来)?(?:了)?$"),
        ("place", rf"^(?:又|再|并)?(?:放|移|搬|藏|装|拿|挪|塞)(?:到|进|在|入|回)(?:了)?{_PLACE}{_WHERE}"
                  rf"(?:去|来)?(?:了)?$"),
        ("hold", rf"^(?:{_WHO})?(?:把|将){_THING}{_OUT}?(?:拿了?出来?|取了?出来?|拿走|拿起来?)(?:了)?$"),
        ("leave", rf"^(?:{_WHO})?(?:离开|走出|走开|出去|出门|走|睡着|睡觉)(?:了)?"
                  rf"(?P<place>{_HAN}{{1,8}}?)?(?:去(?:散步|玩|上学|买东西)?)?(?:了)?$"),
        ("leave", rf"^(?:{_WHO})?(?:去|到)(?:了)?(?:外面|散步|上学|学校|商店|超市|公园|厕所|洗手间|花园)"
                  rf"(?:玩|买东西)?(?:去)?(?:了)?$"),
        ("enter", rf"^(?:{_WHO})?(?:回到|回来|走进|进入|进来|进到|来到|走回|醒来|醒|返回)(?:了)?"
                  rf"(?P<place>{_HAN}{{1,8}}?)?(?:里)?(?:了)?$"),
        ("enter", rf"^{_WHO}(?:都|一起)?在(?P<place>(?:客厅|厨房|房间|教室|卧室|花园|办公室|屋子|书房|院子"
                  rf"|家)){_WHERE}"
                  rf"(?:玩|一起玩|聊天)?$"),
        ("state", rf"^{_THING}(?:现在|原来|本来)?(?:放)?在{_PLACE}{_WHERE}$"),
        ("state", rf"^{_PLACE}(?:里面|里|上|中)有(?:一[个只颗张本块支把件])?{_THING}$"),
    )
)  # fmt: skip
_SPLIT = re.compile(r"[，,；;](?!“)")
_ARTICLE = re.compile(r"^(?:那|这|一)[个只颗张本块支把件]|^(?:他|她|自己|它)的|^的")


def chinese_clauses(sentence: str) -> list[str]:
    """Return the clauses of a sentence; what is quoted or told stays whole."""
    text = sentence.strip("。！？!? 　")
    if re.search(r"[“\"：:]|告诉|[对跟向].{1,4}说|趁|不知道的情况下", text):
        return [text]
    return [part.strip() for part in _SPLIT.split(text) if part.strip()]


def read_chinese(clause: str) -> Part | None:
    """Return what a clause tells; None when it tells nothing of people and places."""
    secret = _SECRET.search(clause)
    hidden = tuple(name for name in (secret.groups() if secret else ()) if name)
    text = _LEAD.sub("", _SECRET.sub("", clause).strip(" ，,。！”"))
    for kind, pattern in _PATTERNS:
        match = pattern.match(text)
        if match is None:
            continue
        groups = match.groupdict()
        return Part(
            kind="other" if kind == "hold" else kind,  # type: ignore[arg-type]
            actors=tuple(re.split("[和与跟、]", groups["who"])) if groups.get("who") else (),
            thing=plain_chinese(groups.get("thing")) or groups.get("words"),
            place=None if kind == "hold" else plain_chinese(groups.get("place")),
            hearers=(groups["hearer"],) if groups.get("hearer") else (),
            is_secret=secret is not None,
            hidden_from=hidden,
        )
    return None


def plain_chinese(text: str | None) -> str | None:
    """Return a noun without its measure word."""
    return _ARTICLE.sub("", text.strip()) if text and text.strip() else None
