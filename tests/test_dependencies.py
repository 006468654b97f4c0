"""Every dependency, and every package whose weights are fetched, has its reason in the docs."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.conftest import REPOSITORY
from vidence.models.manifest import load_manifests

PAGE = (REPOSITORY / "docs" / "dependencies.md").read_text(encoding="utf-8")
MODELS_PAGE = (REPOSITORY / "docs" / "models.md").read_text(encoding="utf-8")


def _required() -> list[str]:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    names = [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in [*project["dependencies"], *extras]]
    return sorted(set(names))


@pytest.mark.parametrize("name", _required())
def test_a_dependency_has_its_reason(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_a_package_that_is_fetched_is_named() -> None:
    fetched = {
        pin.name for model in load_manifests().values() for pin in model.packages if pin.name != "vidence"
    }
    assert [name for name in sorted(fetched) if f"`{name}`" not in PAGE] == []
    versions = {
        pin.version for model in load_manifests().values() for pin in model.packages if pin.name != "vidence"
    }
    assert [version for version in sorted(versions) if f"=={version}" not in MODELS_PAGE] == []
