"""Theory of Mind: read a question about minds and answer it from who saw what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

from vidence.embedded.planning.minds import Minds, same_name
from vidence.embedded.planning.story import expand_parts, plain_noun, read_story
from vidence.embedded.wire import json_reply, read_variables
from vidence.language.tables import read_table
from vidence.prompts import Prompt
from vidence.schema.beliefs import Belief, BeliefReport, BeliefVariables, StoryEvent

__all__ = ["report_beliefs", "tom_skill"]

_UNKNOWN = ("It cannot be told from what happened.", "从所发生的事无法判断。")
_YES, _NO, _NOBODY = ("Yes", "是"), ("No", "否"), ("nobody", "没有人")
_Topic = Literal[
    "belief", "reality", "origin", "knows", "who_knows", "who_thinks", "who_said", "what_said", "who_moved"
]


def tom_skill(prompt: Prompt) -> str:
    """Answer `tom.beliefs`."""
    report = report_beliefs(read_variables(prompt, BeliefVariables))
    return json_reply(report.explanation or report.answer, report)


def report_beliefs(variables: BeliefVariables) -> BeliefReport:
    """Return the answer to a question about minds, with everybody's belief about the thing it names."""
    minds = Minds(variables.events or read_story(variables.story))
    asked = _read_question(variables.question, minds)
    chinese = variables.language == "zh"
    if asked is None:
        return BeliefReport(answer=_UNKNOWN[chinese], cannot_tell=True, beliefs=_all_beliefs(minds, None))
    return _Answerer(minds, asked, chinese).report()


class _Answerer:
    """Answers one question about minds."""

    def __init__(self, minds: Minds, asked: _MindQuestion, chinese: bool) -> None:
        self.minds, self.asked, self.chinese = minds, asked, chinese

    def report(self) -> BeliefReport:
        """Return the answer with the events it rests on."""
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
        match asked.topic:
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
        if self.asked.topic == "what_said":
            said = [event for event in said if event.actor == people[0]]
            people = people[1:]
        said = [event for event in said if not people or people[-1] in event.hearers]
        if thing:
            said = [event for event in said if same_name(event.thing, thing)]
        if not said:
            return None, []
        latest = said[-1]
        return (latest.text.strip() if self.asked.topic == "what_said" else latest.actor), [latest]

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
        """Name the people asked about who did not see the thing's last move."""
        real = self.minds.reality(self.asked.thing or "")
        if self.asked.topic != "belief" or real is None or real is event:
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
class _MindQuestion:
    """What a question about minds asks: whose belief, about what, or who said what to whom."""

    topic: _Topic
    people: tuple[str, ...] = ()
    thing: str | None = None
    place: str | None = None


def _read_question(question: str, minds: Minds) -> _MindQuestion | None:
    """Return what is asked; None when it is not about who knows what."""
    text = " ".join(question.split()).strip("。 ")
    for topic, pattern in _patterns():
        match = pattern.search(text)
        if match is None:
            continue
        found = match.groupdict()
        people = tuple(_person(match, group, minds) for group in ("a", "b") if found.get(group))
        if any(minds.person(name) is None for name in people) and topic not in ("who_said", "what_said"):
            continue
        thing = found.get("t") or found.get("t2")
        return _MindQuestion(topic, people, _thing(thing, minds), plain_noun(found.get("p")))
    return None


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[_Topic, re.Pattern[str]]]:
    _, rows = expand_parts(list(read_table("mind_questions.tsv", "embedded")))
    return [(cast("_Topic", topic), re.compile(pattern, re.IGNORECASE)) for topic, pattern in rows]


def _person(match: re.Match[str], group: str, minds: Minds) -> str:
    """Return the person a group names; in Chinese a known name may be longer than the group."""
    rest = match.string[match.start(group) :]
    longer = [name for name in minds.people if rest.startswith(name)]
    return max(longer, key=len, default=None) or minds.person(match[group]) or match[group]


def _thing(text: str | None, minds: Minds) -> str | None:
    noun = plain_noun(text)
    known = minds.things()
    named = next((thing for thing in known if same_name(thing, noun) or (noun and thing in noun)), None)
    if named is not None:
        return named
    # "Where will she look for it?" means the only thing where the story has only one.
    return known[0] if len(known) == 1 and (noun is None or noun.lower() in ("it", "它", "them")) else noun
