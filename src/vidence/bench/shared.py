"""Where the shared media and benchmark halves lie."""

from __future__ import annotations

import os
from pathlib import Path

from vidence.errors import FileProblem

__all__ = ["shared_folder"]


def shared_folder() -> Path:
    """Return `VIDENCE_SHARED`, else the folder `shared` beside the current one or the repository."""
    candidates = [Path(os.environ["VIDENCE_SHARED"])] if os.environ.get("VIDENCE_SHARED") else []
    candidates += [Path.cwd().parent / "shared", Path(__file__).parents[4] / "shared"]
    for folder in candidates:
        if (folder / "media").is_dir():
            return folder
    raise FileProblem(
        "The shared media are not here. Set VIDENCE_SHARED to the folder that holds media/ and eval/."
    )
