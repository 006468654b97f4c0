from __future__ import annotations

import pytest
from pydantic import ValidationError

from vidence.errors import UnknownName
from vidence.models.catalogue import DEFAULTS, MODELS
from vidence.models.manifest import FilePart, ModelFile, load_manifest, load_manifests

DIGEST = "0" * 64


def test_every_manifest_is_complete_and_says_what_it_cannot_do() -> None:
    rows = load_manifests()
    assert "ssd-mobilenet-v2-coco" in rows
    for name, row in rows.items():
        assert row.name == name
        assert row.can
        assert row.cannot
        assert row.licence
        assert row.code_note


def test_no_copyleft_weights_are_embedded() -> None:
    assert not [row.name for row in load_manifests().values() if "GPL" in row.licence.upper()]


def test_unknown_model_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'efficientnet-lite3'"):
        load_manifest("efficientnet-lite4")


def test_unknown_role_names_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="graph"):
        load_manifest("ssd-mobilenet-v2-coco").file("graff")


def test_a_file_is_whole_or_in_parts_never_both() -> None:
    part = FilePart(path="a/b.bin", sha256=DIGEST, size_bytes=1)
    with pytest.raises(ValidationError, match="either a path or parts"):
        ModelFile(role="x", path="a/c.bin", sha256=DIGEST, size_bytes=1, parts=(part,))
    with pytest.raises(ValidationError, match="add up"):
        ModelFile(role="x", sha256=DIGEST, size_bytes=2, parts=(part,))


def test_every_default_is_in_the_catalogue() -> None:
    assert [f"{c}/{n}" for c, n in DEFAULTS.items() if f"{c}/{n}" not in MODELS] == []


def test_every_catalogue_row_resolves() -> None:
    for name in MODELS:
        assert callable(MODELS.resolve(name))
