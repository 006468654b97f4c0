"""What one chapter says, by the names as they stand: counts, statements, speeches, events, who meets whom."""

from __future__ import annotations

import itertools
import json
import re
import zlib
from bisect import bisect_left
from collections import Counter
from dataclasses import asdict, dataclass, field, replace

from vidence.knowledge.address import addressed, kin_by_name
from vidence.knowledge.chapters import paragraphs, sentence_spans
from vidence.knowledge.events import EventFound, find_events
from vidence.knowledge.mentions import Mention, NameFinder
from vidence.knowledge.names_zh import surname_of
from vidence.knowledge.reading import Reading, read_english
from vidence.knowledge.relations import CARRIED, STATED, RelationStatement, state
from vidence.knowledge.speech import Speech, find_speeches
from vidence.language.identify import text_language
from vidence.models.text.tagger import StoryTagger

__all__ = ["ANALYSIS_VERSION", "ChapterAnalysis", "analyse", "within"]

ANALYSIS_VERSION = 5
_JOINED = re.compile(r"^(?:和|与|同|、|及|并|跟|，| and | and the |, | or | to | with | said to )$")
_STATED = re.compile(
    r"[，（]?(?:表字|字|别号|乳名|小名|又名|又叫|又称|绰号|外号|亦称|也就是|就是|即)[“]?"
    r"|,? (?:called|known as|nicknamed|or|alias) "
)
_OWNS = re.compile("之|的|[长次三幼独嫡养]?[子女]|[夫父母兄弟姐妹妻妾]")
_NAMED = re.compile("(?:取名|起名|名唤|名叫|闺名)(?:为|作|叫|做)?“?$")


@dataclass
class ChapterAnalysis:
    """The analysis of one chapter; every name is a surface form, before names are merged."""

    counts: dict[str, int] = field(default_factory=dict)
    apart: list[tuple[str, str]] = field(default_factory=list)
    """Pairs that a sentence joins as two people: 宝玉和黛玉."""
    aliases: list[tuple[str, str, int, int]] = field(default_factory=list)
    """Alias, name and where it is stated."""
    statements: list[RelationStatement] = field(default_factory=list)
    speeches: list[Speech] = field(default_factory=list)
    events: list[EventFound] = field(default_factory=list)
    meetings: list[tuple[str, str, int, int]] = field(default_factory=list)
    """The first sentence of the chapter in which two names stand together."""
    meeting_counts: dict[str, int] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Return the form kept in the store."""
        return zlib.compress(json.dumps(asdict(self), ensure_ascii=False).encode())

    @classmethod
    def from_bytes(cls, body: bytes) -> ChapterAnalysis:
        """Read what `to_bytes` wrote."""
        rows = json.loads(zlib.decompress(body))
        return cls(
            counts=rows["counts"],
            apart=[(one, other) for one, other in rows["apart"]],
            aliases=[(one, name, start, end) for one, name, start, end in rows["aliases"]],
            statements=[RelationStatement(**row) for row in rows["statements"]],
            speeches=[Speech(**row) for row in rows["speeches"]],
            events=[EventFound(**{**row, "people": tuple(row["people"])}) for row in rows["events"]],
            meetings=[(one, other, start, end) for one, other, start, end in rows["meetings"]],
            meeting_counts=rows["meeting_counts"],
        )


def analyse(
    text: str, mentions: list[Mention], finder: NameFinder | None = None, tagger: StoryTagger | None = None
) -> ChapterAnalysis:
    """Return the analysis of a chapter whose names are known; a mention's entity is the name as it stands.

    With a tagger an English chapter is read by our models: pronouns count for who is meant by them, speakers
    and events are theirs.
    """
    found = ChapterAnalysis(counts=dict(Counter(one.entity_id for one in mentions)))
    found.speeches = find_speeches(text, mentions, finder)
    met: Counter[str] = Counter()
    is_chinese = text_language(text) == "zh"
    reading = None
    if tagger is not None and finder is not None and not is_chinese:
        quotations = [(one.start, one.end) for one in found.speeches]
        reading = read_english(text, tagger, quotations)
        found.speeches = _spoken(found.speeches, reading, finder)
    if is_chinese:
        found.statements += addressed(text, found.speeches, mentions)
    meant = _meant(mentions, reading, finder)
    told = sorted(reading.events()) if reading else None
    places = sorted(reading.places()) if reading else []
    spans = [span for first, last in paragraphs(text) for span in sentence_spans(text, first, last)]
    named_in = [within(mentions, start, end) for start, end in spans]
    subject: str | None = None
    topic: str | None = None
    for number, ((start, end), named) in enumerate(zip(spans, named_in, strict=True)):
        if "\n" in text[spans[number - 1][1] : start] and not is_chinese:
            subject = None
        stated = list(state(text, start, end, named, subject=subject, topic=topic))
        if is_chinese and _is_spoken(found.speeches, start):
            # Whom a speaker goes on about is not told by who was named last.
            stated = [
                replace(one, strength=CARRIED / 2) if one.strength == CARRIED else one for one in stated
            ]
        found.statements += stated
        if is_chinese and finder is not None:
            found.statements += kin_by_name(start, end, named, finder.names)
        people = within(meant, start, end) if reading else named
        found.events += find_events(
            text, start, end, people,
            told=None if told is None else _inside(told, start, end),
            place=next((text[first:last] for first, last in _inside(places, start, end)), None),
        )  # fmt: skip
        _meet(found, met, people, start, end)
        _pairs(found, text, named)
        born = [one.target for one in stated if one.kind == "child" and one.strength >= STATED]
        if named:
            # After "A had a son called B" the next child is A's, too.
            topic = named[0].entity_id
            subject = born[0] if born else named[-1 if is_chinese else 0].entity_id
    found.meeting_counts = dict(met)
    return found


def _meant(mentions: list[Mention], reading: Reading | None, finder: NameFinder | None) -> list[Mention]:
    """Return the names of a chapter and the pronouns and nouns that stand for them, none inside another."""
    if reading is None or finder is None:
        return mentions
    known = set(finder.names)
    found: list[Mention] = []
    for one in sorted([*mentions, *reading.mentions(known)], key=lambda one: (one.start, -one.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return found


def _spoken(speeches: list[Speech], reading: Reading, finder: NameFinder) -> list[Speech]:
    """Return the quotations with the speakers that the models tell, where no sentence states them."""
    names = reading.names(set(finder.names))
    found = []
    for one, speaker in zip(speeches, reading.speakers, strict=True):
        if one.how == "stated" or speaker is None:
            found.append(one)
        else:
            # Somebody without a name is better unknown than the nearest name.
            name = names[speaker]
            found.append(Speech(one.start, one.end, name, "read" if name else "unknown"))
    return found


def _is_spoken(speeches: list[Speech], place: int) -> bool:
    at = bisect_left(speeches, place, key=lambda one: one.start)
    return at > 0 and place < speeches[at - 1].end


def _inside(spans: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    return spans[bisect_left(spans, (start, start)) : bisect_left(spans, (end, end))]


def within(mentions: list[Mention], start: int, end: int) -> list[Mention]:
    """Return the mentions inside a span; they are in order."""
    low, high = 0, len(mentions)
    while low < high:
        middle = (low + high) // 2
        if mentions[middle].start < start:
            low = middle + 1
        else:
            high = middle
    kept = []
    for one in mentions[low:]:
        if one.end > end:
            break
        kept.append(one)
    return kept


def _meet(found: ChapterAnalysis, met: Counter[str], named: list[Mention], start: int, end: int) -> None:
    people = list(dict.fromkeys(one.entity_id for one in named))
    for index, one in enumerate(people):
        for other in people[index + 1 :]:
            key = "\t".join(sorted((one, other)))
            met[key] += 1
            if met[key] == 1:
                found.meetings.append((one, other, start, end))


def _pairs(found: ChapterAnalysis, text: str, named: list[Mention]) -> None:
    for one, other in itertools.pairwise(named):
        between = text[one.end : other.start]
        if one.entity_id != other.entity_id and _JOINED.match(between):
            pair = sorted((one.entity_id, other.entity_id))
            found.apart.append((pair[0], pair[1]))
        elif (
            one.entity_id != other.entity_id
            and _STATED.fullmatch(between)
            and not _OWNS.match(text, other.end)
        ):
            found.aliases.append((other.entity_id, one.entity_id, one.start, other.end))
    for other in named:
        # 李氏…取名为李纨.
        lady = next((one for one in named if one.entity_id == f"{surname_of(other.entity_id)}氏"), None)
        if lady and lady.end < other.start and _NAMED.search(text[lady.end : other.start]):
            found.aliases.append((other.entity_id, lady.entity_id, lady.start, other.end))
