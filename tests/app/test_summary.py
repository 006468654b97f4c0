"""Summaries end soon after they are cancelled."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.app.conftest import make_sign, need_models
from vidence.app import open_workspace
from vidence.app.summary import summarise
from vidence.errors import BackendError
from vidence.llm.base import EngineBase
from vidence.llm.protocol import OnText, Reply
from vidence.prompts import Prompt
from vidence.runs.traced import Stopped
from vidence.schema.engine import Capabilities

SPOKEN = "\n\n".join(
    f"{number + 1}\n00:00:0{number},000 --> 00:00:0{number},900\n{text}"
    for number, text in enumerate(
        (
            "The bakery opens at six every morning, long before the shops around it.",
            "Anna bakes forty loaves of rye bread and sells most of them before noon.",
            "Her brother Tom carries the flour up from the cellar and sweeps the floor.",
            "On Sundays the ovens stay cold and the whole family walks along the river.",
        )
    )
)


class _Endless(EngineBase):
    """A model that never comes to an end; the user stops it while it writes."""

    def __init__(self, stop: threading.Event) -> None:
        super().__init__("endless", Capabilities())
        self._stop = stop

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        assert on_text is not None
        self._stop.set()
        while True:
            on_text("on and ")


def test_a_summary_stops_while_its_reader_writes(tmp_path: Path) -> None:
    need_models()
    stop = threading.Event()
    with open_workspace(home=tmp_path) as workspace:
        film = make_sign(tmp_path / "film.mp4", "BAKERY", seconds=4)
        (tmp_path / "film.srt").write_text(SPOKEN)
        with pytest.raises(Stopped):
            summarise(workspace, str(film), engine=_Endless(stop), cancel=stop.is_set)


def test_a_summary_stops_while_the_video_is_indexed(tmp_path: Path) -> None:
    need_models()
    with open_workspace(home=tmp_path) as workspace:
        film = make_sign(tmp_path / "film.mp4", "BAKERY")
        with pytest.raises(BackendError, match="stopped"):
            summarise(workspace, str(film), engine="embedded", cancel=lambda: True)
