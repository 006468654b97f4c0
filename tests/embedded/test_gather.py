"""Some kinds of question are measured; the others are left to the reader and the visual answerer."""

from __future__ import annotations

from typing import get_args

import pytest

from vidence.embedded.gather import find_recipe, measures
from vidence.language.question import Kind


@pytest.mark.parametrize("kind", [kind for kind in get_args(Kind) if measures(kind)])
def test_every_measured_kind_has_a_recipe(kind: Kind) -> None:
    assert callable(find_recipe(kind))


@pytest.mark.parametrize("kind", ["who", "why", "describe", "doing"])
def test_nothing_measures_what_only_words_or_pictures_tell(kind: Kind) -> None:
    assert not measures(kind)
