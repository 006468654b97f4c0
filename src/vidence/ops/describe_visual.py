"""API-3 `describe_visual`: a passage in words."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import Field, model_validator

from vidence.index.narrate.assemble import NARRATOR_ID, facts_of
from vidence.index.narrate.captioner import caption_times, captioned
from vidence.index.narrate.describe import Description
from vidence.index.narrate.evidence import gather
from vidence.index.narrate.facts import Facts
from vidence.index.narrate.unseen import analyse_unseen, is_unseen
from vidence.index.scene.likeness import vector_places
from vidence.language.identify import question_language
from vidence.models.protocols import Captioner
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.queries.description.focused import describe_focus
from vidence.queries.search.material import Material
from vidence.queries.visual import answer_words, look, relevance_of, times_to_look
from vidence.schema.frozen import Frozen
from vidence.schema.time import Seconds, TimeRange

__all__ = ["OPERATION", "DescribeVisualRequest", "DescribeVisualResult", "SeenAnswer"]

Language = Literal["en", "zh"]
_QUESTION_MARKS = ("?", "？")


class DescribeVisualRequest(Request):
    """Which passage, how fully, and what to look for."""

    start_time: Seconds = Field(description="Start of the span, in seconds.")
    end_time: Seconds = Field(description="End of the span, in seconds; must be after start_time.")
    detail_level: Literal["brief", "standard", "detailed"] = Field(
        default="standard",
        description="brief: one sentence under 20 words. standard: 2-3 sentences. detailed: more than 5.",
    )
    focus: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        default=None,
        description="What to describe: people, actions, objects, scene, animals, or free words "
        "such as 'the red car'. A question that ends in a question mark is also answered by looking.",
    )
    language: Literal["en", "zh"] | None = Field(
        default=None, description="Language of the description; null follows the focus, else English."
    )

    @model_validator(mode="after")
    def _forwards(self) -> DescribeVisualRequest:
        if self.end_time <= self.start_time:
            raise ValueError(f"end_time ({self.end_time:g}) must be after start_time ({self.start_time:g})")
        return self


class SeenAnswer(Frozen):
    """A short answer to the focus, read off the frames."""

    answer: str
    probability: float = Field(ge=0, le=1, description="Calibrated chance that people would call it right.")
    times: list[float] = Field(description="Times of the frames whose own best answer it is.")


class DescribeVisualResult(Result):
    """The passage in words."""

    description: str
    confidence: float = Field(ge=0, le=1, description="Confidence in the main statements of the description.")
    num_frames_analyzed: int = Field(description="Distinct frames used for the description.")
    answers: list[SeenAnswer] | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="Present only when the focus is a question: what the frames answer, the likeliest first.",
    )


def run(context: OpContext, request: DescribeVisualRequest) -> DescribeVisualResult:
    """Compose the description from the index, or let the configured vision model look."""
    span = context.check_span(request.video_id, request.start_time, request.end_time)
    facts = _facts(context, request.video_id, span)
    context.used(NARRATOR_ID)
    language = request.language or _language(context, request.focus)
    if context.shelf.has("captions"):
        described, frames = _by_captioner(context, request, facts, language)
    else:
        described = describe_focus(facts, request.focus, detail=request.detail_level, language=language)
        frames = facts.frames
    return DescribeVisualResult(
        description=described.text,
        confidence=described.confidence,
        num_frames_analyzed=frames,
        answers=_answers(context, request, facts, language),
    )


def _facts(context: OpContext, video_id: str, span: TimeRange) -> Facts:
    places = vector_places(context.shelf)
    shots = gather(context.store, video_id, span, place_scores=places, tracked=True)
    if any(is_unseen(shot) for shot in shots):
        shelf = context.shelf
        with context.open(video_id) as reader:
            shots = analyse_unseen(shots, reader, shelf)
        for model in (shelf.labeller, shelf.detector, shelf.ocr):
            context.used(model.model_id)
    return facts_of(span, shots, has_sound=bool(context.video(video_id).info.audio))


def _answers(
    context: OpContext, request: DescribeVisualRequest, facts: Facts, language: Language
) -> list[SeenAnswer] | None:
    """Answer a focus that is a question from frames spread over the shots."""
    if request.focus is None or not request.focus.rstrip().endswith(_QUESTION_MARKS):
        return None
    model = context.shelf.visual_answerer
    context.used(model.model_id)
    relevance = relevance_of(
        request.focus, Material(context.store, request.video_id), context.shelf, facts.span
    )
    times = times_to_look(caption_times(facts), relevance)
    with context.open(request.video_id) as reader:
        reply = look(model, reader, request.focus, times, relevance)
    named = [(answer_words(one.text, language), one) for one in reply.answers]
    return [
        SeenAnswer(
            answer=words,
            probability=round(one.probability, 4),
            times=[round(time_s, 3) for time_s in reply.times_of(one.text)],
        )
        for words, one in named
        if words is not None
    ]


def _by_captioner(
    context: OpContext, request: DescribeVisualRequest, facts: Facts, language: Language
) -> tuple[Description, int]:
    captioner = cast("Captioner", context.shelf.get("captions"))
    context.used(captioner.model_id)
    with context.open(request.video_id) as reader:
        images = [picture.rgb() for picture in reader.at(caption_times(facts))]
    described = captioned(
        captioner, images, facts, detail=request.detail_level, language=language, asked=request.focus
    )
    return described, len(images)


def _language(context: OpContext, focus: str | None) -> Language:
    """Return the language of the focus, else that of the settings."""
    if focus and question_language(focus) == "zh":
        return "zh"
    return "zh" if context.settings.language == "zh" else "en"


OPERATION = Operation(
    name="describe_visual",
    category="perception",
    purpose="Describe in words what a span of the video shows: brief, standard or detailed.",
    request=DescribeVisualRequest,
    result=DescribeVisualResult,
    run=run,
    version=9,
    stages=("shots", "motion", "frames", "labels", "objects", "ocr", "transcript", "sounds", "lens_vectors"),
    also_reads=("actions", "tracks"),
    capabilities=("captions", "visual_answers"),
    notes=(
        "The description is composed from the index: people and objects with their number, colour and "
        "position, how they and the camera move, text on screen, speech and sounds, shot by shot. Uncertain "
        "things are marked as uncertain ('what may be a …') or left out. A focus in free words is looked up "
        "among everything that the models can name; if nothing like it was found, the description says so. "
        "If a vision model is configured (capability captions), it describes the frames under the same "
        "rules. `num_frames_analyzed` counts the distinct frames that were used. A focus that is a question, "
        "such as 'What color is the bus?', is also put to the visual answerer on up to eight frames and four "
        "that the question is likely about: `answers` holds its short answers with calibrated probabilities."
    ),
    example={"start_time": 0.0, "end_time": 3.0, "detail_level": "standard"},
    span=lambda request: TimeRange(start_time=request.start_time, end_time=request.end_time),
)
