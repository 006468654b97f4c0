"""What the system says to the Solver, in the forms the protocol fixes; what comes from a video is fenced.

Captions, on-screen text and speech are written by strangers. They reach a model only inside `[Frame …]` or
`<data …>`, and nothing inside can close its own fence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from vidence.llm.structured import INVALID_JSON
from vidence.schema.agent import CheckerResponse, MemoryUnit, OperationCall, VideoCard
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.time import format_timecode

__all__ = [
    "INVALID_JSON",
    "LAST_STEP",
    "data_block",
    "failed_call",
    "feedback",
    "frames_text",
    "notification",
    "options_text",
    "record_block",
    "videos_text",
]

LAST_STEP = "System Notification: This is your last step. Choose answer_question now."
_SPACES = re.compile(r"\s+")
_BRACKETS = str.maketrans({"[": "(", "]": ")", "\u2028": " ", "\u2029": " "})
MAX_RESULT_CHARS = 6000
"""As much of one result as a model is shown; the ledger keeps all of it."""


def notification(frames: Sequence[MemoryUnit], note: str = "") -> str:
    """Return the message that brings new frames."""
    told = frames_text(frames) if frames else "none."
    return f"System Notification: Retrieved {len(frames)} new frames: {told}{f' ({note})' if note else ''}"


def feedback(verdict: CheckerResponse) -> str:
    """Return the message that sends an answer back."""
    reason = verdict.feedback.strip().rstrip(".。") or "The answer is not certain enough"
    return (
        f"System Feedback: Confidence Score: {verdict.confidence_score}/5. Reason: {reason}. "
        "Please try again."
    )


def frames_text(frames: Iterable[MemoryUnit]) -> str:
    """Return frames as `[Frame 6: caption] [Frame 7: caption]`."""
    return " ".join(f"[Frame {frame.frame_id}: {_when(frame)}{_plain(frame.caption)}]" for frame in frames)


def record_block(record: EvidenceRecord) -> str:
    """Return an operation's result inside its fence, cut where it is very long."""
    text = json.dumps(record.result, ensure_ascii=False)
    note = ""
    if len(text) > MAX_RESULT_CHARS:
        note = f"\n(cut; {len(text) - MAX_RESULT_CHARS} characters more: ask for a shorter span)"
        text = text[:MAX_RESULT_CHARS]
    label = f'record_id="{record.record_id}" operation="{record.source}"'
    asked = json.dumps(record.arguments, ensure_ascii=False)
    return data_block(f"{asked}\n{text}", label) + note


def data_block(text: str, label: str) -> str:
    """Fence `text`; a fence inside it is made harmless."""
    return f"<data {label}>\n{fenced(text)}\n</data>"


def fenced(text: str) -> str:
    """Return `text` unable to open or close a data fence."""
    return re.sub(r"<(?=\s*/?\s*data)", "‹", text, flags=re.IGNORECASE)


def failed_call(call: OperationCall, problem: str) -> str:
    """Return what is said of an operation that could not be answered."""
    return f"{call.operation} could not be answered: {_plain(problem)}"


def options_text(options: Sequence[str], heading: str) -> str:
    """Return the options, numbered from 0, or nothing."""
    if not options:
        return ""
    lines = "\n".join(f"{number}. {_plain(option)}" for number, option in enumerate(options))
    return f"{heading}\n{lines}\n"


def videos_text(videos: Sequence[VideoCard], heading: str) -> str:
    """Return the videos that may be looked at, or nothing."""
    if not videos:
        return ""
    lines = "\n".join(
        f"- {video.video_id}: {_plain(video.name)}, {video.duration_s:.1f} s"
        f"{'' if video.has_audio else ', no sound'}"
        for video in videos
    )
    return f"{heading}\n{lines}"


def _when(frame: MemoryUnit) -> str:
    if frame.timestamp_s is None:
        return ""
    where = f" of {frame.video_id}" if frame.video_id else ""
    return f"({format_timecode(frame.timestamp_s)}{where}) "


def _plain(text: str) -> str:
    """Return text on one line that cannot close its bracket or open a fence."""
    return fenced(_SPACES.sub(" ", text.translate(_BRACKETS)).strip())
