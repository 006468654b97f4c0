"""What a person's words are: a question, something to remember, a correction, or small talk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from vidence.language.tokens import query_terms

__all__ = ["Utterance", "UtteranceKind", "is_about_the_talk", "read_utterance"]

UtteranceKind = Literal["question", "statement", "correction", "small_talk"]

_ASKS = re.compile(
    r"[?？]\s*$|[吗呢]\s*[。!！]?\s*$"
    r"|(?:^\W*|,\s*)(?:(?:and|so|then|but|ok|okay|well|now|please)[, ]+)*(?:what|which|who|whom|whose|when"
    r"|where|why|how|is|are|was|were|do|does"
    r"|did|can|could"
    r"|has|have|had|will|would|should|may|describe|show|count|find|list|tell me|name|explain|compare"
    r"|look for|search"
    r"|summari[sz]e|give me|transcribe|track|read)\b"
    r"|什么|谁|哪[里儿个些位]|几[个次只辆人秒点]|多少|怎么|怎样|为什么|为何|是否|是不是|有没有|请?描述"
    r"|请?数一?数"
    r"|请?总结|请?找[出到一]|告诉我|(?:那|然后|接着|之后)呢",
    re.IGNORECASE,
)
_REMEMBER = re.compile(
    r"^\W*(?:please |can you |could you )?(?:remember|note|keep in mind|don't forget)(?: that"
    r"| this)?[:,]?\s+(?P<en>.+)$"
    r"|^\W*(?:请|你)?(?:记住|记一下|别忘了|记下)[：:，,]?\s*(?P<zh>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_THAT = re.compile(r"\b(?:remember|note|forget)\b(?: that| this)\b", re.IGNORECASE)
_ORDER = re.compile(
    r"^\W*(?:please )?(?:play|stop|pause|go|open|close|skip|continue|rewind|wait|try|run|start|repeat)\b"
    r"|^\W*请?(?:播放|停止|暂停|打开|关闭|跳过|继续|重复)",
    re.IGNORECASE,
)
_MIN_TERMS = 2
"""Fewer words than this tell nothing worth keeping."""
_CORRECTS = re.compile(
    r"^\W*(?:no|nope|actually|correction|sorry|i meant|wrong|that's wrong)\b[,:.!]?\s*(?:actually|it's"
    r"|i meant)?[,:]?\s*"
    r"|^\W*(?:不对|不是|错了|更正|其实|说错了)[，,：:。！]?\s*",
    re.IGNORECASE,
)
_SMALL = re.compile(
    r"^\W*(?:hi|hello|hey|thanks?|thank you|ok(?:ay)?|good|great|nice|yes|yeah|no|bye|goodbye|cool|sure"
    r"|right|good morning"
    r"|你好|您好|谢谢|好的?|嗯|是的|对|再见|早上好|晚上好|不客气|行|可以)(?: (?:there|you|very much"
    r"|a lot))?[\s.!。！~]*$",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"\b(?:my|mine|i|me|we|our|us)\b|\bdid i (?:say|tell|mention)|\bremember\b|\bearlier\b|\blast time\b"
    r"|\byou said\b"
    r"|我|咱|上次|之前(?:说|聊|告诉)|记得",
    re.IGNORECASE,
)
_SEEN = re.compile(
    r"\b(?:video|clip|film|footage|scene|frame|shown?|seen?|on screen|appears?|camera)\b|视频|画面|影片"
    r"|镜头|出现|看到|看见",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Utterance:
    """One thing said."""

    kind: UtteranceKind
    text: str
    """The words that count: without "remember that" or "no, actually"."""
    is_urgent: bool = False
    """True when remembering was asked for."""


def read_utterance(text: str) -> Utterance:
    """Return what kind of words these are."""
    said = text.strip()
    if _SMALL.match(said):
        return Utterance("small_talk", said)
    asked = _REMEMBER.match(said)
    if asked and (not said.endswith(("?", "？")) or _THAT.search(said)):
        return Utterance("statement", (asked["en"] or asked["zh"]).strip(" ?？"), is_urgent=True)
    if _ASKS.search(said):
        return Utterance("question", said)
    corrected = _CORRECTS.sub("", said, count=1)
    if corrected != said and corrected.strip():
        return Utterance("correction", corrected.strip())
    if _ORDER.match(said) or len(query_terms(said)) < _MIN_TERMS:
        return Utterance("small_talk", said)
    return Utterance("statement", said)


def is_about_the_talk(question: str) -> bool:
    """Say whether a question asks for what was told rather than for what a video shows."""
    return bool(_TALK.search(question)) and not _SEEN.search(question)
