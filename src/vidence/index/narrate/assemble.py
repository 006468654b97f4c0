"""From evidence to facts, shot by shot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from vidence.index.narrate.evidence import SampledFrame, ShotEvidence
from vidence.index.narrate.facts import (
    CameraMove,
    Facts,
    Heard,
    Name,
    People,
    PictureStyle,
    Setting,
    ShotFacts,
    Thing,
)
from vidence.index.narrate.naming import sound_name
from vidence.index.narrate.paths import camera_shift
from vidence.index.narrate.people import ShotMotion, find_people
from vidence.index.narrate.scene import actions_in, setting_of
from vidence.index.narrate.things import find_things, shown_things
from vidence.index.narrate.words import read_texts, said
from vidence.index.scene.kind import MadeKind, mean_scores
from vidence.schema.observations import FrameSeen, MotionSeen, SoundEvent
from vidence.schema.time import TimeRange

__all__ = ["NARRATOR_ID", "camera_move", "facts_of", "shot_facts"]

NARRATOR_ID = "narrator@3"

_MOVING = 0.018
"""Speed, in pictures a second, below which a camera counts as still."""
_SHAKY = 0.06
_STIRRING = 0.08
_GREY = 0.03
_DARK, _BRIGHT = 0.2, 0.75
_BLANK, _CAPTIONED = 0.025, 0.06
"""Contrast of a plain picture, and of one with a line of text in it."""
_COLOUR_SHARE, _MOSTLY, _PLAIN = 0.3, 0.5, 0.93
"""Shares of the picture: of a colour worth naming, of its main colours together, of a plain background."""
_MIN_SOUND = 0.5
_SILENT_SHARE = 0.85
_HOUSEHOLD = frozenset({"kitchenware", "furniture", "electronics", "appliance", "tableware", "indoor"})
_UNSAID = frozenset({"speech", "silence", "clipping"})


def facts_of(span: TimeRange, shots: Sequence[ShotEvidence], *, has_sound: bool) -> Facts:
    """Return the facts about a span."""
    times = {time for shot in shots for time in shot.frame_times}
    return Facts(span, tuple(shot_facts(shot) for shot in shots), len(times), has_sound)


def shot_facts(shot: ShotEvidence) -> ShotFacts:
    """Return the facts about one shot."""
    pan = camera_shift((row.dx, row.end_time - row.start_time) for row in shot.motion)
    stirring = _mean(row.activity for row in shot.motion) >= _STIRRING
    stir = ShotMotion(shot.span, pan, stirring, shot.tracks)
    drawn = mean_scores([view.drawn for view in shot.views])
    kind = drawn.kind
    people = find_people(shot.samples, stir) if shot.samples else None
    things = find_things(shot.samples, pan=pan) if shot.samples else []
    if drawn.is_doubted:
        # A person in a window of a screen is real; what merely may be one is mostly an icon.
        people, things = people if people and people.sure else None, shown_things(things)
    texts, text_score, is_central = read_texts(shot.texts)
    style = _style(shot.samples, kind)
    return ShotFacts(
        span=shot.span,
        people=people,
        things=tuple(things),
        # On a plain colour no camera motion can be seen, and what was not filmed had no camera.
        camera=None if style.blank or kind else camera_move(shot.motion),
        is_moving=stirring,
        style=style,
        setting=Setting() if drawn.is_doubted else _setting(shot, things, people),
        actions=_actions(shot, things) if people and not drawn.is_doubted else (),
        texts=tuple(texts),
        # A screen has many large words; none of them is its title.
        is_title=is_central and people is None and not things and style.kind != "screen",
        text_score=text_score,
        said=said(shot.utterances, is_heard=any(e.event_type == "speech" for e in shot.sounds)),
        sounds=_sounds(shot.sounds),
        is_silent=_silent(shot.sounds, shot.span),
    )


def camera_move(rows: Sequence[MotionSeen]) -> CameraMove | None:
    """Return the main camera motion; None when the picture has too little texture to measure it."""
    rows = [row for row in rows if row.reliable]
    if not rows:
        return None
    # The median: a large object that passes for a second must not count as camera motion.
    dx, dy, zoom = (median(getattr(row, axis) for row in rows) for axis in ("dx", "dy", "zoom"))
    speeds = {"pan": abs(dx), "tilt": abs(dy), "zoom": abs(zoom)}
    kind = max(speeds, key=lambda name: speeds[name])
    shake = _mean(row.shake for row in rows)
    if shake >= _SHAKY and shake > speeds[kind]:
        return "handheld"
    if speeds[kind] < _MOVING:
        return "static"
    if kind == "pan":
        return "pan_right" if dx > 0 else "pan_left"
    if kind == "tilt":
        return "tilt_down" if dy > 0 else "tilt_up"
    return "zoom_in" if zoom > 0 else "zoom_out"


def _setting(shot: ShotEvidence, things: Sequence[Thing], people: People | None) -> Setting:
    """Return the setting, or an empty one if the evidence is weak."""
    found = setting_of(shot.views)
    bare = found.location.en if found.location else None
    # A grey wall behind household things looks like sky, and a close texture like a wall.
    household = any(thing.sure and thing.kind in _HOUSEHOLD for thing in things)
    doubted = household if bare == "outdoors" else bare == "indoors" and not things and people is None
    return Setting() if doubted else found


def _actions(shot: ShotEvidence, things: Sequence[Thing]) -> tuple[Name, ...]:
    sure = frozenset({"person"}).union(*(thing.words for thing in things if thing.sure))
    frames = [(sample.time_s, sample.objects, sample.labels) for sample in shot.samples]

    def is_spoken(time_s: float) -> bool:
        return any(row.start_time <= time_s <= row.end_time for row in shot.utterances)

    return actions_in(shot.span, frames, shot.clips, speech=is_spoken, sure=sure)


def _style(samples: Sequence[SampledFrame], kind: MadeKind | None) -> PictureStyle:
    rows = [(sample.frame, max(sample.seconds, 0.01)) for sample in samples if sample.frame]
    if not rows:
        return PictureStyle(kind=kind)
    total = sum(seconds for _, seconds in rows)
    shares: dict[str, float] = defaultdict(float)
    for row, seconds in rows:
        for colour in row.colours:
            shares[colour.label] += colour.score * seconds / total
    brightness = sum(row.brightness * seconds for row, seconds in rows) / total
    colours = sorted((name for name in shares if shares[name] >= _COLOUR_SHARE), key=lambda n: -shares[n])
    named = colours[:2] if sum(shares[name] for name in colours[:2]) >= _MOSTLY else []
    blank = all(_is_blank(row) for row, _ in rows)
    return PictureStyle(
        grey=max(row.saturation for row, _ in rows) < _GREY,
        light="dark" if brightness < _DARK else "bright" if brightness > _BRIGHT else None,
        colours=tuple(named),
        blank=blank,
        kind=None if blank else kind,
    )


def _is_blank(row: FrameSeen) -> bool:
    """Tell whether a frame has one plain colour, except for a caption."""
    top = row.colours[0].score if row.colours else 0.0
    return row.contrast < _BLANK or (row.contrast < _CAPTIONED and top >= _PLAIN)


def _sounds(events: Iterable[SoundEvent]) -> tuple[Heard, ...]:
    heard = [
        sound_name(event.event_type, event.description)
        for event in events
        if event.event_type not in _UNSAID and event.confidence >= _MIN_SOUND
    ]
    return tuple(dict.fromkeys(heard))


def _silent(events: Iterable[SoundEvent], span: TimeRange) -> bool:
    quiet = sum(
        min(event.end_time, span.end_time) - max(event.start_time, span.start_time)
        for event in events
        if event.event_type == "silence"
    )
    return quiet >= _SILENT_SHARE * span.duration_s


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0
