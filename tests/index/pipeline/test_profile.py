"""The profiles: which there are, and how they are ordered."""

from __future__ import annotations

import pytest

from vidence.errors import UnknownName
from vidence.index.pipeline.profile import PROFILES, get_profile


def test_a_profile_is_found_by_its_name() -> None:
    for name in PROFILES:
        assert get_profile(name).name == name


def test_an_unknown_profile_is_an_error_that_lists_those_there_are() -> None:
    with pytest.raises(UnknownName, match="thorogh") as caught:
        get_profile("thorogh")
    assert all(name in str(caught.value) for name in PROFILES)


def test_a_more_thorough_profile_looks_more_often() -> None:
    fast, default, thorough = (PROFILES[name] for name in ("fast", "default", "thorough"))
    assert fast.frame_every_s > default.frame_every_s > thorough.frame_every_s > 0
    assert (fast.action_every_s, fast.track_every_s) == (None, None)
    for rate in ("action_every_s", "track_every_s", "text_every_s"):
        assert getattr(default, rate) > getattr(thorough, rate) > 0


def test_only_the_thorough_profile_searches_tiles_and_only_the_fast_one_skips_deblocking() -> None:
    assert [name for name, one in PROFILES.items() if one.small_objects] == ["thorough"]
    assert [name for name, one in PROFILES.items() if one.draft] == ["fast"]
