"""Answers, search results and video lists as a person sees them."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from pydantic import JsonValue

from vidence.app import Workspace, open_workspace
from vidence.app.answer import Answer, save_frames
from vidence.app.search import FoundMoment, SearchResults
from vidence.errors import FileProblem
from vidence.schema.agent import AgentAnswer, VideoCard
from vidence.schema.evidence import CheckedClaim, Citation, EvidenceRecord

SEEN: JsonValue = {
    "timestamp": 0.4,
    "objects": [{"category": "cup", "confidence": 0.9, "bbox": [0.1, 0.1, 0.7, 0.7]}],
}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path / "home") as opened:
        yield opened


def answered(video_id: str, **more: object) -> AgentAnswer:
    claim = CheckedClaim(
        text="A <cup> is there.", verdict="verified", citations=(Citation(record_id="rec_1"),) * 2
    )
    record = EvidenceRecord(
        record_id="rec_1", kind="operation", source="detect_objects", video_id=video_id, result=SEEN
    )
    fields = {
        "question": "What is there?",
        "language": "en",
        "status": "answered",
        "answer": "A <cup>.",
        "explanation": "It stands in the picture.",
        "confidence_score": 4,
        "probability": 0.8,
        "claims": (claim,),
        "evidence": (record,),
        "videos": (VideoCard(video_id=video_id, name="a.mp4", duration_s=1.2),),
        "gaps": ("the sound failed",),
    }
    return AgentAnswer.model_validate({**fields, **more})


def pictures(page: str) -> list[int]:
    """Return the brightest value of each picture in a page."""
    found = re.findall(r'src="data:image/jpeg;base64,([^"]+)"', page)
    return [brightest(base64.b64decode(one)) for one in found]


def brightest(jpeg: bytes) -> int:
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), 1)
    assert image is not None
    return int(image.max())


def test_an_answer_prints_what_it_says_how_sure_it_is_and_its_evidence(workspace: Workspace) -> None:
    assert str(Answer.of(answered("vid_1"), workspace)).splitlines() == [
        "A <cup>.",
        "It stands in the picture.",
        "confidence 4/5 (80% sure)",
        "evidence:",
        "  [00:00] objects: cup",
        "note: the sound failed",
    ]


def test_a_chinese_answer_prints_in_chinese(workspace: Workspace) -> None:
    chinese = answered("vid_1", language="zh", answer="杯子。", explanation="", gaps=())
    assert str(Answer.of(chinese, workspace)).splitlines()[:3] == ["杯子。", "置信度 4/5 (80% 把握)", "证据:"]


def test_an_explanation_that_says_the_same_is_left_out(workspace: Workspace) -> None:
    shown = Answer.of(answered("vid_1", explanation="a <CUP>"), workspace)
    assert str(shown).splitlines()[1].startswith("confidence")


def test_an_answer_dumps_like_the_run_s_own(workspace: Workspace, plain: Path) -> None:
    own = answered(workspace.add(plain).video.video_id)
    assert Answer.of(own, workspace).model_dump_json() == own.model_dump_json()


def test_a_notebook_shows_the_evidence_frame_with_its_box(workspace: Workspace, plain: Path) -> None:
    video_id = workspace.add(plain).video.video_id
    page = Answer.of(answered(video_id), workspace)._repr_html_()
    (bright,) = pictures(page)
    assert bright > 100, "the film is black, the box is not"
    assert "A &lt;cup&gt;." in page
    assert "✓ A &lt;cup&gt; is there." in page
    assert "<cup>" not in page
    assert "http" not in page


def test_a_file_that_is_gone_leaves_the_words(workspace: Workspace, plain: Path) -> None:
    video_id = workspace.add(plain).video.video_id
    answer = Answer.of(answered(video_id), workspace)
    plain.unlink()
    page = answer._repr_html_()
    assert pictures(page) == []
    assert "[00:00] objects: cup" in page


def test_frames_are_saved_once_for_each_moment(workspace: Workspace, plain: Path, tmp_path: Path) -> None:
    video_id = workspace.add(plain).video.video_id
    (path,) = save_frames(workspace, answered(video_id), tmp_path / "proof")
    assert path.name == f"{video_id}_00000.40s_rec_1.jpg"
    assert brightest(path.read_bytes()) > 100
    with pytest.raises(FileProblem, match="cannot be made"):
        save_frames(workspace, answered(video_id), plain)


def test_search_results_print_and_show_their_moments(workspace: Workspace, plain: Path) -> None:
    video = workspace.add(plain).video
    hit = FoundMoment(
        video_id=video.video_id,
        video="<b>.mp4",
        segment_id="seg_001",
        start_time=0.2,
        end_time=0.6,
        duration=0.4,
        confidence=0.75,
        matched_modality="visual",
        sources=("labels",),
    )
    found = SearchResults(query="a <cup>", results=(hit,), videos_searched=1, search_time_ms=1.0)
    assert str(found) == "0.75  00:00.200–00:00.600  <b>.mp4  labels"
    assert list(found.model_dump()) == ["query", "results", "videos_searched", "search_time_ms"]
    found._files = workspace.files([video.video_id])
    page = found._repr_html_()
    assert len(pictures(page)) == 1
    assert "<b>.mp4" not in page
    nothing = SearchResults(query="x", results=(), videos_searched=2, search_time_ms=1.0)
    assert str(nothing) == "Nothing found in 2 videos."


def test_videos_print_and_show_as_a_table(workspace: Workspace, plain: Path) -> None:
    video_id = workspace.add(plain).video.video_id
    videos = workspace.videos()
    assert str(videos) == f"{video_id}  00:01.200  64×48  5  no  {plain}"
    assert f"<td>{video_id}</td>" in videos._repr_html_()
    assert workspace.indexed_videos() == []
