"""Videos as rows for a terminal and as a table for a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import make_sign
from vidence.app import Workspace, open_workspace
from vidence.app.library import HEADINGS, VideoList, row_of


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path / "home") as opened:
        yield opened


def test_a_row_has_a_cell_under_every_heading(workspace: Workspace, sample: Path, tmp_path: Path) -> None:
    silent = row_of(workspace.add(make_sign(tmp_path / "a.mp4", "A", seconds=3)).video)
    spoken = row_of(workspace.add(sample).video)
    assert len(silent) == len(spoken) == len(HEADINGS)
    assert silent[1:] == ("00:03.000", "426×240", "5", "no", str(tmp_path / "a.mp4"))
    assert spoken[HEADINGS.index("sound")] == "yes"


def test_videos_are_listed_the_oldest_first(workspace: Workspace, tmp_path: Path) -> None:
    for name in ("z", "a", "m"):
        workspace.add(make_sign(tmp_path / f"{name}.mp4", name))
    listed = workspace.videos()
    assert [video.name for video in listed] == ["z.mp4", "a.mp4", "m.mp4"]
    assert [line.rsplit("/", 1)[1] for line in str(listed).splitlines()] == ["z.mp4", "a.mp4", "m.mp4"]


def test_a_name_with_markup_is_shown_as_text(workspace: Workspace, tmp_path: Path) -> None:
    workspace.add(make_sign(tmp_path / "<i>假期&co.mp4", "A"))
    page = workspace.videos()._repr_html_()
    assert "&lt;i&gt;假期&amp;co.mp4" in page
    assert "<i>" not in page
    assert all(f"<th>{heading}</th>" in page for heading in HEADINGS)


def test_no_videos_are_an_empty_text_and_a_table_of_headings() -> None:
    assert str(VideoList()) == ""
    assert "<td>" not in VideoList()._repr_html_()
