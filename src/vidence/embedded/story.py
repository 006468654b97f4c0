"""The embedded engine over a story: tools by the type of question, answers in quoted sentences."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from vidence.embedded.recipes.recipe import Embed
from vidence.embedded.story_lines import bearing, score_lines, story_lines_of
from vidence.embedded.wire import json_reply, read_variables
from vidence.language.identify import has_han
from vidence.language.phrases import phrase
from vidence.language.tokens import query_terms, sentences, terms
from vidence.llm.embedded import Skill
from vidence.memory.relevance import NOTHING_RELEVANT
from vidence.prompts import Prompt
from vidence.runs.worlds.story import NumberedQuote, number_quotes
from vidence.schema.agent import OperationCall
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.react import ReActVariables, RefinerReply, RefinerVariables
from vidence.tools.story.shapes import quotes_in

__all__ = ["react_skill", "refiner_skill"]

_LINES = (4, 4, 5)
"""Lines of an answer, by attempt: precise first."""
_BEARS_ON = 0.44
"""The least probability that passages bear on the question; chosen on the stories it was fitted on."""
_BEARS_ON_ZH = (1.1, 1.1, 0.8)
"""By attempt: the least share of a Chinese question's words in the passages, plus the search's chance."""
_STATEMENTS, _EVENTS = 2, 5
_QUERIES = 3


def react_skill(embed: Embed) -> Skill:
    """Return the skill of `react.step`: the next call for the question's type, else the answer."""

    def step(prompt: Prompt) -> str:
        variables = read_variables(prompt, ReActVariables)
        call = None if variables.must_answer else _next_call(variables)
        if call is not None:
            thought = phrase(f"story_asks_{variables.question_type}", variables.language, call.operation)
            arguments = json.dumps(call.arguments, ensure_ascii=False)
            return f"Thought: {thought}\nAction: {call.operation}\nAction Input: {arguments}"
        enough = phrase("story_enough", variables.language)
        return f"Thought: {enough}\nAnswer: {compose(variables, embed)}"

    return step


def refiner_skill(prompt: Prompt) -> str:
    """Return two or three queries: the question's words with the names, and words of what was found."""
    variables = read_variables(prompt, RefinerVariables)
    return json_reply("", RefinerReply(queries=tuple(_queries(variables))))


def compose(variables: ReActVariables, embed: Embed) -> str:
    """Return the answer that the observations give, each sentence with the number of its quotation."""
    quotes = number_quotes(variables.records)
    by_type = {"relation": _relation, "fact": _fact, "journey": _journey}
    write = by_type.get(variables.question_type)
    answer = write(variables, quotes) if write else ""
    return answer or _detail(variables, quotes, embed) or phrase("story_unknown", variables.language)


def _next_call(variables: ReActVariables) -> OperationCall | None:
    made = [(one.operation, json.dumps(one.arguments, sort_keys=True)) for one in variables.called]
    for call in _plan(variables):
        more = {"limit": variables.limit} if call.operation == "search_memory" else {}
        asked = {**call.arguments, **more}
        if (call.operation, json.dumps(asked, sort_keys=True)) not in made:
            return call
    return None


def _plan(variables: ReActVariables) -> Iterator[OperationCall]:
    """Yield the calls that a question of this type takes, in order."""
    names = list(dict.fromkeys(variables.names))
    question = variables.question
    first = {"entity": names[0]} if names else {}
    match variables.question_type:
        case "relation":
            yield OperationCall(
                operation="find_connection", arguments={"entity1": names[0], "entity2": names[1]}
            )
        case "fact":
            yield OperationCall(operation="lookup_knowledge", arguments=first)
        case "journey":
            yield OperationCall(operation="get_character_events", arguments=first)
            if len(names) > 1:
                yield OperationCall(
                    operation="track_journey", arguments={"entity": names[0], "target": names[1]}
                )
        case "detail":
            pass
    for query in (question, *variables.queries):
        yield OperationCall(operation="search_memory", arguments={"query": query})


def _results(variables: ReActVariables, tool: str) -> list[dict[str, Any]]:
    return [one.result for one in variables.records if one.source == tool and isinstance(one.result, dict)]


def _cite(quote: dict[str, Any], quotes: Sequence[NumberedQuote]) -> str:
    place = (quote["chapter"], quote["start"], quote["end"])
    number = next(
        (one.number for one in quotes if (one.quote.chapter, one.quote.start, one.quote.end) == place), None
    )
    return "" if number is None else f" [{number}]"


def _relation(variables: ReActVariables, quotes: Sequence[NumberedQuote]) -> str:
    lines: list[str] = []
    for result in _results(variables, "find_connection"):
        stated = [one for one in result.get("statements", ()) if one["quotes"]]
        for one in stated[:_STATEMENTS]:
            lines.append(_told(one, variables, quotes))
        if not any(one["is_stated"] for one in stated):
            for path in result.get("paths", ())[:1]:
                lines += [_told(step, variables, quotes) for step in path if step["quotes"]]
    return "\n".join(dict.fromkeys(lines))


def _told(one: dict[str, Any], variables: ReActVariables, quotes: Sequence[NumberedQuote]) -> str:
    """Return a relation as a sentence: what is stated as a fact, what is only suggested as that."""
    quote = one["quotes"][0]
    return phrase(
        "story_stated" if one["is_stated"] else "story_suggested",
        variables.language,
        source=one["source"],
        target=one["target"],
        relation=one["relation"],
        where=quote["label"],
        words=_clip(quote["text"], (one["source"], one["target"])),
        cited=_cite(quote, quotes),
    )


def _fact(variables: ReActVariables, quotes: Sequence[NumberedQuote]) -> str:
    lines: list[str] = []
    for result in _results(variables, "lookup_knowledge"):
        lines += [f"{quote['text']}{_cite(quote, quotes)}" for quote in result["descriptions"][:3]]
        stated = [one for one in result["relations"] if one["is_stated"] and one["quotes"]]
        lines += [_told(one, variables, quotes) for one in stated[:_STATEMENTS]]
    return "\n".join(dict.fromkeys(lines))


def _journey(variables: ReActVariables, quotes: Sequence[NumberedQuote]) -> str:
    lines: list[str] = []
    for tool, part in (("track_journey", "stages"), ("get_character_events", "events")):
        for result in _results(variables, tool):
            for event in result.get(part, ())[:_EVENTS]:
                quote = event["quote"]
                where = f"{quote['label']}：" if variables.language == "zh" else f"{quote['label']}: "
                lines.append(f"{where}{quote['text']}{_cite(quote, quotes)}")
        if lines:
            break
    return "\n".join(dict.fromkeys(lines))


def _detail(variables: ReActVariables, quotes: Sequence[NumberedQuote], embed: Embed) -> str:
    """Return the line of the passages found that answers best, then the next ones in the story's order."""
    found = [one for one in variables.records if one.source == "search_memory"]
    asked = [one for one in found if one.asked.get("query") == variables.question]
    # Other queries find passages; whether any answers is judged by the question itself.
    attempt = min(variables.attempt, len(_LINES)) - 1
    if not any(_bears_on(variables.question, one, attempt) for one in asked):
        return ""
    ids = {record.record_id for record in found}
    passages = [one for one in quotes if one.record_id in ids and one.quote.speaker is None]
    lines = [story_lines_of(one.quote.text) for one in passages]
    owners = [one for one, held in zip(passages, lines, strict=True) for _ in held]
    texts = [line for held in lines for line in held]
    if not texts:
        return ""
    scores = score_lines(variables.question, lines, embed)
    first, *others = sorted(range(len(texts)), key=lambda index: -scores[index])[: _LINES[attempt]]
    others.sort(key=lambda index: (owners[index].quote.chapter, owners[index].quote.start, index))
    return "\n".join(_cited(texts[index], owners[index].number) for index in (first, *others))


def _cited(line: str, number: int) -> str:
    """Return a line with the number of its quotation after each sentence."""
    space = "" if has_han(line) else " "
    return space.join(f"{one} [{number}]" for one in sentences(" ".join(line.split())))


def _bears_on(question: str, record: EvidenceRecord, attempt: int) -> bool:
    """Say whether the passages of a search speak of the question: by its words in them, and by meaning."""
    texts = [one.text for one in quotes_in(record.result)]
    wanted = set(query_terms(question))
    if not wanted or has_han(question) != has_han("\n".join(texts)):
        # Words of another language cannot be compared; the search judged by meaning.
        return _answerable(record) >= NOTHING_RELEVANT
    if has_han(question):
        share = len(wanted & set(terms("\n".join(texts)))) / len(wanted)
        return share + _answerable(record) >= _BEARS_ON_ZH[attempt]
    absent = record.result.get("absent", ()) if isinstance(record.result, dict) else ()
    known = [one for one in absent if isinstance(one, str)] if isinstance(absent, list | tuple) else []
    return bearing(question, texts, known, _answerable(record)) >= _BEARS_ON


def _answerable(record: EvidenceRecord) -> float:
    value = record.result.get("answerable") if isinstance(record.result, dict) else None
    return value if isinstance(value, float) else 0.0


def _clip(text: str, names: Sequence[str], *, longest: int = 160) -> str:
    """Return a quotation, cut around the names it is quoted for."""
    if len(text) <= longest:
        return text
    places = [place for name in names if (place := text.find(name)) >= 0]
    start = max(0, min(places, default=0) - longest // 4)
    return text[start : start + longest]


def _queries(variables: RefinerVariables) -> list[str]:
    """Return new queries: names with the question's rare words, then words that stand near them."""
    asked = query_terms(variables.question)
    names = list(dict.fromkeys(variables.names))
    words = [term for term in asked if not any(term in name.lower() for name in names)]
    near = _telling(variables.seen, {*asked})
    drafts = [
        " ".join([*names, *words]),
        " ".join([*words, *near[:3]]),
        " ".join([*names[:1], *near[:4]]),
    ]
    tried = {*variables.tried, variables.question}
    return [draft for draft in dict.fromkeys(drafts) if draft.strip() and draft not in tried][:_QUERIES]


def _telling(texts: Sequence[str], known: set[str]) -> list[str]:
    """Return words that several of the quotations share and the question lacks."""
    counts = Counter(term for text in texts for term in set(terms(text)) - known)
    return sorted(counts, key=lambda term: (-counts[term], -len(term), term))[: _QUERIES + 1]
