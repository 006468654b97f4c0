"""The ground truth that lies beside the film; samples/README.md describes every field."""

from __future__ import annotations

from dataclasses import asdict

from samples.studio.camera import things_at
from samples.studio.film import FPS, HEIGHT, WIDTH, Film
from samples.studio.frames import joins_of
from samples.studio.pictures import CREDITS
from samples.studio.soundtrack import Soundtrack, Spoken

__all__ = ["Json", "tell"]

Json = dict[str, "Json"] | list["Json"] | str | float | int


def tell(film: Film, sound: Soundtrack) -> Json:
    """Return everything that is true of the film."""
    return {
        "title": film.title,
        "file": "vidence_sample.mp4",
        "duration": _seconds(film.frame_count),
        "fps": FPS,
        "frame_count": film.frame_count,
        "width": WIDTH,
        "height": HEIGHT,
        "cuts": [_seconds(shot.start) for shot in film.shots[1:] if shot.join.type == "cut"],
        "transitions": _transitions(film),
        "shots": [_shot(film, index) for index in range(len(film.shots))],
        "narration": [_line(spoken) for spoken in sound.spoken],
        "sounds": [{"type": s.type, "start": s.start, "end": s.end} for s in film.sounds],
        "silences": [{"start": start, "end": end} for start, end in sound.silences],
        "on_screen_text": [asdict(caption) for caption in film.captions],
        "credits": [asdict(credit) for credit in CREDITS],
    }


def _line(spoken: Spoken) -> Json:
    line = spoken.line
    return {"start": line.start, "end": spoken.end, "text": line.text, "language": line.language}


def _transitions(film: Film) -> list[Json]:
    return [
        {
            "type": shot.join.type,
            "start": _seconds(shot.start - shot.join.half),
            "end": _seconds(shot.start + shot.join.half),
        }
        for shot in film.shots
        if shot.join.type != "cut"
    ]


def _shot(film: Film, index: int) -> Json:
    shot = film.shots[index]
    return {
        "id": index + 1,
        "start": _seconds(shot.start),
        "end": _seconds(shot.end),
        "picture": shot.picture,
        "camera_motion": shot.motion,
        "labels": list(shot.labels),
        "description": {"en": shot.description_en, "zh": shot.description_zh},
        "objects": _objects(film, index),
    }


def _objects(film: Film, index: int) -> list[Json]:
    """Return the objects of a shot, boxed a quarter, half and three quarters of the way through it."""
    shot = film.shots[index]
    lead, tail = joins_of(film, index)
    rows: list[Json] = []
    for quarter in (1, 2, 3):
        frame = shot.start + (shot.end - shot.start) * quarter // 4
        rows += [
            {"label": thing.label, "time": _seconds(frame), "box": list(box), "colors": list(thing.colors)}
            for thing, box in things_at(shot, frame, lead=lead, tail=tail)
        ]
    return rows


def _seconds(frame: int) -> float:
    return round(frame / FPS, 3)
