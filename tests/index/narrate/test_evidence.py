"""From rows to facts: flickers left out, doubt kept, names merged."""

from __future__ import annotations

from vidence.index.narrate.assemble import camera_move, shot_facts
from vidence.index.narrate.evidence import Glimpse, ShotEvidence
from vidence.index.narrate.naming import plural
from vidence.index.narrate.people import Stir, find_people
from vidence.index.narrate.things import find_things
from vidence.index.narrate.words import read_texts, sentences
from vidence.schema.observations import MotionSeen, NamedScore, SeenObject, SeenText, TextSeen
from vidence.schema.sounds import SoundEvent
from vidence.schema.time import TimeRange

SPAN = TimeRange(start_time=0, end_time=6)
MIDDLE = (0.4, 0.4, 0.2, 0.3)


def _seen(
    category: str, confidence: float, box: tuple[float, float, float, float] = MIDDLE, **told: str
) -> SeenObject:
    return SeenObject(category=category, confidence=confidence, bbox=box, attributes=told)


def _glimpses(*frames: list[SeenObject], labels: dict[str, float] | None = None) -> list[Glimpse]:
    named = tuple(NamedScore(label=name, score=score) for name, score in (labels or {}).items())
    return [Glimpse(float(time), 1.0, named, tuple(found)) for time, found in enumerate(frames)]


def _names(glimpses: list[Glimpse]) -> list[tuple[str, bool]]:
    return [(thing.name.en, thing.sure) for thing in find_things(glimpses)]


def test_one_frame_flickers_are_left_out() -> None:
    assert _names(_glimpses([_seen("cake", 0.6)], [], [], [], [], [])) == []


def test_a_steady_thing_is_sure_and_a_weak_one_doubtful() -> None:
    strong, weak = _seen("dog", 0.9), _seen("chair", 0.55)
    assert _names(_glimpses(*[[strong, weak]] * 5)) == [("dog", True), ("chair", False)]


def test_sports_things_without_anybody_are_not_believed() -> None:
    assert _names(_glimpses(*[[_seen("frisbee", 0.55)]] * 5)) == []
    both = [_seen("frisbee", 0.7), _seen("person", 0.9)]
    assert _names(_glimpses(*[both] * 5)) == [("frisbee", True)]


def test_breeds_become_dogs_and_bottles_become_water_bottles() -> None:
    dog = _glimpses(*[[_seen("dog", 0.8)]] * 4, labels={"Brittany spaniel": 0.5, "beagle": 0.2})
    bottle = _glimpses(*[[_seen("bottle", 0.8)]] * 4, labels={"water bottle": 0.85})
    assert _names(dog) == [("dog", True)]
    assert _names(bottle) == [("water bottle", True)]


def test_the_detector_overrules_another_animal_of_the_labeller() -> None:
    assert _names(_glimpses(*[[_seen("horse", 0.95)]] * 4, labels={"Arabian camel": 0.8})) == [
        ("horse", True)
    ]


def test_labels_alone_are_said_with_a_doubt() -> None:
    assert _names(_glimpses(*[[]] * 4, labels={"missile": 0.7})) == [("rocket", False)]
    assert _names(_glimpses(*[[]] * 4, labels={"maze": 0.7})) == []


def test_a_crane_is_a_machine_among_machines_only() -> None:
    assert _names(_glimpses(*[[]] * 4, labels={"crane": 0.7, "drilling platform": 0.1})) == [("crane", False)]
    assert _names(_glimpses(*[[]] * 4, labels={"crane": 0.7})) == []


def test_a_thing_that_crosses_the_picture_is_followed() -> None:
    frames = [[_seen("horse", 0.95, (0.05 + 0.14 * step, 0.4, 0.2, 0.3), color="black")] for step in range(6)]
    (horse,) = find_things(_glimpses(*frames))
    assert (horse.moved, horse.colour, horse.count) == ("left_to_right", "black", 1)
    assert find_things(_glimpses(*frames), pan=0.7)[0].moved is None


def test_people_are_counted_and_told_apart() -> None:
    left, right = (0.05, 0.2, 0.2, 0.7), (0.7, 0.2, 0.2, 0.7)
    pair = [
        _seen("person", 0.9, left, clothing_color="red and white"),
        _seen("person", 0.8, right, posture="sitting"),
    ]
    people = find_people(_glimpses(*[pair] * 5), Stir(SPAN))
    assert people is not None
    assert people.count == 2
    assert people.sure
    assert [(one.place, one.upper, one.posture) for one in people.each] == [
        ("left", "red", None),
        ("right", None, "sitting"),
    ]


def test_colours_the_frames_disagree_on_are_not_said() -> None:
    frames = [[_seen("person", 0.9, clothing_color=colour)] for colour in ("red", "white", "brown", "red")]
    people = find_people(_glimpses(*frames), Stir(SPAN))
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


def test_plurals_are_english() -> None:
    assert [plural(word) for word in ("bus", "person", "wine glass", "butterfly", "monkey", "sheep")] == [
        "buses", "people", "wine glasses", "butterflies", "monkeys", "sheep",
    ]  # fmt: skip
