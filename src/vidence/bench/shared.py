"""What the benchmarks share: the folder of media and sets, and a workspace that is thrown away."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import av
import numpy as np

from vidence.app import Workspace, open_workspace
from vidence.errors import FileProblem, MissingExtra
from vidence.schema.perception import FloatArray
from vidence.settings import load_settings

__all__ = ["SOUND_RATE", "load_set_file", "load_sound", "require", "scratch_workspace", "shared_folder"]

SOUND_RATE = 16000


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


def load_set_file(name: str, folder: Path) -> Any:
    """Return the contents of a question set, as its file has them."""
    path = folder / f"{name}.json.gz"
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return json.load(file)
    except OSError as exc:
        raise FileProblem(f"The set {name} is not at {path}: give its folder with --eval.") from exc


def load_sound(path: Path) -> FloatArray:
    """Return the sound of any file as 16 kHz mono."""
    resampler = av.AudioResampler("flt", "mono", SOUND_RATE)
    with av.open(str(path)) as container:
        frames = [f for frame in container.decode(audio=0) for f in resampler.resample(frame)]
        frames += resampler.resample(None)
    return np.concatenate([f.to_ndarray()[0] for f in frames]).astype(np.float32)


@contextmanager
def scratch_workspace(settings: Mapping[str, Any] | None = None) -> Iterator[Workspace]:
    """Yield an empty workspace, with the models of the settings, that is deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="vidence-bench-") as home:
        given = load_settings(home=home, **(settings or {}))
        with open_workspace(given) as workspace:
            yield workspace


def require(what: str, *modules: str) -> None:
    """Say which extra is missing before anything is computed."""
    if any(find_spec(module) is None for module in modules):
        raise MissingExtra(what, "bench")
