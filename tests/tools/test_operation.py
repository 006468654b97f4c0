"""A tool is an operation to everybody: validation, schemas, provenance, cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vidence.app import Workspace, openai_schema, operation_page
from vidence.app.tools import dry_run
from vidence.app.workspace import open_workspace
from vidence.errors import OpRetry
from vidence.ops.llm_schema import gemini_schema
from vidence.runs.verify import Verifier
from vidence.schema.agent import OperationCall
from vidence.schema.evidence import Citation, Claim

SAMPLE = Path(__file__).parents[2] / "samples" / "vidence_sample.mp4"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path_factory.mktemp("tools")) as opened:
        yield opened


@pytest.fixture(scope="module")
def sample(workspace: Workspace) -> str:
    return workspace.add(SAMPLE).video.video_id


def test_a_tool_has_the_schemas_and_the_page_of_an_operation(workspace: Workspace) -> None:
    operation = workspace.operation("locate_first_appearance")
    function = openai_schema(operation)["function"]
    assert function["parameters"]["required"] == ["video_id", "description"]
    assert gemini_schema(operation)["name"] == "locate_first_appearance"
    assert "## Parameters" in operation_page(operation)


def test_a_wrong_input_is_named(workspace: Workspace, sample: str) -> None:
    with pytest.raises(OpRetry, match="'descripton' is not a parameter; did you mean 'description'"):
        workspace.run("locate_first_appearance", {"video_id": sample, "descripton": "cat"})


def test_what_was_recorded_is_enough_for_a_dry_run(workspace: Workspace, sample: str) -> None:
    workspace.run("get_video_info", {"video_id": sample})
    tool = workspace.tools.get("locate_and_describe").parsed()
    outcome = dry_run(workspace, tool, sample, {"thing": "cat"})
    assert outcome.failed[0].startswith("step 2 (temporal_search): No result of temporal_search was recorded")
    assert len(outcome.evidence) == 1


@pytest.mark.slow
def test_the_cat_is_located_and_its_records_verify(workspace: Workspace, sample: str) -> None:
    from vidence.app.runs import video_card, video_world

    world = video_world(workspace, [workspace.find(sample)])
    record = world.call(OperationCall(operation="locate_and_describe", arguments={"thing": "cat"}))
    assert isinstance(record.result, dict)
    assert record.result["start_time"] == pytest.approx(4.0, abs=0.3)
    assert "cat" in str(record.result["description"])
    # A question only looks: the step that writes a memory is left out.
    assert "write_memory" not in [part.source for part in record.parts]
    assert [part.record_id for part in record.parts] == record.result["evidence"]
    from vidence.runs.ledger import Ledger

    ledger = Ledger()
    ledger.add_all([record, *record.parts])
    verifier = Verifier(ledger, [video_card(workspace.find(sample))], stored_hash=world.stored_hash)
    described = next(part for part in record.parts if part.source == "describe_visual")
    claim = Claim(text="A cat is seen.", citations=(Citation(record_id=described.record_id, quote="cat"),))
    assert verifier.check(claim).verdict == "verified"


@pytest.mark.slow
def test_the_second_run_is_served_from_the_cache(workspace: Workspace, sample: str) -> None:
    arguments = {"video_id": sample, "words": "cat"}
    first = workspace.run("who_said", arguments, may_write=False)
    again = workspace.run("who_said", arguments, may_write=False)
    assert (first.record.cached, again.record.cached) == (False, True)
    assert first.result.model_dump() == again.result.model_dump()
