"""What is wrong with a file is told in the language of the answer."""

from __future__ import annotations

import pytest

from vidence.language.identify import has_han
from vidence.language.tables import read_table
from vidence.language.warnings import in_words

WARNINGS = [
    "no pictures could be read from 1.2 s to 3.4 s",
    "and no pictures in 3 more places",
    "2 damaged pictures between 1.0 s and 2.0 s",
    "no sound could be read from 1.2 s to 3.4 s",
    "damaged: 1 stretches of its pictures could not be decoded",
    "truncated: the file states 10.0 s but ends at 4.0 s",
    "the last 35% of the file could not be read",
    "its length is doubtful: it states 4.0 s, its timestamps run to 900.0 s",
    "no pictures could be read in its first 1.3 s",
]


@pytest.mark.parametrize("warning", WARNINGS)
def test_a_warning_is_told_in_both_languages(warning: str) -> None:
    assert in_words(warning, "en") == warning
    chinese = in_words(warning, "zh")
    assert has_han(chinese)
    assert "{" not in chinese


def test_an_unknown_warning_stays_as_it_is() -> None:
    assert in_words("c.srt: 2 malformed blocks left out", "zh") == "c.srt: 2 malformed blocks left out"


def test_every_row_has_two_columns() -> None:
    assert all(len(row) == 2 for row in read_table("warnings.tsv"))
