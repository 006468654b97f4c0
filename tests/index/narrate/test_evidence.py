"""From rows to facts: flickers left out, doubt kept, names merged."""

from __future__ import annotations

from vidence.index.narrate.assemble import camera_move, shot_facts
from vidence.index.narrate.evidence import SampledFrame, ShotEvidence
from vidence.index.narrate.people import ShotMotion, find_people
from vidence.index.narrate.things import find_things
from vidence.index.narrate.words import read_texts, said, sentences
from vidence.schema.entities import TrackPoint, TrackSeen
from vidence.schema.observations import (
    FrameSeen,
    MotionSeen,
    NamedScore,
    SeenObject,
    SeenText,
    SoundEvent,
    TextSeen,
)
from vidence.schema.speech import Utterance
from vidence.schema.time import TimeRange

SPAN = TimeRange(start_time=0, end_time=6)
MIDDLE = (0.4, 0.4, 0.2, 0.3)


def _seen(
    category: str, confidence: float, box: tuple[float, float, float, float] = MIDDLE, **told: str
) -> SeenObject:
    return SeenObject(category=category, confidence=confidence, bbox=box, attributes=told)


def _samples(*frames: list[SeenObject], labels: dict[str, float] | None = None) -> list[SampledFrame]:
    named = tuple(NamedScore(label=name, score=score) for name, score in (labels or {}).items())
    return [SampledFrame(float(time), 1.0, named, tuple(found)) for time, found in enumerate(frames)]


def _names(samples: list[SampledFrame]) -> list[tuple[str, bool]]:
    return [(thing.name.en, thing.sure) for thing in find_things(samples)]


def test_one_frame_flickers_are_left_out() -> None:
    assert _names(_samples([_seen("cake", 0.6)], [], [], [], [], [])) == []


def test_a_steady_thing_is_sure_and_a_weak_one_doubtful() -> None:
    strong, weak = _seen("dog", 0.9), _seen("chair", 0.55)
    assert _names(_samples(*[[strong, weak]] * 5)) == [("dog", True), ("chair", False)]


def test_sports_things_without_anybody_are_not_believed() -> None:
    assert _names(_samples(*[[_seen("frisbee", 0.55)]] * 5)) == []
    both = [_seen("frisbee", 0.7), _seen("person", 0.9)]
    assert _names(_samples(*[both] * 5)) == [("frisbee", True)]


def test_breeds_become_dogs_and_bottles_become_water_bottles() -> None:
    dog = _samples(*[[_seen("dog", 0.8)]] * 4, labels={"Brittany spaniel": 0.5, "beagle": 0.2})
    bottle = _samples(*[[_seen("bottle", 0.8)]] * 4, labels={"water bottle": 0.85})
    assert _names(dog) == [("dog", True)]
    assert _names(bottle) == [("water bottle", True)]


def test_the_detector_overrules_another_animal_of_the_labeller() -> None:
    assert _names(_samples(*[[_seen("horse", 0.95)]] * 4, labels={"Arabian camel": 0.8})) == [("horse", True)]


def test_labels_alone_are_said_with_a_doubt() -> None:
    assert _names(_samples(*[[]] * 4, labels={"missile": 0.7})) == [("rocket", False)]
    assert _names(_samples(*[[]] * 4, labels={"maze": 0.7})) == []


def test_a_crane_is_a_machine_among_machines_only() -> None:
    assert _names(_samples(*[[]] * 4, labels={"crane": 0.7, "drilling platform": 0.1})) == [("crane", False)]
    assert _names(_samples(*[[]] * 4, labels={"crane": 0.7})) == []


def test_a_thing_that_crosses_the_picture_is_followed() -> None:
    frames = [[_seen("horse", 0.95, (0.05 + 0.14 * step, 0.4, 0.2, 0.3), color="black")] for step in range(6)]
    (horse,) = find_things(_samples(*frames))
    assert (horse.moved, horse.colour, horse.count) == ("left_to_right", "black", 1)
    assert find_things(_samples(*frames), pan=0.7)[0].moved is None


def test_people_are_counted_and_told_apart() -> None:
    left, right = (0.05, 0.2, 0.2, 0.7), (0.7, 0.2, 0.2, 0.7)
    pair = [
        _seen("person", 0.9, left, clothing_color="red and white"),
        _seen("person", 0.8, right, posture="sitting"),
    ]
    people = find_people(_samples(*[pair] * 5), ShotMotion(SPAN))
    assert people is not None
    assert people.count == 2
    assert people.sure
    assert [(one.place, one.upper, one.posture) for one in people.each] == [
        ("left", "red", None),
        ("right", None, "sitting"),
    ]


def test_colours_the_frames_disagree_on_are_not_said() -> None:
    frames = [[_seen("person", 0.9, clothing_color=colour)] for colour in ("red", "white", "brown", "red")]
    people = find_people(_samples(*frames), ShotMotion(SPAN))
    assert people is not None
    assert people.each[0].upper is None


def test_camera_motion_is_named_by_its_main_direction() -> None:
    def row(**speeds: float) -> MotionSeen:
        still = MotionSeen(start_time=0, end_time=1, dx=0, dy=0, zoom=0, shake=0, activity=0)
        return still.model_copy(update=speeds)

    assert camera_move([row()]) == "static"
    assert camera_move([row(dx=0.05)]) == "pan_right"
    assert camera_move([row(dy=-0.05, zoom=-0.03)]) == "tilt_up"
    assert camera_move([row(zoom=0.05)]) == "zoom_in"
    assert camera_move([row(shake=0.2)]) == "handheld"
    assert camera_move([]) is None


def test_one_restless_second_does_not_move_a_still_camera() -> None:
    rows = [
        MotionSeen(
            start_time=time, end_time=time + 1, dx=0, dy=0.2 if time == 1 else 0, zoom=0, shake=0, activity=0
        )
        for time in range(5)
    ]
    assert camera_move(rows) == "static"


def _followed(speed: float) -> TrackSeen:
    points = tuple(TrackPoint(step / 4, 0.1 + speed * step / 4, 0.2, 0.1, 0.6, 0.9) for step in range(9))
    return TrackSeen(start_time=0, end_time=2, track_id="t", category="person", confidence=0.9, points=points)


def test_upright_people_stand_only_while_they_stay() -> None:
    def posture(speed: float, tracks: tuple[TrackSeen, ...]) -> str | None:
        frames = [
            [_seen("person", 0.9, (0.1 + speed * time, 0.2, 0.1, 0.6), posture="standing")]
            for time in range(3)
        ]
        people = find_people(_samples(*frames), ShotMotion(SPAN, stirring=True, tracks=tracks))
        assert people is not None
        return people.each[0].posture

    assert posture(0.15, (_followed(0.15),)) == "walking"
    assert posture(0.0, (_followed(0.0),)) == "standing"
    assert posture(0.15, ()) is None
    assert posture(0.0, ()) == "standing"


def test_most_walk_when_most_who_are_followed_change_their_place() -> None:
    frames = [[_seen("person", 0.9, (x, 0.2, 0.1, 0.6)) for x in (0.1, 0.3, 0.5, 0.7)]] * 3
    for speeds, walking in (((0.2, 0.2, 0.0), True), ((0.2, 0.0, 0.0), False)):
        people = find_people(_samples(*frames), ShotMotion(SPAN, tracks=tuple(_followed(s) for s in speeds)))
        assert people is not None
        assert people.walking is walking


def test_a_headless_body_is_a_doubtful_person() -> None:
    torso = (0.1, 0.0, 0.7, 0.6)
    frames = [
        [_seen("person", 0.4, torso)],
        [],
        [_seen("person", 0.38, torso)],
        [_seen("person", 0.4, torso)],
    ]
    people = find_people(_samples(*frames), ShotMotion(SPAN))
    assert people is not None
    assert not people.sure
    small = [[_seen("person", 0.4, (0.4, 0.4, 0.05, 0.1))]] * 4
    assert find_people(_samples(*small), ShotMotion(SPAN)) is None


def test_someone_who_only_passes_is_found_by_their_clothes() -> None:
    frames = [[_seen("person", 0.9, (0.1 * n, 0.2, 0.1, 0.6), clothing_color="black") for n in range(5)]] * 6
    frames[2] = [*frames[2], _seen("person", 0.8, (0.8, 0.2, 0.1, 0.6), clothing_color="red")]
    people = find_people(_samples(*frames), ShotMotion(SPAN))
    assert people is not None
    assert "red" in {one.upper for one in people.followed}


def test_an_animal_two_models_disagree_on_is_left_unnamed() -> None:
    deer = _samples([_seen("cow", 0.85)], labels={"gazelle": 0.4, "impala": 0.35})
    assert _names(deer) == [("animal", True)]


def test_a_laptop_is_not_called_a_notebook() -> None:
    assert _names(_samples(*[[_seen("laptop", 0.9)]] * 3, labels={"notebook": 0.9})) == [("laptop", True)]


def _frame(contrast: float, *colours: tuple[str, float]) -> SampledFrame:
    shares = tuple(NamedScore(label=name, score=share) for name, share in colours)
    row = FrameSeen(
        start_time=0, end_time=1, thumbnail="-", brightness=0.5, contrast=contrast, saturation=0.5,
        sharpness=0.5, colours=shares,
    )  # fmt: skip
    return SampledFrame(0.0, 1.0, frame=row)


def test_a_picture_is_mostly_of_a_colour_from_one_half() -> None:
    def colours(*shares: tuple[str, float]) -> tuple[str, ...]:
        return shot_facts(ShotEvidence(SPAN, samples=(_frame(0.2, *shares),))).style.colours

    assert colours(("white", 0.35), ("green", 0.2)) == ()
    assert colours(("white", 0.55), ("green", 0.2)) == ("white",)
    assert colours(("pink", 0.32), ("green", 0.31)) == ("pink", "green")


def test_a_plain_screen_may_hold_a_caption_and_shows_no_camera() -> None:
    still = MotionSeen(start_time=0, end_time=1, dx=0, dy=0, zoom=0, shake=0, activity=0)
    facts = shot_facts(ShotEvidence(SPAN, samples=(_frame(0.035, ("black", 0.98)),), motion=(still,)))
    assert facts.style.blank
    assert facts.camera is None
    assert not shot_facts(ShotEvidence(SPAN, samples=(_frame(0.2, ("black", 0.98)),))).style.blank


def _spoken(start: float, end: float, text: str) -> Utterance:
    return Utterance(start_time=start, end_time=end, text=text, confidence=0.9)


def test_a_sentence_broken_off_is_joined_to_what_follows_at_once() -> None:
    rows = [
        _spoken(0, 2, "We take this great"),
        _spoken(2.2, 3, "icon of a company."),
        _spoken(9, 10, "Thanks."),
    ]
    assert said(rows, is_heard=True).quotes == ("We take this great icon of a company", "Thanks")
    apart = [_spoken(0, 2, "We take this great"), _spoken(6, 7, "icon.")]
    assert said(apart, is_heard=True).quotes == ("We take this great", "icon")


def _line(text: str, *, y: float = 0.8, confidence: float = 0.99) -> SeenText:
    return SeenText(text=text, confidence=confidence, bbox=(0.1, y, 0.3, 0.05))


def test_text_read_in_pieces_is_merged() -> None:
    rows = [
        TextSeen(start_time=0, end_time=1, lines=(_line("CHTONIGHT"),)),
        TextSeen(start_time=1, end_time=2, lines=(_line("LAUNCH TONIGHT"), _line("xx", y=0.1))),
    ]
    texts, sure, is_central = read_texts(rows)
    assert texts == ["LAUNCH TONIGHT"]
    assert sure > 0.9
    assert not is_central


def test_lines_of_one_block_are_one_text() -> None:
    lines = (_line("Intel CEO", y=0.2), _line("Pat Gelsinger", y=0.27))
    texts, _, _ = read_texts([TextSeen(start_time=0, end_time=1, lines=lines)])
    assert texts == ["Intel CEO Pat Gelsinger"]


def test_speech_is_split_into_sentences_without_full_stops() -> None:
    assert sentences("It is Dr. Smith. Is he here? Yes.") == ["It is Dr Smith", "Is he here?", "Yes"]
    assert sentences("天空,小马走到右边。谢谢。") == ["天空，小马走到右边", "谢谢"]


def test_silence_is_told_only_where_it_is_nearly_all() -> None:
    def silent(end: float) -> bool:
        event = SoundEvent(event_type="silence", start_time=0, end_time=end, confidence=1)
        return shot_facts(ShotEvidence(SPAN, sounds=(event,))).is_silent

    assert silent(6.0)
    assert not silent(3.0)
