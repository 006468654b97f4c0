"""What a question compares: choices it offers, events to order, the two sides of a cut."""

from __future__ import annotations

import re

from vidence.language.question.form import Comparison, Kind

__all__ = ["compare", "find_alternatives"]

_UNITS = re.compile(
    r"^(?:in )?(?:seconds?|s|sec|秒|approximately|about|if any|non-speech|to the nearest.*)$", re.IGNORECASE
)
_PLACES = r"(?:left|right|middle|cent(?:er|re)|top|bottom|upper|lower|foreground|background)"
_PARTS = r"(?: side| half| edge| part| one| man| woman)?"
_BEFORE_AFTER = re.compile(
    r"\b(before|after|earlier|later)\b(?: than)? or\b (?:is it |rather )?(before|after|earlier|later)\b",
    re.IGNORECASE,
)
_BEFORE_AFTER_ZH = re.compile(
    r"(?:之前|以前|前)还是(?:在)?(?:之后|以后|后)|(?:之后|以后|后)还是(?:在)?(?:之前|以前|前)|早还是晚"
)
_LEAD = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|has|have|can|will)\b\s*|^\W*(?:please )?", re.IGNORECASE
)  # fmt: skip
_LISTED = re.compile(r"[:：]\s*(.+)$")
_SPLIT = re.compile(
    r"\s*(?:,\s*(?:and|or|then)\s+|,\s*|;\s*|\s+and then\s+|\s+or\s+|、|，|；|还是|或者?|\s+and\s+)\s*",
    re.IGNORECASE,
)
_SPLIT_OR = re.compile(r"\s*(?:,\s*or\s+|\s+or\s+|还是|或者)\s*", re.IGNORECASE)
_TAIL = re.compile(
    r"\s*(?:comes?|happens?|appears?|occurs?|is shown|is seen|shown|seen)?\s*"
    r"(?:first|last|earlier|later)?\s*[?？.。!]*$",
    re.IGNORECASE,
)
_CUT_SIDES = (
    re.compile(r"\bfrom (?:the |a )?(.+?) to (?:the |a )?(.+?)[?.]*$", re.IGNORECASE),
    re.compile(
        r"\b(?:does|do|did|is|are) (?:the |a )?(.+?) (?:hard |suddenly )?"
        r"(?:cut|fade|switch|change|dissolve)s? (?:in)?to (?:the |a )?(.+?)[?.]*$", re.IGNORECASE
    ),
    re.compile(r"\bbetween (?:the |a )?(.+?) and (?:the |a )?(.+?)[?.]*$", re.IGNORECASE),
    re.compile(r"\b(?:cut|switch|change|fade)s? ()(?:in)?to (?:the |a )?(.+?)[?.]*$", re.IGNORECASE),
    re.compile(r"从(.+?)(?:硬?切换?|切|转|淡)?(?:到|至|成)(.+?)(?:的?(?:切换|硬切|转场|镜头|时刻|时间|是|在|发生|？|\?)|$)"),
    re.compile(r"(.+?)(?:切换?|转|变)(?:到|至|成)(.+?)(?:的|是|在|发生|？|\?|$)"),
)  # fmt: skip


def find_alternatives(text: str) -> tuple[str, ...]:
    """Return the choices that the question itself offers."""
    if _BEFORE_AFTER.search(text):
        return ("before", "after")
    if _BEFORE_AFTER_ZH.search(text):
        return ("之前", "之后")
    for inside in re.findall(r"[(（]([^)）]+)[)）]", text):
        parts = [part.strip() for part in _SPLIT.split(inside) if part.strip()]
        if 2 <= len(parts) <= 6 and not any(_UNITS.match(part) for part in parts):
            return tuple(parts)
    return _zh_alternatives(text) if "还是" in text else _or_alternatives(text)


def compare(text: str, kind: Kind) -> tuple[Comparison | None, tuple[str, ...]]:
    """Return how the events are to be ordered, and the events."""
    if kind == "cuts":
        return None, _cut_sides(text)
    if kind != "order":
        return None, ()
    sides = _two_sides(text)
    if sides:
        return sides
    listed = _LISTED.search(text) or re.search(
        r"\b(?:first|last|earlier|later)\b,\s*(.+)$", text, re.IGNORECASE
    )
    body = listed[1] if listed else _unlisted(text)
    if not listed and "哪" in text:
        body = re.sub(r"[和与跟]", "、", body)
    items = tuple(_bare(part) for part in _SPLIT.split(body) if _bare(part))
    if re.search(r"\b(?:first|earlier|earliest|sooner)\b|先|早", text, re.IGNORECASE) and not re.search(
        r"\border\b|顺序|排序|排列|先后", text, re.IGNORECASE
    ):
        return "first", items
    if re.search(r"\b(?:last|later|latest)\b", text, re.IGNORECASE) and not re.search(
        r"\border\b", text, re.IGNORECASE
    ):
        return "last", items
    return "sequence", items


def _two_sides(text: str) -> tuple[Comparison, tuple[str, ...]] | None:
    whole = text.strip(" ?？.。")
    if match := _BEFORE_AFTER.search(whole):
        return "before_after", (_bare(_LEAD.sub("", whole[: match.start()])), _bare(whole[match.end() :]))
    if _BEFORE_AFTER_ZH.search(whole):
        match_zh = re.search(r"^(.+?)(?:是|发生)?在(.+?)(?:之前|以前|之后|以后|前|后)还是", whole)
        if match_zh:
            rest = re.search(r"还是(?:在)?(?:之后|以后|之前|以前|后|前)(.*)$", whole)
            verb = rest[1].rstrip("的呢") if rest else ""
            return "before_after", (_bare(match_zh[1] + verb), _bare(match_zh[2]))
    if re.match(r"\W*(?:is|are|was|were|do|does|did|has|have)\b", whole, re.IGNORECASE):
        match = re.search(r"\b(?:before|after|earlier than|later than)\b", whole, re.IGNORECASE)
        if match:
            return "yes_no", (_bare(_LEAD.sub("", whole[: match.start()])), _bare(whole[match.end() :]))
    match_zh = re.search(r"^(.+?)(?:是|发生)?在(.+?)(?:之前|之后|以前|以后)(.*)(?:吗|$)", whole)
    if match_zh and "吗" in text:
        return "yes_no", (_bare(match_zh[1] + match_zh[3]), _bare(match_zh[2]))
    return None


def _unlisted(text: str) -> str:
    """Return the things to order where no colon or comma introduces them."""
    body = re.sub(
        r"^\W*(?:in (?:what|which) order (?:do|does|did|are|is)|what is the order of|"
        r"(?:put|list|arrange|sort|order|place)|(?:which|what) (?:\w+ )?"
        r"(?:comes|happens|appears|occurs|is shown|is seen|starts) (?:first|last|earlier|later))\b",
        "",
        text,
        flags=re.IGNORECASE,
    )
    body = re.sub(
        r"\b(?:in|into|by) (?:the )?(?:\w+ )?order\b.*$|\b(?:appear|happen|occur|shown)\b\W*$",
        "",
        body,
        flags=re.IGNORECASE,
    )
    return re.sub(
        r"按.*?(?:排列|排序)|[，,]?(?:哪(?:个|一个|件事)?|谁)(?:更|最)?先.*$|(?:更|最)?先(?:出现|发生|来).*$|的?(?:先后)?顺序.*$|请|把|将",
        "",
        body,
    )


def _bare(text: str) -> str:
    cleaned = _TAIL.sub("", text.strip(" ,.?？。，:：\"'"))
    return re.sub(r"^(?:the|a|an|is|are|does|do|did|was|were)\s+", "", cleaned, flags=re.IGNORECASE).strip()


def _cut_sides(text: str) -> tuple[str, ...]:
    plain = re.sub(r"[(（][^)）]*[)）]", " ", text)
    plain = re.sub(
        r"^\W*(?:at what time|when|at which (?:second|moment))\W*(?:is|does|do|are)?\b(?=.*\bcut from\b)",
        "",
        plain,
        flags=re.IGNORECASE,
    )
    for pattern in _CUT_SIDES:
        if match := pattern.search(" ".join(plain.split()).strip(" ?？。")):
            return tuple(_side(part) for part in match.groups())
    return ()


def _side(part: str) -> str:
    return re.sub(
        r"^(?:是|在|什么时候|何时|第几秒|画面|镜头)+|(?:是?在)?(?:什么时候|何时|第?几秒|哪一?秒)$|^(?:the|a|an)\s+",
        "",
        part.strip(),
        flags=re.IGNORECASE,
    )


def _or_alternatives(text: str) -> tuple[str, ...]:
    if match := re.search(
        rf"\b({_PLACES})(?:-hand)?{_PARTS}(?:, (?:the )?({_PLACES}))?,?"
        rf" or (?:on |at |in |to |the )*({_PLACES})\b",
        text,
        re.IGNORECASE,
    ):
        return tuple(part.lower() for part in match.groups() if part)
    listed = re.search(r"[:,]\s*((?:[^:,?]+, )*[^:,?]+,? or [^:?]+)\?", text)
    if listed and re.match(r"\W*(?:which|what|who|is|are|does)\b", text, re.IGNORECASE):
        return tuple(_bare(part) for part in _SPLIT.split(listed[1]) if _bare(part))
    match = re.search(r"([\w'-]+(?: [\w'-]+)?) or ([\w'-]+(?: [\w'-]+){0,3})\?", text)
    if match and re.match(r"\W*(?:is|are|was|were|do|does|did|has|can)\b", text, re.IGNORECASE):
        return _parallel(match[1], match[2])
    return ()


def _parallel(before: str, after: str) -> tuple[str, ...]:
    """Shorten the words before "or" to what is parallel to the words after it."""
    words = before.split()
    return (_bare(words[-1] if len(after.split()) == 1 else before), _bare(after))


def _zh_alternatives(text: str) -> tuple[str, ...]:
    match = re.search(r"([^，。？,?：:是在了]{1,14})还是(?:在)?([^，。？,?]{1,10}?)(?:[？?呢吗]|$)", text)
    return (*(part.strip() for part in match[1].split("、")), match[2].strip()) if match else ()
