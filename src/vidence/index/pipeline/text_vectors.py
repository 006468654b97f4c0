"""The stage `text_vectors`: the meaning of what was captioned, said, read and named, as vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vidence.index.narrate.assemble import facts_of
from vidence.index.narrate.evidence import gather
from vidence.index.narrate.facts import ShotFacts
from vidence.index.pipeline.job import Job
from vidence.schema.observations import Caption, TextSeen
from vidence.schema.speech import Utterance
from vidence.schema.time import TimeRange
from vidence.store import VectorRow

__all__ = ["run_text_vectors", "split_label"]

_BATCH = 32
_MIN_TEXT = 0.7
_MIN_CAPTION = 0.4
"""A caption that only says nothing could be named would be found by every question."""
_SEPARATOR = ": "


@dataclass(frozen=True)
class _Entry:
    start_time: float
    end_time: float
    source: str
    text: str


def run_text_vectors(job: Job) -> None:
    """Embed every text about the video once; a resumed run goes on after the last batch kept."""
    writer = job.writer("text_vectors")
    entries = sorted(_entries(job), key=lambda entry: (entry.start_time, entry.source, entry.text))
    done = int(writer.cursor) if isinstance(writer.cursor, int | float) else 0
    for first in range(done, len(entries), _BATCH):
        job.check()
        batch = entries[first : first + _BATCH]
        vectors = job.shelf.text.embed([entry.text for entry in batch])
        rows = [
            VectorRow(entry.start_time, entry.end_time, f"{entry.source}{_SEPARATOR}{entry.text}", vector)
            for entry, vector in zip(batch, vectors, strict=True)
        ]
        fraction = (first + len(batch)) / len(entries)
        writer.commit(vectors=rows, upto_s=fraction * job.duration_s, cursor=first + len(batch))
        job.progress("text_vectors", fraction)
    writer.finish()


def split_label(label: str) -> tuple[str, str]:
    """Return the source (caption, speech, text, seen) and the text a vector stands for."""
    source, _, text = label.partition(_SEPARATOR)
    return source, text


def _entries(job: Job) -> Iterable[_Entry]:
    load = job.store.observations.load
    for caption in load(job.video_id, "captions", Caption):
        if caption.confidence < _MIN_CAPTION:
            continue
        for text in (caption.en, caption.zh):
            yield _Entry(caption.start_time, caption.end_time, "caption", text)
    for said in load(job.video_id, "transcript", Utterance):
        if said.text.strip():
            yield _Entry(said.start_time, said.end_time, "speech", said.text.strip())
    yield from _read(load(job.video_id, "ocr", TextSeen))
    for segment in job.store.segments.load(job.video_id, "fine"):
        span = TimeRange(start_time=segment.start_time, end_time=segment.end_time)
        facts = facts_of(span, gather(job.store, job.video_id, span), has_sound=True)
        for text in _named(facts.shots[0]):
            yield _Entry(segment.start_time, segment.end_time, "seen", text)


def _read(rows: Sequence[TextSeen]) -> Iterable[_Entry]:
    """Yield each line of text once, from when it is first read to when it is last."""
    spans: dict[str, tuple[float, float]] = {}
    for row in rows:
        for line in row.lines:
            if line.confidence >= _MIN_TEXT and line.text.strip():
                start, _ = spans.get(line.text.strip(), (row.start_time, 0.0))
                spans[line.text.strip()] = (start, row.end_time)
    return [_Entry(start, end, "text", text) for text, (start, end) in spans.items()]


def _named(shot: ShotFacts) -> list[str]:
    """Return the words for what a shot holds: each thing with its colour, people, actions."""
    words = [f"{thing.colour} {thing.name.en}" if thing.colour else thing.name.en for thing in shot.things]
    words += ["people" if shot.people.count > 1 else "person"] if shot.people else []
    return list(dict.fromkeys([*words, *(action.en for action in shot.actions)]))
