"""What was said, seen and asked is for its owner alone."""

from __future__ import annotations

import stat
from pathlib import Path

from tests.hostile.conftest import Vidence


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def open_to_others(home: Path) -> list[str]:
    """Return what others may do anything with, reached through folders they may enter."""
    if mode(home) & 0o077:
        return [str(home), *(str(path) for path in home.rglob("*") if mode(path) & 0o077)]
    return []


def test_a_new_home_is_for_its_owner_alone(vidence: Vidence) -> None:
    assert vidence("memory", "add", "My number is 1234.").is_clean
    assert mode(vidence.home) == 0o700
    assert mode(vidence.home / "vidence.db") == 0o600
    assert open_to_others(vidence.home) == []


def test_an_existing_home_is_tightened(vidence: Vidence) -> None:
    assert vidence("memory", "add", "My number is 1234.").is_clean
    (vidence.home / "traces").mkdir(exist_ok=True)
    for path in (vidence.home, *vidence.home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert vidence("list").is_clean
    assert mode(vidence.home) == 0o700
    assert {mode(path) for path in vidence.home.glob("vidence.db*")} == {0o600}
    assert mode(vidence.home / "traces") == 0o700


def test_a_folder_that_holds_other_things_keeps_its_permissions(vidence: Vidence) -> None:
    vidence.home.mkdir()
    other = vidence.home / "thesis.txt"
    other.write_text("mine")
    vidence.home.chmod(0o755)
    other.chmod(0o644)
    assert vidence("memory", "add", "My number is 1234.").is_clean
    assert (mode(vidence.home), mode(other)) == (0o755, 0o644)
    assert mode(vidence.home / "vidence.db") == 0o600
