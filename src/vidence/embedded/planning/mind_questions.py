"""What a question about minds asks: whose belief, about what, or who said what to whom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from vidence.embedded.planning.minds import Minds, same_name
from vidence.embedded.planning.story_chinese import plain_chinese
from vidence.embedded.planning.story_english import plain_noun
from vidence.language.identify import HAN

__all__ = ["MindQuestion", "read_mind_question"]

Asked = Literal[
    "belief", "reality", "origin", "knows", "who_knows", "who_thinks", "who_said", "what_said", "who_moved"
]

_NP = r"(?:(?:the|a|her|his|their)\s+)?[\w' -]+?"
_H = rf"[{HAN}A-Za-z]"
_LOOK = r"(?:looks?|search(?:es)?|go(?:es)?)"
_PATTERNS: tuple[tuple[Asked, str], ...] = (
    ("belief", rf"where (?:does|did|will|would) (?P<a>\w+) (?:think|believe|expect|say)s?(?: that)? "
               rf"(?P<b>\w+) "
               rf"(?:will |would |is going to )?(?:first )?{_LOOK}(?: first)?(?: to (?:find|get))?"
               rf"(?: for)? (?P<t>{_NP})(?: first)?\??$"),
    ("belief", rf"where (?:does|did|will|would) (?P<a>\w+) (?:think|believe)s?(?: that)? (?P<b>\w+) "
               rf"(?:thinks?|believes?)(?: that)? (?P<t>{_NP}) (?:is|are|was|were)\b.*$"),
    ("belief", rf"where (?:will|would|does|did) (?P<a>\w+) (?:first )?{_LOOK}(?: first)?(?: to (?:find"
               rf"|get))?(?: for)? "
               rf"(?P<t>{_NP})(?: first)?\??$"),
    ("belief", rf"where (?:does|did) (?P<a>\w+) (?:think|believe)(?: that)? (?P<t>{_NP}) (?:is|are|was"
               rf"|were)\b.*$"),
    ("knows", rf"does (?P<a>\w+) (?:know|realize|realise|think|believe)(?: where| that)? (?P<t>{_NP}) "
              rf"(?:is|are|was|were|has been|have been)(?: (?:in|on|under|at) (?P<p>{_NP})| moved"
              rf"| really)?\??$"),
    ("who_thinks", rf"who (?:thinks?|believes?)(?: that)? (?P<t>{_NP}) (?:is|are|was|were) (?:still )?(?:in"
                   rf"|on|under"
                   rf"|at) (?P<p>{_NP})\??$"),
    ("who_knows", rf"who (?:knows?)(?: where| that)? (?P<t>{_NP}) (?:is|are|was|were|has been"
                  rf"|have been)\b.*$"),
    ("what_said", r"what did (?P<a>\w+) (?:tell|say to) (?P<b>\w+)\??$"),
    ("who_said", rf"who (?:told|said to|informed) (?P<b>\w+)\b(?: (?:that |where |about )?(?P<t>{_NP})(?: "
                 rf"(?:is|are|was|were)\b.*)?)?\??$"),
    ("who_moved", rf"who (?:moved|put|placed|hid|took|transferred) (?P<t>{_NP})(?: (?:to|in|into|on|under"
                  rf"|from)\b.*)?\??$"),
    ("origin", rf"where (?:was|were) (?P<t>{_NP}) (?:at the beginning|at first|in the beginning|originally"
               rf"|initially"
               rf"|before)\b.*$"),
    ("reality", rf"where (?:is|are|was|were) (?P<t>{_NP})(?: really| now| actually| at the end)?\??$"),
    ("belief", rf"(?P<a>{_H}{{1,4}}?)(?:认为|以为|觉得|相信)(?P<b>{_H}{{1,4}}?)(?:会|将)?(?:先)?(?:去|到"
               rf"|在)(?:哪里|哪儿|什么地方)找(?P<t>{_H}+?)[？?]?$"),
    ("belief", rf"(?P<a>{_H}{{1,4}}?)(?:认为|以为|觉得|相信)(?P<b>{_H}{{1,4}}?)(?:认为|以为|觉得|相信)"
               rf"(?P<t>{_H}+?)在(?:哪里|哪儿|什么地方)[？?]?$"),
    ("belief", rf"(?P<a>{_H}{{1,4}}?)(?:会|将)?(?:先|首先)?(?:去|到|在)(?:哪里|哪儿|什么地方)(?:去)?找"
               rf"(?P<t>{_H}+?)[？?]?$"),
    ("belief", rf"(?P<a>{_H}{{1,4}}?)(?:认为|以为|觉得|相信)(?P<t>{_H}+?)在(?:哪里|哪儿|什么地方)[？?]?$"),
    ("who_knows", rf"(?:谁|哪些人)知道(?P<t>{_H}+?)(?:真正|实际|现在)?在(?:哪里|哪儿|什么地方)[？?]?$"),
    ("who_thinks", rf"(?:谁|哪些人)(?:认为|以为|觉得)(?P<t>{_H}+?)(?:还)?在(?P<p>{_H}+?)(?:里面|里|中|上"
                   rf"|下)?[？?]?$"),
    ("knows", rf"(?P<a>{_H}{{1,4}}?)(?:是否知道|知不知道|知道)(?P<t>{_H}+?)(?:真正|实际|现在)?在(?:哪里"
              rf"|哪儿|(?P<p>{_H}+?))(?:里面|里|中|上)?吗?[？?]?$"),
    ("who_said", rf"谁(?:告诉|对|跟)(?:了|过)?(?P<b>{_H}{{1,4}}?)(?:说)?(?:了|过)?(?P<t>{_H}+?)?(?:在"
                 rf"(?:哪里|哪儿|{_H}+?))?[？?]?$"),
    ("what_said", rf"(?P<a>{_H}{{1,4}}?)(?:对|跟|告诉)(?:了|过)?(?P<b>{_H}{{1,4}}?)(?:说)?(?:了|过)?(?:什么"
                  rf"|哪些话)[？?]?$"),
    ("who_moved", rf"谁(?:把|移动|移走|拿走|藏起?)(?:了)?(?P<t>{_H}+?)(?:移|放|拿|藏|搬|挪).*$|谁(?:移动"
                  rf"|移走|拿走|藏)(?:了)?(?P<t2>{_H}+?)[？?]?$"),
    ("origin", rf"(?P<t>{_H}+?)(?:一开始|最初|原来|本来|起初)(?:是)?(?:放)?在(?:哪里|哪儿|什么地方).*$"),
    ("origin", rf"(?:一开始|最初|起初)[，,]?(?P<t>{_H}+?)在(?:哪里|哪儿|什么地方).*$"),
    ("reality", rf"(?P<t>{_H}+?)(?:实际上?|真正|现在|其实|到底)*(?:是)?(?:放)?在(?:哪里|哪儿"
                rf"|什么地方)[？?]?$"),
)  # fmt: skip


@dataclass(frozen=True)
class MindQuestion:
    """A question about minds, read."""

    asked: Asked
    people: tuple[str, ...] = ()
    thing: str | None = None
    place: str | None = None


def read_mind_question(question: str, minds: Minds) -> MindQuestion | None:
    """Return what is asked; None when it is not about who knows what."""
    text = " ".join(question.split()).strip("。 ")
    for asked, pattern in _PATTERNS:
        match = re.search(pattern, text, re.IGNORECASE)
        if match is None:
            continue
        found = match.groupdict()
        people = tuple(_person(match, group, minds) for group in ("a", "b") if found.get(group))
        if any(minds.person(name) is None for name in people) and asked not in ("who_said", "what_said"):
            continue
        thing = found.get("t") or found.get("t2")
        return MindQuestion(asked, people, _thing(thing, minds), _noun(found.get("p")))
    return None


def _person(match: re.Match[str], group: str, minds: Minds) -> str:
    """Return whom a group names: Chinese has no blanks, so a known name may reach beyond it."""
    rest = match.string[match.start(group) :]
    longer = [name for name in minds.people if rest.startswith(name)]
    return max(longer, key=len, default=None) or minds.person(match[group]) or match[group]


def _thing(text: str | None, minds: Minds) -> str | None:
    noun = _noun(text)
    known = minds.things()
    named = next((thing for thing in known if same_name(thing, noun) or (noun and thing in noun)), None)
    if named is not None:
        return named
    # "Where will she look for it" has only one thing to mean where only one is told of.
    return known[0] if len(known) == 1 and (noun is None or noun.lower() in ("it", "它", "them")) else noun


def _noun(text: str | None) -> str | None:
    return plain_chinese(plain_noun(text))
