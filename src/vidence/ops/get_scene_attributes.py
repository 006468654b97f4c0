"""API-6 `get_scene_attributes`: where and in what light a scene is, and how the camera sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer

from vidence.index.pipeline.frame import FRAME_SIDE, AnalysedFrame
from vidence.index.scene.kind import KIND_ID, score_kind
from vidence.index.scene.likeness import places_of
from vidence.index.scene.pixels import read_pixels
from vidence.index.scene.place import SceneEvidence, Side, lighting, place, side, time_of_day, weather
from vidence.media import VideoReader
from vidence.models.shelf import ModelShelf
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.queries.camera import CAMERA_FRAME, CAMERA_MOTION_ID, camera_angle, camera_path, name_motion
from vidence.schema.perception import Detection
from vidence.schema.time import Seconds, TimeRange

__all__ = ["OPERATION", "GetSceneAttributesRequest", "GetSceneAttributesResult", "SceneAttribute"]

SceneAttribute = Literal["location", "lighting", "time_of_day", "weather", "camera_angle", "camera_motion"]
ATTRIBUTES: tuple[SceneAttribute, ...] = get_args(SceneAttribute)

_PLACE_ID = "scene-rules@4"
_AROUND_S = 1.2
"""Camera motion is measured over this time before and after."""
_WATCH_FPS = 5.0
_SUBJECTS = ("person", "car", "bicycle", "motorcycle", "dog", "cat", "horse", "bus", "truck", "boat", "bird")
_MAX_SUBJECT, _MAX_SUBJECT_SIDE = 0.45, 0.7


class GetSceneAttributesRequest(Request):
    """When to look, and what to tell."""

    timestamp: Seconds = Field(description="Time of the frame, in seconds from the beginning of the video.")
    attributes: list[SceneAttribute] | None = Field(
        default=None, min_length=1, description="Which attributes to return; all if not given."
    )

    @field_validator("attributes", mode="before")
    @classmethod
    def _suggest(cls, value: Any) -> Any:
        for name in value if isinstance(value, list) else ():
            if isinstance(name, str) and name not in ATTRIBUTES:
                near = get_close_matches(name, ATTRIBUTES, n=1, cutoff=0.4)
                hint = f"did you mean {near[0]!r}? " if near else ""
                raise ValueError(f"unknown attribute {name!r}; {hint}Known: {', '.join(ATTRIBUTES)}")
        return value


class GetSceneAttributesResult(Result):
    """The attributes asked for; null where it cannot be known."""

    location: str | None = Field(
        default=None,
        description="indoor_kitchen, outdoor_street, …; indoor or outdoor if no more is known.",
    )
    lighting: str | None = Field(
        default=None, description="natural_bright, natural_dim, artificial_bright, artificial_dim, dark, …"
    )
    time_of_day: str | None = Field(default=None, description="daytime, night, dawn or dusk; outdoors only.")
    weather: str | None = Field(
        default=None, description="sunny, cloudy, rainy or snowy; only outdoors with sky or ground in view."
    )
    camera_angle: str | None = Field(default=None, description="close_up, medium_shot, full_shot, long_shot.")
    camera_motion: str | None = Field(
        default=None, description="static, pan, tilt, zoom, tracking or handheld."
    )

    # A return type here would replace the fields in the JSON Schema.
    @model_serializer(mode="wrap")
    def _asked_only(self, handler: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]
        return {name: value for name, value in handler(self).items() if name in self.model_fields_set}


def run(context: OpContext, request: GetSceneAttributesRequest) -> GetSceneAttributesResult:
    """Analyse the frame itself and the camera motion around it."""
    time_s = context.check_time(request.video_id, request.timestamp)
    asked = request.attributes or list(ATTRIBUTES)
    with context.open(request.video_id) as reader:
        view = _View(context, reader, time_s, _shot_around(context, request.video_id, time_s))
        told: dict[str, str | None] = {name: view.tell(name) for name in asked}
    return GetSceneAttributesResult.model_validate(told)


@dataclass
class _View:
    """One moment of a video; each measurement is made on first use."""

    context: OpContext
    reader: VideoReader
    time_s: float
    shot: TimeRange

    def tell(self, name: SceneAttribute) -> str | None:
        """Return one attribute."""
        if name == "camera_motion":
            return self._motion()
        if name == "camera_angle":
            return self._angle()
        self.context.used(_PLACE_ID)
        return {"location": place, "lighting": lighting, "time_of_day": time_of_day, "weather": weather}[
            name
        ](self._evidence, self._side)

    @property
    def _shelf(self) -> ModelShelf:
        return self.context.shelf

    @cached_property
    def _look(self) -> AnalysedFrame:
        picture = next(self.reader.at([self.time_s]))
        for model_id in (self._shelf.detector.model_id, self._shelf.labeller.model_id):
            self.context.used(model_id)
        return AnalysedFrame(picture.time_s, picture.rgb(max_side=FRAME_SIDE), self._shelf)

    @cached_property
    def _evidence(self) -> SceneEvidence:
        encoder = self._shelf.lens.encoder
        vector = encoder.encode_images(self._look.labels.feature[None])[0]
        for model_id in (encoder.model_id, KIND_ID):
            self.context.used(model_id)
        image = self._look.image
        return SceneEvidence.gather(
            self._look.detections,
            self._labels,
            read_pixels(image),
            place_scores=places_of(self._shelf, vector),
            drawn=score_kind(image, vector),
        )

    @property
    def _labels(self) -> dict[str, float]:
        return {item.label: item.score for item in self._look.labels.scores}

    @cached_property
    def _side(self) -> Side | None:
        return side(self._evidence)

    def _angle(self) -> str | None:
        look = self._look
        people = [i for i in look.poses if look.detections[i].category == "person"]
        if self._evidence.kind is not None and not people:
            return None
        largest = max(people, key=lambda i: look.detections[i].box.area, default=None)
        self.context.used(self._shelf.pose.model_id)
        return camera_angle(
            look.detections,
            None if largest is None else look.poses[largest],
            aspect=look.aspect,
            labels=self._labels,
            sky=self._evidence.sky,
        )

    def _motion(self) -> str | None:
        start, end = self.shot.start_time, self.shot.end_time
        count = max(3, round((end - start) * _WATCH_FPS))
        times = list(np.linspace(start, end, count, endpoint=False))
        frames: list[tuple[float, NDArray[np.uint8]]] = []
        ends: list[list[Detection]] = []
        for index, picture in enumerate(self.reader.at(times)):
            frames.append((picture.time_s, picture.gray(size=CAMERA_FRAME)))
            if index in (0, count - 1):
                ends.append(self._shelf.detector.detect([picture.rgb(max_side=FRAME_SIDE)])[0])
        self.context.used(CAMERA_MOTION_ID)
        path = camera_path([frame for i, frame in enumerate(frames) if not i or frame[0] > frames[i - 1][0]])
        if path is None:
            return None
        return name_motion(path, subject_shift=_shift(ends[0], ends[-1], times[-1] - times[0]))


def _shot_around(context: OpContext, video_id: str, time_s: float) -> TimeRange:
    """Return a short span around the moment, within its shot if the shots are known."""
    duration_s = context.video(video_id).info.duration_s
    start, end = max(0.0, time_s - _AROUND_S), min(duration_s, time_s + _AROUND_S)
    shots = context.store.segments.load(video_id, "fine")
    here = next((shot for shot in shots if shot.start_time <= time_s < shot.end_time), None)
    if here is not None:
        start, end = max(start, here.start_time), min(end, here.end_time)
    return TimeRange(start_time=start, end_time=max(end, start + 0.05))


def _shift(before: Sequence[Detection], after: Sequence[Detection], seconds: float) -> float | None:
    """Return the speed of the main subject in the picture; None if it is not found at both ends."""
    mains = [
        max(filter(_can_be_followed, found), key=lambda one: one.box.area, default=None)
        for found in (before, after)
    ]
    if mains[0] is None or mains[1] is None or mains[0].category != mains[1].category or seconds <= 0:
        return None
    (x0, y0), (x1, y1) = mains[0].box.centre, mains[1].box.centre
    return float(np.hypot(x1 - x0, y1 - y0)) / seconds


def _can_be_followed(one: Detection) -> bool:
    # The box of an object cut off at both sides stays in place whatever the camera does.
    return one.category in _SUBJECTS and one.box.area < _MAX_SUBJECT and one.box.w < _MAX_SUBJECT_SIDE


OPERATION = Operation(
    name="get_scene_attributes",
    category="perception",
    purpose=(
        "Get the attributes of a scene at one time: location, lighting, time of day, weather, camera angle "
        "and camera motion."
    ),
    request=GetSceneAttributesRequest,
    result=GetSceneAttributesResult,
    run=run,
    version=4,
    also_reads=("shots",),
    capabilities=("objects", "image_labels", "pose"),
    notes=(
        "The location is derived from the objects and labels of the frame and from sky, greenery and ground "
        "in its pixels, with the tables `language/data/places.tsv` and `scene_sides.tsv`: first indoor or "
        "outdoor, then the kind of place. Time of day and weather are given outdoors only. Camera motion is "
        "measured on the background over up to 2.4 s around the time, within the shot. Unknown values are "
        "null; a screen recording, a slide, a drawing or a graphic has no place, light, time or weather."
    ),
    example={"timestamp": 1.0},
    span=lambda request: TimeRange.moment(request.timestamp),
)
