"""API-4 `detect_objects`: what is in the picture at a time, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import Annotated, Any

from pydantic import Field, model_validator

from vidence.errors import OpRetry
from vidence.language.categories import category_words, group_names
from vidence.language.objects import ObjectQuery, parse_query, resolve_asked
from vidence.media import DecodedFrame
from vidence.models.shelf import ModelShelf
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.ops.runner import Outcome, run_operation
from vidence.ops.validate import validate_request
from vidence.queries.objects.frame import CLOSE_SIDE, FrameObjects
from vidence.queries.objects.match import Measured, match_score, pick_extremes
from vidence.queries.objects.notes import looked_for, query_note
from vidence.queries.objects.open_names import find_names, listed_names, open_words, own_category, own_names
from vidence.queries.objects.reading import VOCABULARY, asks_for_text, likely_words, read_lines
from vidence.schema.frozen import Frozen
from vidence.schema.observations import NormalBox
from vidence.schema.perception import Box, Detection
from vidence.schema.time import Seconds, TimeRange

__all__ = [
    "OPERATION",
    "DetectObjectsRequest",
    "DetectObjectsResult",
    "DetectedObject",
    "detect_in",
    "detect_many",
    "earlier_objects",
    "number_objects",
    "same_object",
    "times_of",
]

_MIN_MATCH = 0.4
_RECORDS = 500
_SAME_FRAME_S = 0.0015
_SHOWN_S = 2.0
_SAME_IOU = 0.9

Words = Annotated[str, Field(min_length=1, max_length=200)]


class DetectObjectsRequest(Request):
    """When to look, and for what."""

    timestamp: Seconds = Field(description="Time of the frame, in seconds from the beginning of the video.")
    category: Words | None = Field(
        default=None,
        description="Only objects of this category or group: person, vehicle, animal, food, chair, dog, …",
    )
    query: Words | None = Field(
        default=None,
        description="Only objects that match this phrase, such as 'person wearing red' or 'car on the left'. "
        "Give category or query, not both.",
    )
    worn: bool = Field(
        default=False,
        description="Also tell what people wear: headwear, tie, sleeves, legwear, pattern.",
    )
    confidence_threshold: float = Field(
        default=0.3, ge=0, le=1, allow_inf_nan=False, description="Leave out objects with a lower confidence."
    )

    @model_validator(mode="after")
    def _either(self) -> DetectObjectsRequest:
        if self.category is not None and self.query is not None:
            raise ValueError("give category or query, not both")
        return self


class DetectedObject(Frozen):
    """One object."""

    object_id: str = Field(
        description="Id of the object within its frame, the same in every result; register_entity accepts it."
    )
    category: str
    bbox: NormalBox
    confidence: float
    attributes: dict[str, str] = Field(
        default_factory=dict,
        description="Attributes measured in its pixels: clothing_color, color, size, posture, …",
    )


class DetectObjectsResult(Result):
    """The objects, the surest first."""

    timestamp: float = Field(description="Time of the frame that was used.")
    objects: list[DetectedObject]
    note: str | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="Present only when part of the query could not be checked: says which.",
    )


def run(context: OpContext, request: DetectObjectsRequest) -> DetectObjectsResult:
    """Decode the frame at that time and detect its objects."""
    time_s = context.check_time(request.video_id, request.timestamp)
    with context.open(request.video_id) as reader:
        return detect_in(context, request, next(reader.at([time_s])))


def detect_in(
    context: OpContext, request: DetectObjectsRequest, picture: DecodedFrame
) -> DetectObjectsResult:
    """Answer the request from a frame already decoded."""
    shelf = context.shelf
    asked = None if request.category is None else _asked_category(request.category, shelf)
    query = None if request.query is None else parse_query(request.query)
    frame = FrameObjects(
        picture.time_s,
        picture.rgb(max_side=CLOSE_SIDE),
        shelf,
        worn=request.worn or (query is not None and query.asks_worn),
    )
    threshold = request.confidence_threshold
    note = None
    words = None if query is None else open_words(query, shelf)
    if query is not None and query.head is None and words is None:
        # A user-configured detector may have a category that no rule knows.
        asked = own_category(query.text, shelf)
    if query is None or asked is not None:
        found = [frame.measure(one) for one in frame.find(asked) if one.confidence >= threshold]
    elif words is not None:
        found = _open_vocabulary(context, frame, query, words, threshold)
    elif query.head is None and asks_for_text(query.text):
        found = _texts(context, frame, threshold)
    elif query.head is None or len(listed_names(query.text)) > 1:
        found, note = _by_name(context, frame, query, threshold), looked_for(query)
    else:
        found, note = _matching(frame, query, threshold)
    for model_id in frame.models:
        context.used(model_id)
    time_s = round(picture.time_s, 3)
    objects = number_objects(found, earlier_objects(context, request.video_id, time_s))
    return DetectObjectsResult(timestamp=time_s, objects=objects, note=note)


def detect_many(
    context: OpContext, video_id: str, timestamps: Sequence[float], **arguments: Any
) -> list[Outcome[DetectObjectsResult]]:
    """Run the operation at many times in one pass over the video; results in the order of `timestamps`."""
    video_id = context.store.catalogue.resolve(video_id).video_id
    calls = [{"video_id": video_id, "timestamp": time, **arguments} for time in timestamps]
    # Mistakes are found before any frame is decoded.
    asked = [float(validate_request(OPERATION, call).timestamp) for call in calls]
    places = dict(sorted((time, context.check_time(video_id, time)) for time in asked))
    outcomes: dict[float, Outcome[DetectObjectsResult]] = {}
    with context.open(video_id) as reader:
        for time, picture in zip(places, reader.at(list(places.values())), strict=True):
            look = replace(OPERATION, run=partial(_detect_again, picture))
            call = {"video_id": video_id, "timestamp": time, **arguments}
            outcomes[time] = run_operation(look, call, replace(context, models=[]))
    return [outcomes[time] for time in asked]


def earlier_objects(context: OpContext, video_id: str, time_s: float) -> list[DetectedObject]:
    """Return what earlier results detected in the frame shown at a time, the latest first."""
    # A frame may be shown for long, so the times that were asked for lie around its own.
    around = TimeRange(start_time=max(0.0, time_s - _SHOWN_S), end_time=time_s + _SHOWN_S)
    results = context.store.results
    records = results.records(video_id=video_id, operation=OPERATION.name, within=around, limit=_RECORDS)
    found: list[DetectedObject] = []
    for result_hash in dict.fromkeys(record.result_hash for record in records):
        text = results.result(result_hash)
        result = None if text is None else DetectObjectsResult.model_validate_json(text)
        if result is not None and abs(result.timestamp - time_s) <= _SAME_FRAME_S:
            found += result.objects
    return found


def times_of(context: OpContext, video_id: str, object_id: str) -> list[float]:
    """Return the times of the recent frames that have an object with this id, the latest first."""
    results = context.store.results
    times = []
    for record in results.records(video_id=video_id, operation=OPERATION.name, limit=_RECORDS):
        text = results.result(record.result_hash)
        result = None if text is None else DetectObjectsResult.model_validate_json(text)
        if result is not None and any(one.object_id == object_id for one in result.objects):
            times.append(result.timestamp)
    return list(dict.fromkeys(times))


def _detect_again(
    picture: DecodedFrame, context: OpContext, request: DetectObjectsRequest
) -> DetectObjectsResult:
    return detect_in(context, request, picture)


def _asked_category(text: str, shelf: ModelShelf) -> frozenset[str]:
    categories = resolve_asked(text) or own_category(text, shelf)
    if categories is not None:
        return categories
    # Compare within one script: Chinese words are so short that one shared character is a close match.
    words = [word for word in (*own_names(shelf), *category_words()) if word.isascii() == text.isascii()]
    near = get_close_matches(text.lower(), words, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(repr(word) for word in near)}? " if near else ""
    raise OpRetry(
        f"Unknown category {text!r}. {hint}Groups: {', '.join(group_names())}. "
        "For free words use query instead of category."
    )


def _matching(frame: FrameObjects, query: ObjectQuery, threshold: float) -> tuple[list[Measured], str | None]:
    """Return the matching objects, with confidence times match, and a note on what could not be checked."""
    clauses = (query, *query.denied)
    parts = [part for one in clauses for part in (one.head, *one.companions) if part is not None]
    wanted = frozenset().union(*(part.categories for part in parts))
    things = [frame.measure(one) for one in frame.find(wanted)]
    scored = [(match_score(query, thing, things), thing) for thing in things]
    fits = [_weakened(thing, score) for score, thing in scored if score >= _MIN_MATCH]
    sure = [thing for thing in fits if thing.found.confidence >= threshold]
    found = sorted(pick_extremes(query, sure), key=lambda thing: -thing.found.confidence)
    seen = [thing for thing in things if thing.found.confidence >= threshold]
    return found, query_note(query, seen, found)


def _open_vocabulary(
    context: OpContext, frame: FrameObjects, query: ObjectQuery, words: str, threshold: float
) -> list[Measured]:
    """Run the open-vocabulary detector."""
    detector = context.shelf.open_detector
    context.used(detector.model_id)
    answers = detector.detect_query([frame.image], [words])[0]
    found = [Detection(query.text, one.confidence, one.box) for one in answers]
    return [frame.measure(_named(one, query)) for one in found if one.confidence >= threshold]


def _texts(context: OpContext, frame: FrameObjects, threshold: float) -> list[Measured]:
    """Read the text of the frame; each line is an object with the attribute `text`."""
    shelf = context.shelf
    context.used(shelf.ocr.model_id)
    found = []
    for line in read_lines(frame.image, shelf.ocr):
        attributes = {"text": line.text}
        likely = likely_words(line.text, shelf.file(*VOCABULARY))
        if likely is not None:
            attributes["may_read"] = likely
        if line.confidence >= threshold:
            found.append(Measured(Detection("text", line.confidence, line.box), attributes))
    return found


def _by_name(context: OpContext, frame: FrameObjects, query: ObjectQuery, threshold: float) -> list[Measured]:
    """Find objects that the detector has no category for; of several names the best match comes first."""
    names = listed_names(query.text)
    shelf, everything = context.shelf, frame.find()
    context.used(shelf.labeller.model_id)
    context.used(shelf.lens.model_id)
    found = []
    for one in find_names(frame.image, names, shelf, detected=everything):
        boxed = any(one.box == each.box for each in everything)
        # A part of the picture is no outline, so its colours are not the object's.
        found.append(frame.measure(one) if boxed else Measured(one, {}))
    return [one for one in found if one.found.confidence >= threshold]


def _named(found: Detection, query: ObjectQuery) -> Detection:
    """Use the plain category of a detection if the query names just one."""
    names = query.head.categories if query.head else frozenset()
    return Detection(next(iter(names)), found.confidence, found.box) if len(names) == 1 else found


def _weakened(thing: Measured, score: float) -> Measured:
    found = thing.found
    return Measured(
        Detection(found.category, found.confidence * score, found.box),
        thing.attributes, thing.upper, thing.lower, thing.body,
    )  # fmt: skip


def number_objects(found: Sequence[Measured], earlier: Sequence[DetectedObject]) -> list[DetectedObject]:
    """Give each object the id it has in earlier results of its frame, or the next one that is free."""
    boxes: dict[str, list[Box]] = {}
    for one in earlier:
        boxes.setdefault(one.object_id, []).append(Box(*one.bbox))
    known = {name: held[0] for name, held in boxes.items() if all(same_object(held[0], one) for one in held)}
    free = 1 + max((int(name.rpartition("_")[2]) for name in boxes), default=0)
    objects = []
    for thing in found:
        box = thing.found.box.rounded()
        object_id = next((name for name, held in known.items() if same_object(held, Box(*box))), None)
        if object_id is None:
            object_id, free = f"obj_tmp_{free:03d}", free + 1
        known.pop(object_id, None)
        objects.append(
            DetectedObject(
                object_id=object_id,
                category=thing.found.category,
                bbox=box,
                confidence=round(thing.found.confidence, 4),
                attributes=dict(thing.attributes),
            )
        )
    return objects


def same_object(one: Box, other: Box) -> bool:
    """Tell whether two boxes of one frame outline the same object."""
    return one.iou(other) >= _SAME_IOU


OPERATION = Operation(
    name="detect_objects",
    category="perception",
    purpose=(
        "Detect the objects in the frame at one time: all, of one category, or matching a phrase, each with "
        "its box, confidence and attributes."
    ),
    request=DetectObjectsRequest,
    result=DetectObjectsResult,
    run=run,
    version=9,
    capabilities=("objects", "pose", "open_objects", "ocr", "image_labels", "image_text", "worn"),
    notes=(
        "Any time is allowed: the frame shown at that time is decoded and searched, first as a whole, then "
        "in tiles if nothing large was found or several small things were. `category` accepts the 80 COCO "
        "names, groups (person, vehicle, animal, food, furniture, …), common synonyms and Chinese names. "
        "`query` is split into category, colour, clothing, the colour of a cap or lid, position, size, "
        "posture, neighbouring objects and negated properties ('not wearing red', 'without an umbrella'). "
        "Each is measured in the frame; the confidence is that of the detection times how well it "
        "matches. `note` lists words that cannot be checked, and how many objects do not show the queried "
        "property. Gender and age are never guessed. A name that is not a category, or a list of names "
        "('a kettle, jug or bottle'), is searched in parts of the frame with the labeller and the "
        "image–text model; positions are then rough and the confidence is modest. With `worn`, or where the "
        "query names headwear, sleeves, a tie or a pattern, a small model of our own tells what people wear; "
        "it says nothing where it is not sure. If the query asks for text, a title or a sign, the frame is "
        "read with OCR: each line is an object with the attribute `text`, and `may_read` where it was "
        "probably misread. If an open-vocabulary detector is "
        "configured (`open_objects`), it answers every query. An object of a frame has the same "
        "`object_id` whichever query found it, and no other object of that frame has it. The embedded "
        "detector reports nothing below 0.25."
    ),
    example={"timestamp": 1.0, "query": "person wearing red"},
    span=lambda request: TimeRange.moment(request.timestamp),
)
