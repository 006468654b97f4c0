"""Converters are imported only where a file has to be converted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vidence.models.cache import MissingModel, ModelCache
from vidence.models.catalogue import open_model
from vidence.models.context import ModelContext

_OPEN = """
import sys
from pathlib import Path
import numpy as np
from vidence.models.cache import ModelCache
from vidence.models.catalogue import open_model
open_model("objects", ModelCache(Path(sys.argv[1]))).detect([np.zeros((30, 40, 3), np.uint8)])
print(*(name for name in sys.modules if name.startswith("vidence.models.convert")))
"""


def test_a_converted_detector_opens_without_its_converter(model_cache: ModelCache) -> None:
    try:
        open_model("objects", model_cache)
    except MissingModel as exc:
        pytest.skip(str(exc))
    home = str(model_cache.folder.parent)
    done = subprocess.run([sys.executable, "-c", _OPEN, home], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_file_is_converted_once(model_cache: ModelCache) -> None:
    context = ModelContext(model_cache)
    try:
        first = context.converted("silero-vad", "model", "v1.onnx", "vad:convert", growth=4)
    except MissingModel as exc:
        pytest.skip(str(exc))
    written = first.stat().st_mtime_ns
    again = context.converted("silero-vad", "model", "v1.onnx", "vad:convert", growth=4)
    assert (again, again.stat().st_mtime_ns) == (first, written)
    assert isinstance(first, Path)
