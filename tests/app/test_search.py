"""Searching a library: which videos, which moments, how many."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import SIGNS
from vidence.app import Workspace, open_workspace
from vidence.app.search import search
from vidence.errors import MissingFile, UserError


@pytest.mark.parametrize("sign", SIGNS)
def test_the_film_that_shows_the_word_is_found_first(town: Workspace, sign: str) -> None:
    found = search(town, sign)
    assert found.results[0].video == f"{sign.lower()}.mp4"
    assert "screen" in found.results[0].sources
    assert found.videos_searched == len(SIGNS)


def test_a_chinese_query_finds_the_words_on_screen(town: Workspace) -> None:
    assert search(town, "写着 GARDEN 的画面").results[0].video == "garden.mp4"


def test_results_come_the_likeliest_first_and_inside_their_video(town: Workspace) -> None:
    hits = search(town, "BAKERY").results
    sure = [hit.confidence for hit in hits]
    assert sure == sorted(sure, reverse=True)
    assert all(0 <= hit.start_time < hit.end_time <= 2.0 for hit in hits)
    assert all(hit.duration == pytest.approx(hit.end_time - hit.start_time) for hit in hits)


def test_no_more_results_come_than_wanted(town: Workspace) -> None:
    assert len(search(town, "BAKERY", limit=1).results) == 1


def test_named_videos_only_are_searched(town: Workspace) -> None:
    found = search(town, "BAKERY", ["station.mp4", "library.mp4"])
    assert found.videos_searched == 2
    assert not {hit.video for hit in found.results} - {"station.mp4", "library.mp4"}


def test_a_video_named_twice_is_searched_once(town: Workspace) -> None:
    assert search(town, "BAKERY", ["bakery.mp4", town.videos()[0].video_id]).videos_searched == 1


def test_silent_films_hold_nothing_to_hear(town: Workspace) -> None:
    found = search(town, "BAKERY", modality="audio")
    assert found.results == ()
    assert str(found) == f"Nothing found in {len(SIGNS)} videos."
    assert "Nothing found" in found._repr_html_()


def test_a_notebook_shows_each_moment_with_its_frame(town: Workspace) -> None:
    page = search(town, "BAKERY", limit=2)._repr_html_()
    assert page.count("<img") == 2
    assert "bakery.mp4" in page


def test_an_unknown_video_is_named(town: Workspace) -> None:
    with pytest.raises(MissingFile, match="bakry"):
        search(town, "BAKERY", ["bakry.mp4"])


def test_an_empty_library_says_what_to_do(tmp_path: Path) -> None:
    with open_workspace(home=tmp_path) as workspace, pytest.raises(UserError, match="vidence index"):
        search(workspace, "a cat")


def test_a_named_video_is_indexed_as_far_as_searching_needs(street: Workspace, tmp_path: Path) -> None:
    told: list[str] = []
    found = search(
        street,
        "STATION",
        [str(tmp_path / "station.mp4")],
        progress=lambda what, fraction: told.append(what),
    )
    assert [hit.video for hit in found.results] == ["station.mp4"]
    assert told
    assert search(street, "STATION").videos_searched == 2
