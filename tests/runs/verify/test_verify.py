from __future__ import annotations

from typing import Any

import pytest

from vidence.runs.ledger import Ledger, frame_record
from vidence.runs.verify import Verifier
from vidence.schema.agent import MemoryUnit, VideoCard
from vidence.schema.evidence import CheckedClaim, Citation, Claim, EvidenceRecord, hash_of
from vidence.schema.time import TimeRange

VIDEO = VideoCard(video_id="vid_1", name="a.mp4", duration_s=60.0)
PEOPLE = {
    "timestamp": 12.0,
    "objects": [
        {"object_id": f"obj_{number}", "category": "person", "bbox": [0.1, 0.1, 0.2, 0.5], "confidence": 0.9,
         "attributes": {"clothing_color": colour}}
        for number, colour in enumerate(["red", "dark blue", "white"])
    ]
    + [{"object_id": "obj_9", "category": "cup", "bbox": [0, 0, 0.1, 0.1], "confidence": 0.8}],
}  # fmt: skip
SPEECH = {
    "transcript": [
        {"start_time": 3.0, "end_time": 5.5, "text": "Welcome to Paris, everyone!", "confidence": 0.9},
        {"start_time": 18.0, "end_time": 20.2, "text": "我们今天有四十二位客人。", "confidence": 0.9},
    ]
}
SHOTS = {
    "segments": [
        {"segment_id": f"seg_{n}", "start_time": n * 10.0, "end_time": n * 10.0 + 10, "duration": 10.0,
         "type": "shot"}
        for n in range(5)
    ],
    "total_segments": 5,
}  # fmt: skip
SCENE = {"description": "Two men in grey coats talk.", "confidence": 0.7, "num_frames_analyzed": 4}
NOTHING = {"query": "a red dog", "results": [], "search_time_ms": 3.2}


def record(
    name: str, source: str, result: Any, span: tuple[float, float] | None = None, **arguments: Any
) -> EvidenceRecord:
    return EvidenceRecord(
        record_id=name,
        kind="operation",
        source=source,
        video_id="vid_1",
        span=TimeRange(start_time=span[0], end_time=span[1]) if span else None,
        arguments=arguments,
        result=result,
        result_hash=hash_of(result),
    )


@pytest.fixture
def ledger() -> Ledger:
    kept = Ledger()
    kept.add_all(
        [
            record("rec_people", "detect_objects", PEOPLE, (12.0, 12.001)),
            record("rec_speech", "get_transcript", SPEECH),
            record("rec_shots", "get_temporal_structure", SHOTS),
            record("rec_nothing", "temporal_search", NOTHING, query="a red dog"),
            record("rec_scene", "describe_visual", SCENE, (10.0, 15.0)),
        ]
    )
    kept.add(
        frame_record(
            MemoryUnit(frame_id=3, caption="a man holds a green bottle", timestamp_s=30.0, video_id="vid_1")
        )
    )
    return kept


def check(ledger: Ledger, text: str, *citations: str | Citation, **how: Any) -> CheckedClaim:
    cited = tuple(Citation(record_id=one) if isinstance(one, str) else one for one in citations)
    return Verifier(ledger, [VIDEO], **how).check(Claim(text=text, citations=cited))


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Three people are there.", "rec_people"),
        ("画面里有三个人。", "rec_people"),
        ("There are 3 persons and a cup.", "rec_people"),
        ("Four objects are seen.", "rec_people"),
        ("Three people are there (90%).", "rec_people"),
        ("A man in a navy coat stands there.", "rec_people"),
        ("有人穿红衣服。", "rec_people"),
        ("At 12 s one wears white.", "rec_people"),
        ("At 00:12 people stand.", "rec_people"),
        ("Somebody says “welcome to paris”.", "rec_speech"),
        ("They are in Paris.", "rec_speech"),
        ("There are 42 guests, it is said at 19 s.", "rec_speech"),
        ("他说有四十二位客人。", "rec_speech"),
        ("There are 4 cuts.", "rec_shots"),
        ("A cut lies at 20 s.", "rec_shots"),
        ("视频有4次切换。", "rec_shots"),
        ("The video has five shots.", "rec_shots"),
        ("Each shot lasts 10 seconds.", "rec_shots"),
        ("No red dog is seen.", "rec_nothing"),
        ("没有红色的狗。", "rec_nothing"),
        ("2 men talk at 12.5 s.", "rec_scene"),
        ("两个人穿灰色大衣。", "rec_scene"),
        ("He holds a green bottle.", "frame_3"),
        ("瓶子是绿色的。", "frame_3"),
        ("He holds a bottle.", "Frame 3"),
    ],
)
def test_what_the_record_holds_is_verified(ledger: Ledger, text: str, cited: str) -> None:
    checked = check(ledger, text, cited)
    assert checked.verdict == "verified", checked.problems
    assert len(checked.citations) == 1


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Seven people are there.", "rec_people"),
        ("画面里有五个人。", "rec_people"),
        ("Four people are there.", "rec_people"),
        ("Two cups stand there.", "rec_people"),
        ("Twelve dogs stand there.", "rec_people"),
        ("A man in yellow stands there.", "rec_people"),
        ("At 25 s people stand.", "rec_people"),
        ("Somebody says “welcome to London”.", "rec_speech"),
        ("They are in London.", "rec_speech"),
        ("There are 43 guests.", "rec_speech"),
        ("There are 7 cuts.", "rec_shots"),
        ("A cut lies at 25 s.", "rec_shots"),
        ("A red dog is seen.", "rec_nothing"),
        ("The bottle is blue.", "frame_3"),
    ],
)
def test_what_the_record_does_not_hold_fails(ledger: Ledger, text: str, cited: str) -> None:
    checked = check(ledger, text, cited)
    assert checked.verdict == "failed"
    assert checked.citations == ()
    assert checked.problems


def test_a_record_that_was_never_shown_fails(ledger: Ledger) -> None:
    checked = check(ledger, "He holds a bottle.", "frame_99")
    assert checked.verdict == "failed"
    assert "frame_99" in checked.problems[0]


def test_a_claim_that_cites_nothing_fails(ledger: Ledger) -> None:
    assert check(ledger, "He holds a bottle.").verdict == "failed"


def test_a_bad_citation_beside_a_good_one_is_removed_and_marked(ledger: Ledger) -> None:
    checked = check(ledger, "He holds a green bottle.", "frame_3", "frame_99")
    assert checked.verdict == "partly"
    assert [one.record_id for one in checked.citations] == ["frame_3"]


def test_half_of_a_claim_is_partly_proven(ledger: Ledger) -> None:
    checked = check(ledger, "Three people are there, one in red and one in yellow.", "rec_people")
    assert checked.verdict == "partly"
    assert "yellow" in checked.problems[0]


@pytest.mark.parametrize(
    "text",
    [
        "At 12 s seven people in red stand.",
        "At 12 s one in red says “hello”.",
        "At 12 s three people stand, one in yellow.",
        "At 40 s three people stand.",
        "Three people stand beside Anna.",
    ],
)
def test_one_wrong_part_fails_the_whole_claim(ledger: Ledger, text: str) -> None:
    checked = check(ledger, text, "rec_people")
    assert (checked.verdict, checked.citations) == ("failed", ())


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("A horse gallops along the beach.", "frame_3"),
        ("Elephant.", "frame_3"),
        ("一匹马在海滩上跑。", "frame_3"),
        ("A fire truck arrives.", "rec_people"),
        ("An elephant dances tango.", "rec_nothing"),
        ("Two elephants dance.", "rec_scene"),
        ("There is no bottle.", "frame_3"),
        ("没有瓶子。", "frame_3"),
        ("No cup is seen.", "rec_people"),
    ],
)
def test_a_claim_that_its_evidence_does_not_bear_out_fails(ledger: Ledger, text: str, cited: str) -> None:
    checked = check(ledger, text, cited)
    assert (checked.verdict, checked.citations) == ("failed", ())
    assert checked.problems


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("No horse gallops along the beach.", "frame_3"),
        ("There is no horse.", "frame_3"),
        ("Nobody wears a red hat.", "rec_people"),
        ("A person is there.", "rec_people"),
        ("People are seen.", "rec_people"),
        ("有人。", "rec_people"),
        ("One shot follows another.", "rec_shots"),
        ("The whole video was searched.", "rec_nothing"),
    ],
)
def test_a_claim_in_other_words_may_hold(ledger: Ledger, text: str, cited: str) -> None:
    assert check(ledger, text, cited).verdict == "verified"


def test_a_bound_in_time_is_not_held_against_a_claim(ledger: Ledger) -> None:
    checked = check(ledger, "Three people stand there in the first 40 seconds.", "rec_people")
    assert (checked.verdict, len(checked.citations)) == ("partly", 1)


def test_parts_may_stand_in_different_records(ledger: Ledger) -> None:
    checked = check(ledger, "Three people are there and one has a green bottle.", "rec_people", "frame_3")
    assert checked.verdict == "verified"


@pytest.mark.parametrize(
    ("start", "end", "problem"),
    [
        (58.0, 90.0, "not inside the video"),
        (-3.0, 2.0, "not inside"),
        (20.0, 10.0, "not inside"),
        (40.0, 45.0, "does not speak"),
    ],
)
def test_a_span_must_be_inside_the_video_and_the_record(
    ledger: Ledger, start: float, end: float, problem: str
) -> None:
    cited = Citation(record_id="rec_scene", start_time=start, end_time=end)
    checked = check(ledger, "Men talk.", cited)
    assert checked.verdict == "failed"
    assert problem in checked.problems[0]


def test_a_cited_stretch_holds_only_what_happens_in_it(ledger: Ledger) -> None:
    early = Citation(record_id="rec_speech", start_time=3.0, end_time=5.0)
    assert check(ledger, "“Welcome to Paris” is said.", early).verdict == "verified"
    late = Citation(record_id="rec_speech", start_time=18.0, end_time=20.0)
    assert check(ledger, "“Welcome to Paris” is said.", late).verdict == "failed"


def test_a_quote_must_stand_in_the_record(ledger: Ledger) -> None:
    good = Citation(record_id="rec_speech", quote="welcome … everyone")
    assert check(ledger, "They are greeted.", good).verdict == "verified"
    bad = Citation(record_id="rec_speech", quote="good night")
    assert check(ledger, "They are greeted.", bad).verdict == "failed"


def test_an_altered_record_proves_nothing(ledger: Ledger) -> None:
    altered = record("rec_altered", "describe_visual", {"description": "nine cats"})
    ledger.add(altered.model_copy(update={"result": {"description": "ten dogs"}}))
    checked = check(ledger, "There are ten dogs.", "rec_altered")
    assert checked.verdict == "failed"
    assert "not what was recorded" in checked.problems[0]


def test_a_record_must_be_in_the_store_as_it_is_cited(ledger: Ledger) -> None:
    assert check(ledger, "Three people.", "rec_people", stored_hash=lambda name: hash_of(PEOPLE)).citations
    assert check(ledger, "Three people.", "rec_people", stored_hash=lambda name: None).verdict == "failed"
    assert check(ledger, "Three people.", "rec_people", stored_hash=lambda name: "0" * 64).verdict == "failed"


def test_things_told_apart_in_several_records_are_counted_together(ledger: Ledger) -> None:
    for number in range(3):
        track = {"entity_id": f"ent_{number}", "appearances": [], "summary": {"total_appearances": 1}}
        ledger.add(record(f"rec_t{number}", "track_entity", track))
    tracks = [f"rec_t{number}" for number in range(3)]
    assert check(ledger, "Three people are told apart.", *tracks).verdict == "verified"
    assert check(ledger, "Three people are told apart.", *tracks[:2]).verdict == "failed"


def test_an_earlier_answer_is_no_proof(ledger: Ledger) -> None:
    memories = {
        "query": "how many",
        "memories": [{"memory_id": "mem_1", "memory_type": "answer", "content": "There are nine dogs"}],
        "total_matches": 1,
    }
    ledger.add(record("rec_memory", "read_memory", memories))
    assert check(ledger, "There are nine dogs.", "rec_memory").verdict == "failed"


def test_what_the_answer_says_beyond_its_evidence_is_named(ledger: Ledger) -> None:
    verifier = Verifier(ledger, [VIDEO])
    claims = verifier.check_all([Claim(text="Three people.", citations=(Citation(record_id="rec_people"),))])
    assert verifier.missing("Three people", claims) == []
    assert verifier.missing("Seven people in yellow", claims) == ["Seven", "yellow"]


@pytest.mark.parametrize(
    ("question", "said", "borne_out"),
    [
        ("What does he hold?", "A bottle", True),
        ("What does he hold?", "He is holding it: a bottle of glass", True),
        ("What does he hold?", "An elephant", False),
        ("What does he hold?", "大象", False),
        ("Is there a bottle?", "Yes.", True),
        ("Is there a bottle?", "No.", False),
        ("Is there an elephant?", "Yes.", False),
        ("Is there an elephant?", "No.", True),
        ("有没有瓶子？", "没有。", False),
        ("有没有瓶子？", "有。", True),
        ("Is the bottle green?", "Yes.", True),
        ("Is the bottle seen before or after the dog?", "Before.", True),
        ("Which bottle is his?", "The one on the left", True),
        ("哪个瓶子是他的？", "左边的那个。", True),
        ("Which bottle is his?", "The left cup", False),
        ("能看到瓶子吗？", "能。", True),
        ("Is any other bottle visible?", "No, never more than one bottle is in the picture.", True),
        ("Is there another bottle?", "No.", True),
    ],
)
def test_the_answer_itself_must_be_borne_out(
    ledger: Ledger, question: str, said: str, borne_out: bool
) -> None:
    verifier = Verifier(ledger, [VIDEO], question=question)
    proof = Claim(text="A man holds a green bottle.", citations=(Citation(record_id="frame_3"),))
    assert (verifier.missing(said, verifier.check_all([proof])) == []) is borne_out


def test_an_option_is_contradicted_by_the_figure_that_its_claims_prove(ledger: Ledger) -> None:
    verifier = Verifier(ledger, [VIDEO])
    claims = verifier.check_all([Claim(text="Three people.", citations=(Citation(record_id="rec_people"),))])
    assert verifier.contradicted("Seven people", claims) == ["Seven"]
    assert verifier.contradicted("Three people", claims) == []
    assert verifier.contradicted("A crowd in yellow", claims) == []
