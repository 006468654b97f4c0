"""From a file to answers: the sample video through the real index and the real operations."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import MAIN
from tests.processes import PATIENCE_S
from vidence.app import Workspace
from vidence.errors import OpRetry
from vidence.schema.observations import Caption, TextSeen

pytestmark = pytest.mark.slow


def _run(workspace: Workspace, operation: str, **arguments: Any) -> dict[str, Any]:
    video_id = workspace.videos()[0].video_id
    result: dict[str, Any] = workspace.run(operation, {"video_id": video_id, **arguments}).result.model_dump()
    return result


def _overlaps(item: dict[str, Any], start: float, end: float) -> bool:
    return bool(item["start_time"] < end and item["end_time"] > start)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


def test_every_stage_is_done(indexed: Workspace) -> None:
    states = {row.stage: row.state for row in indexed.status(indexed.videos()[0].video_id)}
    assert set(states.values()) == {"done"}, states


def test_a_second_run_has_nothing_to_do(indexed_home: Path, sample: Path) -> None:
    command = [sys.executable, "-c", MAIN, "--home", str(indexed_home), "index", str(sample)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert "up to date" in done.stdout


def test_the_narration_is_written_down_where_it_is_spoken(indexed: Workspace, truth: dict[str, Any]) -> None:
    lines = _run(indexed, "get_transcript")["transcript"]
    for spoken in truth["narration"]:
        if spoken["language"] != "en":
            continue
        near = [line["text"] for line in lines if _overlaps(line, spoken["start"], spoken["end"])]
        wanted = _words(spoken["text"].replace("twenty-four", ""))
        heard = _words(" ".join(near))
        assert len(wanted & heard) >= 0.8 * len(wanted), (spoken["text"], near)


def test_the_chinese_line_is_heard_as_chinese(indexed: Workspace, truth: dict[str, Any]) -> None:
    (spoken,) = [line for line in truth["narration"] if line["language"] == "zh"]
    span = {"start_time": spoken["start"], "end_time": spoken["end"]}
    lines = _run(indexed, "get_transcript", time_range=span)["transcript"]
    text = "".join(line["text"] for line in lines)
    assert "小马" in text
    assert "右边" in text


def test_nothing_is_said_in_the_silence(indexed: Workspace, truth: dict[str, Any]) -> None:
    for silence in truth["silences"]:
        if silence["end"] - silence["start"] < 2.0:
            continue  # an event may be heard half a second early or late
        span = {"start_time": silence["start"] + 0.6, "end_time": silence["end"] - 0.6}
        assert _run(indexed, "get_transcript", time_range=span)["transcript"] == []
        assert _run(indexed, "detect_audio_events", time_range=span)["audio_events"] == []


@pytest.mark.parametrize("kind", ["music", "phone_ringing"])
def test_sounds_are_heard_where_they_are(indexed: Workspace, truth: dict[str, Any], kind: str) -> None:
    heard = _run(indexed, "detect_audio_events", event_types=[kind])["audio_events"]
    for sound in truth["sounds"]:
        if sound["type"] == kind:
            assert any(_overlaps(event, sound["start"], sound["end"]) for event in heard)


def test_speech_and_silence_come_only_when_named(indexed: Workspace) -> None:
    usual = {event["event_type"] for event in _run(indexed, "detect_audio_events")["audio_events"]}
    assert not usual & {"speech", "silence"}
    named = _run(indexed, "detect_audio_events", event_types=["silence"])["audio_events"]
    assert {event["event_type"] for event in named} == {"silence"}


def test_an_unknown_sound_is_refused_with_a_near_one(indexed: Workspace) -> None:
    with pytest.raises(OpRetry, match="applause"):
        _run(indexed, "detect_audio_events", event_types=["aplause"])


@pytest.mark.parametrize("operation", ["get_transcript", "detect_audio_events"])
def test_a_span_outside_the_video_names_its_length(indexed: Workspace, operation: str) -> None:
    with pytest.raises(OpRetry, match=r"54\.6"):
        _run(indexed, operation, time_range={"start_time": 60, "end_time": 70})


def test_the_cat_is_seen_both_times(indexed: Workspace) -> None:
    for time_s in (7.0, 50.0):
        found = _run(indexed, "detect_objects", timestamp=time_s, category="cat")["objects"]
        assert found
        assert found[0]["confidence"] > 0.6
    assert _run(indexed, "detect_objects", timestamp=20.0, category="cat")["objects"] == []


def test_subtitles_can_be_exported(indexed_home: Path, sample: Path) -> None:
    command = [sys.executable, "-c", MAIN, "--home", str(indexed_home), "transcript", str(sample)]
    srt = subprocess.run([*command, "--format", "srt"], capture_output=True, text=True, check=True).stdout
    assert re.match(r"1\n00:00:04,\d{3} --> 00:00:0\d,\d{3}\n", srt)
    assert "coffee" in srt
    vtt = subprocess.run([*command, "--format", "vtt"], capture_output=True, text=True, check=True).stdout
    assert vtt.startswith("WEBVTT")


def test_text_on_screen_is_read_while_it_shows(indexed: Workspace, truth: dict[str, Any]) -> None:
    video_id = indexed.videos()[0].video_id
    rows = indexed.store.observations.load(video_id, "ocr", TextSeen)
    for shown in truth["on_screen_text"]:
        read = {
            line.text.replace(" ", "")
            for row in rows
            if row.start_time < shown["end"] and row.end_time > shown["start"]
            for line in row.lines
        }
        assert shown["text"].replace(" ", "") in read, shown


def test_every_shot_has_a_caption_in_both_languages(indexed: Workspace, truth: dict[str, Any]) -> None:
    video_id = indexed.videos()[0].video_id
    captions = indexed.store.observations.load(video_id, "captions", Caption)
    assert len(captions) == len(truth["shots"])
    for caption in captions:
        assert caption.en.isascii() or "“" in caption.en
        assert re.search(r"[\u4e00-\u9fff]", caption.zh)
    assert "cat" in captions[1].en
    assert "猫" in captions[1].zh


def test_words_find_moments_in_both_languages(indexed: Workspace) -> None:
    for query, start, end in (("a cup of coffee", 10, 17), ("咖啡", 10, 17), ("horse", 37, 42.4)):
        best = _run(indexed, "temporal_search", query=query)["results"][0]
        assert _overlaps(best, start, end), (query, best)
    assert _run(indexed, "temporal_search", query="a pizza in an oven")["results"] == []
