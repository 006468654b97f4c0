"""Planning over real pictures and a real video, without a language model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vidence.app import Workspace, open_workspace
from vidence.app.plan import next_action, plan
from vidence.errors import UserError
from vidence.media.jpeg import encode_jpeg
from vidence.runs.frames import read_frame
from vidence.schema.agent import Budget
from vidence.schema.events import StepEvent

CAT_S = 6.0


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path) as opened:
        yield opened


@pytest.mark.slow
def test_a_picture_is_put_into_words_and_cited(workspace: Workspace, sample: Path) -> None:
    picture = encode_jpeg(read_frame(sample, CAT_S))
    answer = plan(workspace, "Is there a cat?", image=picture, by_meaning=False)
    assert answer.answer.startswith("Yes")
    assert [record.record_id for record in answer.evidence] == ["picture_1"]


@pytest.mark.slow
def test_the_way_is_followed_by_real_frames(workspace: Workspace, sample: Path) -> None:
    picture = encode_jpeg(read_frame(sample, CAT_S))
    step = next_action(workspace, "Walk until you see the cat, then turn left.", [picture])
    assert (step.action, step.clauses_done) == ("turn_left", 1)
    away = next_action(workspace, "走到沙发旁边，然后右转。", [picture])
    assert (away.action, away.target_seen) == ("move_forward", False)


@pytest.mark.slow
def test_a_real_video_is_looked_at_by_planning(workspace: Workspace, sample: Path) -> None:
    events: list[StepEvent] = []
    answer = plan(
        workspace,
        "What is said about the cat?",
        [str(sample)],
        budget=Budget(steps=8),
        listener=events.append,
        by_meaning=False,
    )
    assert any(event.kind == "result" for event in events)
    assert answer.evidence
    assert all(claim.verdict != "failed" for claim in answer.claims)


def test_an_empty_instruction_is_refused(workspace: Workspace) -> None:
    with pytest.raises(UserError, match="instruction"):
        next_action(workspace, " ", [])


def test_without_a_video_a_picture_or_a_memory_nothing_is_claimed(workspace: Workspace) -> None:
    answer = plan(workspace, "What colour is the car?", by_meaning=False)
    assert (answer.status, answer.claims) == ("cannot_tell", ())
