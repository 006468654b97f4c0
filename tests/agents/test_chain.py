from __future__ import annotations

from tests.agents.conftest import action, answer, by_task, verdict
from vidence.agents.caption_world import CaptionWorld
from vidence.agents.chain import ThoughtChain
from vidence.agents.loop import run_video_agent
from vidence.schema.thought import AgentPhase


def test_a_run_becomes_a_chain_of_thoughts(world: CaptionWorld) -> None:
    chain = ThoughtChain()
    engine = by_task([action("retrieve_more_frames", count=2), "no", answer("A dog", 4)], verdict(5))
    result = run_video_agent("Which animal?", engine=engine, world=world, listener=chain)
    state = chain.state
    assert [step.step_id for step in state.thought_chain] == ["step_0", "step_1", "step_2", "step_3"]
    assert [step.phase for step in state.thought_chain] == [
        AgentPhase.SEARCHING,
        AgentPhase.SEARCHING,
        AgentPhase.RECOVERING,
        AgentPhase.CRITIQUING,
    ]
    assert state.thought_chain[3].thought == "Let me think.\n"
    assert state.thought_chain[3].observation == "A dog\n5/5"
    assert (state.original_command, state.current_phase) == ("Which animal?", AgentPhase.COMPLETED)
    assert (state.current_step, state.error_count) == (3, 1)
    assert state.total_tokens == result.spent.usage.total_tokens


def test_a_failed_run_ends_failed(world: CaptionWorld) -> None:
    chain = ThoughtChain()
    run_video_agent("What?", engine=by_task(["no"], verdict(5)), world=world, listener=chain)
    assert chain.state.current_phase is AgentPhase.FAILED
