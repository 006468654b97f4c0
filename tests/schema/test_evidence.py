"""Equal values have equal hashes, whatever order they were written in."""

from __future__ import annotations

import math

import pytest

from vidence.schema.evidence import canonical_json, hash_of


def test_the_order_of_keys_does_not_matter() -> None:
    assert hash_of({"a": 1, "b": [2, 3]}) == hash_of({"b": [2, 3], "a": 1})
    assert hash_of({"a": 1}) != hash_of({"a": 2})
    assert canonical_json({"b": "狗", "a": 1.5}) == '{"a":1.5,"b":"狗"}'


def test_what_is_no_json_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"a": math.nan})
