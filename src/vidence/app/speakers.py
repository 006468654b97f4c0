"""The names a person gave to the speakers of a video."""

from __future__ import annotations

import json
from collections.abc import Mapping

from vidence.app.workspace import Workspace
from vidence.errors import UserError

__all__ = ["name_speakers", "named_speakers"]

_STATE, _VERSION = "speakers", 1
_MAX_CHARS = 80


def named_speakers(workspace: Workspace, video_id: str) -> dict[str, str]:
    """Return speaker → name, for those that were named."""
    text = workspace.store.memories.load_state(f"video:{video_id}", _STATE, _VERSION)
    names: dict[str, str] = json.loads(text) if text else {}
    return names


def name_speakers(workspace: Workspace, video_id: str, names: Mapping[str, str]) -> dict[str, str]:
    """Name speakers, or take a name back with an empty one; return all names."""
    workspace.store.catalogue.get(video_id)
    for speaker, name in names.items():
        if not speaker.startswith("speaker_") or len(name) > _MAX_CHARS or "\n" in name:
            raise UserError(
                f"{speaker!r} cannot be called {name!r}: name speaker_1, speaker_2, … in one line of at most "
                f"{_MAX_CHARS} characters."
            )
    merged = {**named_speakers(workspace, video_id), **{one: name.strip() for one, name in names.items()}}
    kept = {speaker: name for speaker, name in merged.items() if name}
    workspace.store.memories.save_state(f"video:{video_id}", _STATE, _VERSION, json.dumps(kept))
    return kept
