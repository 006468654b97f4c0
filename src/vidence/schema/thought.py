"""An agent's thinking as a chain of steps, for those who watch it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, Field

__all__ = ["AgentPhase", "AgentState", "ThoughtStep"]


class AgentPhase(StrEnum):
    """What an agent is busy with."""

    IDLE = "idle"
    PLANNING = "planning"
    EXECUTING = "executing"
    SEARCHING = "searching"
    SCRAPING = "scraping"
    EXPANDING = "expanding"
    CRITIQUING = "critiquing"
    SYNTHESIZING = "synthesizing"
    RECOVERING = "recovering"
    COMPLETED = "completed"
    FAILED = "failed"


class ThoughtStep(BaseModel):
    """One step of thinking."""

    step_id: str
    phase: AgentPhase
    timestamp: datetime
    thought: str
    action: str | None = None
    observation: str | None = None
    tool_calls: list[dict[str, Any]] = Field(default_factory=list)
    tokens_used: int = 0
    duration_ms: int = 0


class AgentState(BaseModel):
    """A run as it stands; it grows while the run goes on."""

    task_id: str
    original_command: str
    current_phase: AgentPhase = AgentPhase.IDLE
    thought_chain: list[ThoughtStep] = Field(default_factory=list)
    discovered_keywords: list[str] = Field(default_factory=list)
    pending_searches: list[str] = Field(default_factory=list)
    collected_data: list[dict[str, Any]] = Field(default_factory=list)
    credibility_scores: dict[str, float] = Field(default_factory=dict)
    total_tokens: int = 0
    error_count: int = 0
    max_steps: int = 10
    current_step: int = 0
