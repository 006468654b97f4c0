"""Who believes what: a story's events lived through, and a question about minds answered from them."""

from __future__ import annotations

from vidence.embedded.planning.mind_questions import MindQuestion, read_mind_question
from vidence.embedded.planning.minds import Minds, same_name
from vidence.embedded.planning.story import read_story
from vidence.prompts import Prompt
from vidence.schema.beliefs import Belief, BeliefReport, BeliefVariables, StoryEvent

__all__ = ["report_beliefs", "tom_skill"]

_UNKNOWN = ("It cannot be told from what happened.", "从所发生的事无法判断。")
_YES, _NO, _NOBODY = ("Yes", "是"), ("No", "否"), ("nobody", "没有人")


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
