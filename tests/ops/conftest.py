"""A workspace that holds the sample film, for operations that look at pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vidence.app import Workspace, open_workspace
from vidence.errors import BackendError
from vidence.ops import OpContext


@pytest.fixture(scope="session")
def film(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """One workspace for the session, so that what an operation indexes is indexed once."""
    with open_workspace(home=tmp_path_factory.mktemp("film") / "home") as workspace:
        yield workspace


@pytest.fixture(scope="session")
def film_id(film: Workspace, sample: Path) -> str:
    return film.add(sample).video.video_id


@pytest.fixture
def context(film: Workspace) -> OpContext:
    return OpContext(film.settings, film.store, film.indexer)


@pytest.fixture(scope="session")
def needs_models(film: Workspace) -> Callable[..., None]:
    """Skip the test when a model it calls on has not been fetched."""

    def check(*capabilities: str) -> None:
        for capability in capabilities:
            try:
                film.indexer.shelf.get(capability)
            except BackendError as exc:
                pytest.skip(f"no model for {capability}: {exc}")

    return check
