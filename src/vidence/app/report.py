"""What a video holds, to read: the report shot by shot, and the transcript."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from vidence.app import html
from vidence.app.speakers import named_speakers
from vidence.app.workspace import Progress, Workspace
from vidence.index.narrate.assemble import facts_of
from vidence.index.narrate.chinese_nouns import people_phrase as chinese_people
from vidence.index.narrate.chinese_nouns import thing_phrase as chinese_thing
from vidence.index.narrate.english_nouns import people_phrase, thing_phrase
from vidence.index.narrate.evidence import gather
from vidence.index.narrate.facts import ShotFacts
from vidence.index.narrate.phases import shot_captions
from vidence.index.narrate.voice import Language
from vidence.language.warnings import in_words
from vidence.ops.get_temporal_structure import StructureSegment
from vidence.ops.get_video_info import GetVideoInfoResult
from vidence.queries.subtitles import to_srt, to_vtt
from vidence.schema.frozen import Frozen
from vidence.schema.observations import Caption
from vidence.schema.printable import visible
from vidence.schema.speech import Utterance
from vidence.schema.time import TimeRange, format_timecode
from vidence.store import Store

__all__ = ["ShotReport", "Transcript", "VideoReport", "read_transcript", "report", "story_of"]

_DOUBT = {"en": "perhaps ", "zh": "可能有"}
_STAGES = ("shots", "captions", "transcript", "sounds")


class ShotReport(Frozen):
    """The contents of one shot."""

    segment_id: str
    start_time: float
    end_time: float
    caption: str | None
    objects: list[str]
    words: list[str]
    sounds: list[str]
    text: list[str]


class VideoReport(Frozen):
    """A video's facts, scenes and shots."""

    video_id: str
    name: str = Field(exclude=True)
    language: Language = Field(exclude=True)
    info: GetVideoInfoResult
    scenes: tuple[StructureSegment, ...]
    shots: tuple[ShotReport, ...]
    gaps: tuple[str, ...] = Field(default=(), exclude=True)
    """Stages that failed, each with its error."""

    def _repr_html_(self) -> str:
        rows = (
            (
                f"{format_timecode(shot.start_time)}–{format_timecode(shot.end_time)}",
                shot.caption or "–",
                "; ".join([*shot.objects, *shot.sounds]),
                "; ".join([*shot.words, *shot.text]),
            )
            for shot in self.shots
        )
        head = html.paragraph(f"{self.name}, {format_timecode(self.info.duration)}", bold=True)
        return head + html.table(("time", "caption", "seen and heard", "said and written"), rows)


class Transcript(list[Utterance]):
    """What is said in a video, in order."""

    notes: tuple[str, ...] = ()
    """What could not be read of the file and its subtitles."""

    def __str__(self) -> str:
        return "\n".join(
            f"{format_timecode(one.start_time)}  {visible(' '.join(one.text.splitlines()))}" for one in self
        )

    def _repr_html_(self) -> str:
        rows = ((format_timecode(one.start_time), one.speaker or "", one.text) for one in self)
        return html.table(("time", "speaker", "said"), rows)

    def srt(self) -> str:
        """Return it as SubRip subtitles."""
        return to_srt(self)

    def vtt(self) -> str:
        """Return it as WebVTT subtitles."""
        return to_vtt(self)


def report(
    workspace: Workspace, video: str, *, language: Language, progress: Progress | None = None
) -> VideoReport:
    """Return what a video holds, indexing it first where needed; a stage that fails leaves a gap."""
    record = workspace.resolve(video, progress=progress)
    outcomes = workspace.index(record.video_id, stages=_STAGES, progress=progress)
    arguments = {"video_id": record.video_id}
    return VideoReport(
        video_id=record.video_id,
        name=record.name,
        language=language,
        info=workspace.run("get_video_info", arguments).result,
        scenes=workspace.run("get_temporal_structure", arguments).result.segments,
        shots=tuple(_shots(workspace.store, record.video_id, language=language)),
        gaps=(
            *(f"{one.stage}: {one.error}" for one in outcomes if one.error is not None),
            *(in_words(one, language) for one in _warnings(workspace, record.video_id)),
        ),
    )


def read_transcript(workspace: Workspace, video: str, *, progress: Progress | None = None) -> Transcript:
    """Return what is said in a video, transcribing it first where needed."""
    record = workspace.resolve(video, progress=progress)
    workspace.indexer.ensure(record.video_id, ["transcript"], progress=progress)
    names = named_speakers(workspace, record.video_id)
    found = Transcript(
        one.model_copy(update={"speaker": names[one.speaker]}) if one.speaker in names else one
        for one in workspace.store.observations.load(record.video_id, "transcript", Utterance)
    )
    found.notes = _warnings(workspace, record.video_id)
    return found


def _warnings(workspace: Workspace, video_id: str) -> tuple[str, ...]:
    """Return what is known to be wrong with a file, or with the subtitles beside it."""
    return workspace.store.catalogue.get(video_id).info.warnings


def story_of(workspace: Workspace, video: str, *, language: Language | None = None) -> str:
    """Return what a video shows and says as a story, a line each in the order of time."""
    told = workspace.report(video, language=language)
    lines = [(shot.start_time, shot.caption) for shot in told.shots if shot.caption]
    speaker, says = ("有人", "说：“{}”") if told.language == "zh" else ("Somebody", "says “{}”")
    lines += [
        (one.start_time, f"{one.speaker or speaker} {says.format(one.text)}")
        for one in read_transcript(workspace, video)
    ]
    return "\n".join(f"[{format_timecode(start)}] {text}" for start, text in sorted(lines))


def _shots(store: Store, video_id: str, *, language: Language) -> Iterator[ShotReport]:
    """Yield the shots of an indexed video in order; the part of a missing stage stays empty."""
    captions = shot_captions(store.observations.load(video_id, "captions", Caption))
    has_sound = bool(store.catalogue.get(video_id).info.audio)
    for segment in store.segments.load(video_id, "fine"):
        span = TimeRange(start_time=segment.start_time, end_time=segment.end_time)
        facts = facts_of(span, gather(store, video_id, span), has_sound=has_sound)
        shot, caption = facts.shots[0], captions.get(segment.segment_id)
        yield ShotReport(
            segment_id=segment.segment_id,
            start_time=round(segment.start_time, 3),
            end_time=round(segment.end_time, 3),
            caption=None if caption is None else caption.en if language == "en" else caption.zh,
            objects=_objects(shot, language),
            words=list(shot.said.quotes),
            sounds=[sound.en if language == "en" else sound.zh for sound in shot.sounds],
            text=list(shot.texts),
        )


def _objects(shot: ShotFacts, language: Language) -> list[str]:
    found = []
    if shot.people:
        found.append(people_phrase(shot.people) if language == "en" else chinese_people(shot.people))
    for thing in shot.things:
        phrase = thing_phrase(thing) if language == "en" else chinese_thing(thing)
        doubt = "" if thing.sure else _DOUBT[language]
        found.append(doubt + phrase.removeprefix("what may be "))
    return found
