"""`describe_visual` on the sample film: what is in it, in words, with true counts of frames."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from vidence.app import Workspace, open_workspace
from vidence.errors import OpRetry
from vidence.ops.describe_visual import DescribeVisualResult
from vidence.queries.search.material import Material
from vidence.queries.visual import relevance_of
from vidence.schema.time import TimeRange
from vidence.settings import load_settings

Shots = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def shots(truth: dict[str, Any]) -> Shots:
    """The first shot of each picture."""
    return {shot["picture"]: shot for shot in reversed(truth["shots"])}


@pytest.fixture(scope="module")
def narrated(film: Workspace, film_id: str, needs_models: Callable[..., None]) -> str:
    needs_models("objects", "pose", "image_labels", "ocr", "speech", "sounds", "text_embeddings")
    return film_id


def _describe(film: Workspace, video_id: str, shot: dict[str, Any], **arguments: Any) -> DescribeVisualResult:
    span = {"start_time": shot["start"] + 0.1, "end_time": shot["end"] - 0.1}
    outcome = film.run("describe_visual", {"video_id": video_id, **span, **arguments})
    assert isinstance(outcome.result, DescribeVisualResult)
    return outcome.result


def test_the_cat_is_described_in_both_languages(film: Workspace, narrated: str, shots: Shots) -> None:
    found = _describe(film, narrated, shots["chelsea"])
    assert "cat" in found.description
    assert found.confidence > 0.8
    assert 5 <= found.num_frames_analyzed <= 8
    assert set(found.model_dump()) == {"description", "confidence", "num_frames_analyzed"}
    assert "一只" in _describe(film, narrated, shots["chelsea"], language="zh").description


def test_words_and_text_are_quoted(film: Workspace, narrated: str, shots: Shots) -> None:
    text = _describe(film, narrated, shots["chelsea"], detail_level="detailed").description
    assert "green eyes" in text
    assert "Chelsea the cat" in text


def test_the_horse_crosses_and_the_sun_is_no_frisbee(film: Workspace, narrated: str, shots: Shots) -> None:
    text = _describe(film, narrated, shots["meadow"], detail_level="detailed").description
    assert "horse moves across the picture from left to right" in text
    assert "frisbee" not in text


def test_a_focus_that_is_not_there_is_denied(film: Workspace, narrated: str, shots: Shots) -> None:
    found = _describe(film, narrated, shots["coffee"], focus="cat")
    assert re.match(r"No cat is seen between [\d.]+ s and [\d.]+ s\.", found.description)
    assert "没有看到猫" in _describe(film, narrated, shots["coffee"], focus="猫").description
    assert "cat" in _describe(film, narrated, shots["chelsea"], focus="animals").description


def test_a_moment_between_samples_is_looked_at(film: Workspace, narrated: str, shots: Shots) -> None:
    start = shots["chelsea"]["start"] + 0.3
    result = film.run(
        "describe_visual", {"video_id": narrated, "start_time": start, "end_time": start + 0.1}
    ).result
    assert result.num_frames_analyzed >= 1
    assert "cat" in result.description


@pytest.mark.parametrize(("start", "end"), [(5, 5), (6, 5), (500, 501)])
def test_impossible_spans_are_refused(film: Workspace, narrated: str, start: float, end: float) -> None:
    with pytest.raises(OpRetry):
        film.run("describe_visual", {"video_id": narrated, "start_time": start, "end_time": end})


@pytest.fixture
def vision_llm() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that answers as a vision model does, and what it was asked."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            text = "A ginger cat looks at us. " * 9
            body = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", asked
    server.shutdown()
    server.server_close()
    thread.join()


def test_frames_go_to_a_configured_vision_model(
    film: Workspace, narrated: str, shots: Shots, vision_llm: tuple[str, list[dict[str, Any]]]
) -> None:
    url, asked = vision_llm
    settings = load_settings(
        home=film.settings.home,
        models={"captions": "vision-llm"},
        model_options={"captions": {"base_url": url, "model": "tiny"}},
    )
    with open_workspace(settings) as workspace:
        found = _describe(workspace, narrated, shots["chelsea"], focus="the cat's eyes")
    content = asked[0]["messages"][0]["content"]
    images = [part for part in content if part["type"] == "image_url"]
    assert (
        found.description == "A ginger cat looks at us. A ginger cat looks at us. A ginger cat looks at us."
    )
    assert len(images) == found.num_frames_analyzed == 8
    assert "the cat's eyes" in content[0]["text"]


def test_captions_and_text_vectors_cover_every_shot(
    film: Workspace, narrated: str, truth: dict[str, Any]
) -> None:
    from vidence.index.pipeline.derived import split_label
    from vidence.schema.observations import Caption

    outcomes = film.index(narrated, stages=["captions", "text_vectors"])
    assert all(outcome.error is None for outcome in outcomes)
    captions = film.store.observations.load(narrated, "captions", Caption)
    assert len(captions) == len(truth["shots"])
    assert all(len(row.en.split()) < 20 and re.search("[\u4e00-\u9fff]", row.zh) for row in captions)
    rows = [split_label(row.label) for row in film.store.vectors.load(narrated, "text_vectors")]
    assert {source for source, _ in rows} == {"caption", "speech", "text", "seen"}
    assert any("cat" in text for source, text in rows if source == "seen")


def test_captions_resume_and_are_not_made_twice(film: Workspace, narrated: str) -> None:
    film.index(narrated, stages=["captions"])
    again = film.index(narrated, stages=["captions"])
    assert not any(outcome.computed for outcome in again)


def test_prompts_ask_for_the_same_length_as_we_keep(tmp_path: Path) -> None:
    from vidence.index.narrate.captioner import fit, prompt_for

    assert "fewer than 20 words" in prompt_for("brief", "en", None)
    assert "请重点描述：猫" in prompt_for("standard", "zh", "猫")
    long = "A very " + "very " * 30 + "long sentence. Another one."
    assert len(fit(long, "brief", "en").split()) < 20
    assert fit("一。二。三。四。", "standard", "zh") == "一。二。三。"


def test_a_question_is_answered_from_the_frames(film: Workspace, narrated: str, shots: Shots) -> None:
    found = _describe(film, narrated, shots["chelsea"], focus="What animal is this?")
    assert found.answers is not None
    assert found.answers[0].answer == "cat"
    assert found.answers[0].times
    again = _describe(film, narrated, shots["chelsea"], focus="这是什么动物？")
    assert again.answers is not None
    assert again.answers[0].answer == "猫"


@pytest.mark.parametrize("question", ["What animal is this?", "What is the cat doing?", "猫在做什么？"])
def test_a_question_about_one_shot_is_answered_from_it(
    film: Workspace, narrated: str, shots: Shots, truth: dict[str, Any], question: str
) -> None:
    whole = TimeRange(start_time=0.0, end_time=truth["duration"])
    found = relevance_of(question, Material(film.store, narrated), film.indexer.shelf, whole)
    assert found is not None
    best = found.best_times()[0]
    animals = [one for one in truth["shots"] if one["picture"] in ("chelsea", "meadow")]
    assert any(one["start"] <= best <= one["end"] for one in animals)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is there a cat?", "yes"),
        ("Is there a snowboard?", "no"),
        ("Do we ever get to see a football match?", "no"),
        ("有没有人在打网球？", "不是"),
    ],
)
def test_what_is_not_there_at_all_is_denied(
    film: Workspace, narrated: str, truth: dict[str, Any], question: str, answer: str
) -> None:
    whole = {"start": 0.0, "end": truth["duration"]}
    found = _describe(film, narrated, whole, focus=question)
    assert found.answers is not None
    assert found.answers[0].answer == answer
    assert sum(one.probability for one in found.answers) == pytest.approx(1, abs=0.001)


@pytest.mark.parametrize(
    ("shot", "question", "answer"),
    [
        ("meadow", "Is this indoors or outdoors?", "outdoors"),
        ("chelsea", "Is it a cat or a horse?", "cat"),
        ("meadow", "这是室内还是室外？", "室外"),
    ],
)
def test_a_choice_is_answered_by_what_the_frames_are_like(
    film: Workspace, narrated: str, shots: Shots, shot: str, question: str, answer: str
) -> None:
    found = _describe(film, narrated, shots[shot], focus=question)
    assert found.answers is not None
    assert answer in found.answers[0].answer
    assert len(found.answers) == 2
