"""A story as a world: no frames, five tools, and quotations numbered so that an answer can cite them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vidence.errors import OpRetry
from vidence.knowledge.chapters import line_of
from vidence.knowledge.reader import StoryReader
from vidence.prompts.fenced import one_line
from vidence.runs.brief import short_time
from vidence.schema.agent import MemoryUnit, OperationCall, VideoCard
from vidence.schema.evidence import Citation, EvidenceRecord
from vidence.schema.reading import Note
from vidence.schema.story import Quote
from vidence.store.protocols import Results
from vidence.tools.story.catalogue import STORY_TOOLS, get_story_tool
from vidence.tools.story.shapes import quotes_in
from vidence.tools.story.tool import run_story_tool

__all__ = ["NumberedQuote", "StoryWorld", "cited_quote", "number_quotes", "observation_text", "place_of"]

_OBSERVED_CHARS = 2000
"""An agent and a grader are shown this much of one observation."""
_QUOTED_CHARS = 420


@dataclass(frozen=True)
class NumberedQuote:
    """A quotation under the number by which an answer cites it, with the record that holds it."""

    number: int
    record_id: str
    quote: Quote

    def citation(self, claim: str) -> Citation:
        """Return the citation of a claim, for the verifier to resolve; of a transcript the very line."""
        quote = line_of(self.quote, claim)
        return Citation(
            record_id=self.record_id, start_time=quote.time_s, end_time=quote.end_s, quote=quote.text
        )

    def note(self) -> Note:
        """Return the quotation as a note for a reader."""
        said = f"{self.quote.speaker}: {self.quote.text}" if self.quote.speaker else self.quote.text
        return Note(
            number=self.number,
            text=said,
            label=place_of(self.quote),
            record_id=self.record_id,
            quote=self.quote.text,
        )


class StoryWorld:
    """The tools of one story; each call leaves its record in the workspace's ledger."""

    def __init__(self, reader: StoryReader, results: Results, *, videos: tuple[VideoCard, ...] = ()) -> None:
        self._reader, self._results, self._videos = reader, results, videos

    @property
    def videos(self) -> tuple[VideoCard, ...]:
        """The videos whose transcripts the story holds."""
        return self._videos

    @property
    def num_unseen(self) -> int | None:
        return 0

    def first_frames(self, count: int) -> list[MemoryUnit]:
        """Return none: a story has no frames."""
        return []

    def fetch_new_frames(self, count: int, focus: str | None = None) -> list[MemoryUnit]:
        """Return none: a story has no frames."""
        return []

    def frame_records(self, frame_ids: Sequence[int]) -> list[EvidenceRecord]:
        """Return none: a story has no frames."""
        return []

    def call(self, call: OperationCall) -> EvidenceRecord:
        """Run one tool of the story; every quotation it returns is looked up again in the text."""
        if call.operation not in STORY_TOOLS:
            raise OpRetry(f"There is no tool {call.operation!r}. Tools: {', '.join(STORY_TOOLS)}.")
        tool = get_story_tool(call.operation)
        record = run_story_tool(tool, call.arguments, self._reader, self._results)
        for quote in quotes_in(record.result):
            if not self._reader.holds(quote):
                raise OpRetry(f"{call.operation} quoted words that are not in the story; call it again.")
        return record

    def stored_hash(self, record_id: str) -> str | None:
        """Return the stored hash of a record."""
        record = self._results.get_record(record_id)
        return None if record is None else record.result_hash


def number_quotes(records: Iterable[EvidenceRecord]) -> list[NumberedQuote]:
    """Return the quotations of records under running numbers, each place of the story once."""
    found: list[NumberedQuote] = []
    seen: set[tuple[int, int, int]] = set()
    for record in records:
        for quote in quotes_in(record.result):
            place = (quote.chapter, quote.start, quote.end)
            if place not in seen:
                seen.add(place)
                found.append(NumberedQuote(len(found) + 1, record.record_id, quote))
    return found


def cited_quote(quotes: Sequence[NumberedQuote], citation: Citation) -> Quote | None:
    """Return the quotation that a citation means, with its place; a line of one has a place of its own."""
    words = citation.quote or ""
    whole = next((one.quote for one in quotes if one.quote.text == words), None)
    held = (one.quote for one in quotes if one.record_id == citation.record_id and words in one.quote.text)
    found = whole or next(held, None)
    return line_of(found, words) if found and words else None


def place_of(quote: Quote) -> str:
    """Return where a quotation stands, as a person reads it: its chapter, or the moment of its video."""
    if quote.time_s is None:
        return quote.label
    times = dict.fromkeys(short_time(one) for one in (quote.time_s, quote.end_s) if one is not None)
    return f"{quote.label} {'–'.join(times)}"


def observation_text(record: EvidenceRecord, quotes: Sequence[NumberedQuote]) -> str:
    """Return what an agent is shown of a result: its facts, then its quotations under their numbers."""
    lines = list(_facts(record.result))
    places = {(one.chapter, one.start, one.end) for one in quotes_in(record.result)}
    for one in quotes:
        quote = one.quote
        if (quote.chapter, quote.start, quote.end) in places:
            speaker = f"{quote.speaker}: " if quote.speaker else ""
            lines.append(f"[{one.number}] {place_of(quote)}: {speaker}{one_line(quote.text)[:_QUOTED_CHARS]}")
    return "\n".join(lines)[:_OBSERVED_CHARS] or "–"


def _facts(result: object) -> Iterable[str]:
    """Yield the parts of a result that are no quotations, a line each."""
    if not isinstance(result, dict):
        return
    for name in ("entity", "entity1", "entity2", "target"):
        person = result.get(name)
        if isinstance(person, dict):
            also = f" (also {', '.join(person['aliases'])})" if person.get("aliases") else ""
            yield one_line(f"{person['name']}{also}: {person['kind']}, chapters {person.get('chapters', '')}")
    for relation in (*result.get("statements", ()), *result.get("relations", ())):
        yield one_line(_told(relation))
    for path in result.get("paths", ()):
        yield one_line(" → ".join(_told(step) for step in path))
    for event in (*result.get("events", ()), *result.get("stages", ())):
        yield one_line(f"chapter {event['chapter']}: {event['what']} ({', '.join(event['people'])})")


def _told(relation: dict[str, object]) -> str:
    stated = "" if relation["is_stated"] else " (only suggested)"
    return f"{relation['source']} –{relation['relation']}→ {relation['target']}{stated}"
