"""From the evidence of a shot to its facts: light, colours, sounds, setting, titles and the camera."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vidence.index.narrate.assemble import camera_move, facts_of, shot_facts
from vidence.index.narrate.evidence import SampledFrame, ShotEvidence
from vidence.index.narrate.facts import PictureStyle, ShotFacts
from vidence.index.scene.kind import KindScores
from vidence.index.scene.pixels import PixelFacts
from vidence.index.scene.place import SceneEvidence
from vidence.schema.observations import (
    FrameSeen,
    MotionSeen,
    SeenObject,
    SeenText,
    SoundEvent,
    TextSeen,
)
from vidence.schema.time import TimeRange

SPAN = TimeRange(start_time=0, end_time=4)
PIXELS = PixelFacts(0.5, 0.05, 0.2, 0.2, 0, 0, 0, 0, 0, 0, 0, 0)


def _sample(
    time_s: float = 0.0, seconds: float = 1.0, *, brightness: float = 0.5, saturation: float = 0.5
) -> SampledFrame:
    row = FrameSeen(
        start_time=time_s,
        end_time=time_s + seconds,
        thumbnail="-",
        brightness=brightness,
        contrast=0.2,
        saturation=saturation,
        sharpness=1,
    )
    return SampledFrame(time_s, seconds, frame=row)


def _seen(*names: str) -> tuple[SampledFrame, ...]:
    found = tuple(SeenObject(category=n, confidence=0.9, bbox=(0.4, 0.4, 0.2, 0.3)) for n in names)
    return tuple(SampledFrame(float(time), 1.0, objects=found) for time in range(4))


def _style(*samples: SampledFrame) -> PictureStyle:
    return shot_facts(ShotEvidence(SPAN, samples=samples)).style


def _motion(**speeds: float) -> MotionSeen:
    still = MotionSeen(start_time=0, end_time=1, dx=0, dy=0, zoom=0, shake=0, activity=0)
    return still.model_copy(update=speeds)


@pytest.mark.parametrize(("brightness", "light"), [(0.1, "dark"), (0.5, None), (0.8, "bright")])
def test_light_is_named_only_when_it_is_unusual(brightness: float, light: str | None) -> None:
    assert _style(_sample(brightness=brightness)).light == light


def test_light_is_weighted_by_how_long_a_frame_stands() -> None:
    assert _style(_sample(0, 3.8, brightness=0.1), _sample(3.8, 0.2, brightness=0.9)).light == "dark"
    assert _style(_sample(0, 2, brightness=0.1), _sample(2, 2, brightness=0.9)).light is None


def test_one_coloured_frame_makes_a_shot_coloured() -> None:
    assert _style(_sample(saturation=0.01), _sample(1, saturation=0.02)).grey
    assert not _style(_sample(saturation=0.01), _sample(1, saturation=0.4)).grey


def test_without_frames_there_is_no_style() -> None:
    assert shot_facts(ShotEvidence(SPAN)) == ShotFacts(SPAN)


def test_sounds_are_named_once_and_faint_ones_and_speech_are_not() -> None:
    events = (
        SoundEvent.of("music", 0, 4, 0.9),
        SoundEvent.of("music", 2, 4, 0.8),
        SoundEvent.of("alarm", 0, 4, 0.4),
        SoundEvent.of("speech", 0, 4, 0.9),
    )
    facts = shot_facts(ShotEvidence(SPAN, sounds=events))
    assert len(facts.sounds) == 1
    assert "音乐" in facts.sounds[0].zh
    assert facts.said.is_heard


def test_unmeasurable_motion_says_nothing_about_the_camera() -> None:
    unknown = _motion(dx=0.5).model_copy(update={"reliable": False})
    assert camera_move([unknown]) is None
    assert camera_move([unknown, _motion()]) == "static"


@pytest.mark.parametrize(
    ("speeds", "move"),
    [
        ({"dx": -0.05}, "pan_left"),
        ({"dy": 0.05}, "tilt_down"),
        ({"zoom": -0.05}, "zoom_out"),
        ({"dx": 0.1, "shake": 0.07}, "pan_right"),
        ({"dx": 0.017}, "static"),
    ],
)
def test_the_strongest_motion_names_the_move(speeds: dict[str, float], move: str) -> None:
    assert camera_move([_motion(**speeds)]) == move


def test_a_large_central_text_is_a_title_only_without_people_and_things() -> None:
    line = SeenText(text="LAUNCH TONIGHT", confidence=0.95, bbox=(0.3, 0.4, 0.4, 0.1))
    texts = (TextSeen(start_time=0, end_time=4, lines=(line,)),)
    bare = shot_facts(ShotEvidence(SPAN, texts=texts))
    assert bare.is_title
    assert bare.text_score == pytest.approx(0.95)
    held = shot_facts(ShotEvidence(SPAN, texts=texts, samples=_seen("dog")))
    assert not held.is_title
    assert held.texts == ("LAUNCH TONIGHT",)


def _view(place: str) -> SceneEvidence:
    return SceneEvidence.gather([], {}, PIXELS, place_scores={f"seems_{place}": 1.0})


def test_outdoors_is_doubted_among_household_things_only() -> None:
    views = (_view("outdoor"),)
    dog = shot_facts(ShotEvidence(SPAN, samples=_seen("dog"), views=views)).setting.location
    assert dog is not None
    assert dog.en == "outdoors"
    assert shot_facts(ShotEvidence(SPAN, samples=_seen("couch"), views=views)).setting.location is None


@pytest.mark.parametrize(
    ("drawn", "kind"), [(KindScores(0.95, 0.01), "screen"), (KindScores(0.3, 0.4), None)]
)
def test_of_a_screen_no_place_and_no_doubtful_thing_is_told(drawn: KindScores, kind: str | None) -> None:
    filmed = ShotEvidence(SPAN, samples=_seen("dog"), views=(_view("outdoor"),))
    assert shot_facts(filmed).things
    made = shot_facts(replace(filmed, views=(replace(_view("outdoor"), drawn=drawn),)))
    assert made.style.kind == kind
    assert made.setting.location is None
    assert all(thing.score >= 0.9 for thing in made.things)
    assert made.camera is None or kind is None


def test_indoors_is_doubted_where_nothing_is_seen() -> None:
    views = (_view("indoor"),)
    assert shot_facts(ShotEvidence(SPAN, views=views)).setting.location is None
    couch = shot_facts(ShotEvidence(SPAN, samples=_seen("couch"), views=views)).setting.location
    assert couch is not None
    assert couch.en == "indoors"


def test_an_action_needs_somebody() -> None:
    assert shot_facts(ShotEvidence(SPAN, samples=_seen("dog"))).actions == ()
    assert shot_facts(ShotEvidence(SPAN, samples=_seen("dog", "person"))).actions != ()


def test_something_stirs_from_a_mean_activity_on() -> None:
    assert shot_facts(ShotEvidence(SPAN, motion=(_motion(activity=0.1),))).is_moving
    assert not shot_facts(ShotEvidence(SPAN, motion=(_motion(activity=0.1), _motion()))).is_moving


def test_a_span_counts_each_frame_once_over_its_shots() -> None:
    shots = [ShotEvidence(SPAN, samples=_seen("dog")), ShotEvidence(SPAN, samples=_seen("cat")[2:])]
    facts = facts_of(SPAN, shots, has_sound=False)
    assert (len(facts.shots), facts.frames, facts.has_sound) == (2, 4, False)
