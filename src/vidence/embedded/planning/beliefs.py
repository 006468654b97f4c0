"""Theory of Mind: read a question about minds and answer it from who saw what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from vidence.embedded.planning.minds import Minds, same_name
from vidence.embedded.planning.story import read_story
from vidence.embedded.planning.story_chinese import plain_chinese
from vidence.embedded.planning.story_english import plain_noun
from vidence.language.identify import HAN
from vidence.prompts import Prompt
from vidence.schema.beliefs import Belief, BeliefReport, BeliefVariables, StoryEvent

__all__ = ["MindQuestion", "read_mind_question", "report_beliefs", "tom_skill"]

_UNKNOWN = ("It cannot be told from what happened.", "从所发生的事无法判断。")
_YES, _NO, _NOBODY = ("Yes", "是"), ("No", "否"), ("nobody", "没有人")
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


def tom_skill(prompt: Prompt) -> str:
    """Answer `tom.beliefs`."""
    variables = prompt.variables
    if not isinstance(variables, BeliefVariables):
        raise TypeError(f"tom.beliefs needs BeliefVariables, not {type(variables).__name__}")
    report = report_beliefs(variables)
    return f"{report.explanation or report.answer}\n\n```json\n{report.model_dump_json()}\n```"


def report_beliefs(variables: BeliefVariables) -> BeliefReport:
    """Return the answer to a question about minds, with everybody's belief about the thing it names."""
    minds = Minds(variables.events or read_story(variables.story))
    asked = read_mind_question(variables.question, minds)
    chinese = variables.language == "zh"
    if asked is None:
        return BeliefReport(answer=_UNKNOWN[chinese], cannot_tell=True, beliefs=_all_beliefs(minds, None))
    return _Answerer(minds, asked, chinese).report()


class _Answerer:
    """Words the answer to one question."""

    def __init__(self, minds: Minds, asked: MindQuestion, chinese: bool) -> None:
        self.minds, self.asked, self.chinese = minds, asked, chinese

    def report(self) -> BeliefReport:
        """Return the answer with its reasons."""
        answer, events = self._answer()
        return BeliefReport(
            answer=answer or _UNKNOWN[self.chinese],
            explanation=self._explanation(events) if answer else "",
            beliefs=_all_beliefs(self.minds, self.asked.thing),
            evidence=tuple(dict.fromkeys(event.event_id for event in events)),
            cannot_tell=answer is None,
        )

    def _answer(self) -> tuple[str | None, list[StoryEvent]]:
        asked, minds = self.asked, self.minds
        thing = asked.thing or ""
        match asked.asked:
            case "belief":
                return self._place(minds.belief(thing, *asked.people))
            case "reality":
                return self._place(minds.reality(thing))
            case "origin":
                return self._place(minds.origin(thing))
            case "knows":
                return self._knows(asked.people[0], thing)
            case "who_knows" | "who_thinks":
                return self._who(thing)
            case "who_said" | "what_said":
                return self._said()
            case "who_moved":
                moved = [e for e in minds.events if e.kind == "place" and same_name(e.thing, thing)]
                return (moved[-1].actor, moved[-1:]) if moved else (None, [])

    def _place(self, event: StoryEvent | None) -> tuple[str | None, list[StoryEvent]]:
        return (None, []) if event is None else (event.place, [event])

    def _knows(self, person: str, thing: str) -> tuple[str | None, list[StoryEvent]]:
        believed, real = self.minds.belief(thing, person), self.minds.reality(thing)
        if real is None:
            return None, []
        wanted = self.asked.place or real.place
        knows = believed is not None and same_name(believed.place, wanted)
        rests_on = [event for event in (believed, real) if event is not None]
        return (_YES if knows else _NO)[self.chinese], rests_on

    def _who(self, thing: str) -> tuple[str | None, list[StoryEvent]]:
        real = self.minds.reality(thing)
        wanted = self.asked.place or (real.place if real else None)
        if wanted is None:
            return None, []
        held = [(person, self.minds.belief(thing, person)) for person in self.minds.people]
        found = [(person, event) for person, event in held if event and same_name(event.place, wanted)]
        names = ("、" if self.chinese else ", ").join(person for person, _ in found)
        return names or _NOBODY[self.chinese], [event for _, event in found]

    def _said(self) -> tuple[str | None, list[StoryEvent]]:
        people, thing = self.asked.people, self.asked.thing
        said = [event for event in self.minds.events if event.kind == "say"]
        if self.asked.asked == "what_said":
            said = [event for event in said if event.actor == people[0]]
            people = people[1:]
        said = [event for event in said if not people or people[-1] in event.hearers]
        if thing:
            said = [event for event in said if same_name(event.thing, thing)]
        if not said:
            return None, []
        latest = said[-1]
        return (latest.text.strip() if self.asked.asked == "what_said" else latest.actor), [latest]

    def _explanation(self, events: list[StoryEvent]) -> str:
        if not events:
            return ""
        told = "；".join(event.text or event.event_id for event in dict.fromkeys(events))
        absent = self._missed(events[0])
        if self.chinese:
            return f"依据：{told}。" + (f"之后的变化{absent}没有看到。" if absent else "")
        return f"It rests on: {told}" + (
            f" What changed afterwards was not seen by {absent}." if absent else ""
        )

    def _missed(self, event: StoryEvent) -> str:
        """Name those asked about who did not see the thing moved after the event."""
        real = self.minds.reality(self.asked.thing or "")
        if self.asked.asked != "belief" or real is None or real is event:
            return ""
        seen = self.minds.witnesses(real)
        names = [person for person in self.asked.people if person not in seen]
        return ("、" if self.chinese else " and ").join(names)


def _all_beliefs(minds: Minds, thing: str | None) -> tuple[Belief, ...]:
    beliefs = []
    for about in [thing] if thing else minds.things():
        real = minds.reality(about)
        for person in minds.people:
            held = minds.belief(about, person)
            true = None if held is None or real is None else same_name(held.place, real.place)
            beliefs.append(
                Belief(
                    person=person,
                    about=about,
                    believes=held.place if held else None,
                    is_true=true,
                    because=(held.event_id,) if held else (),
                )
            )
    return tuple(beliefs)


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
