from __future__ import annotations

import hashlib
import os
import shutil
from collections import namedtuple
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vidence.errors import BackendError, MissingExtra
from vidence.models import cache as cache_module
from vidence.models.cache import ModelCache
from vidence.models.manifest import FilePart, ModelFile, ModelManifest, PackagePin, load_manifests

HALVES = (b"first half, " * 1000, b"second half" * 1000)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def split_model() -> Iterator[ModelManifest]:
    """A model in two parts whose package is not installed, so its files must have been fetched."""
    parts = tuple(
        FilePart(path=f"data/{i}.bin", sha256=digest(half), size_bytes=len(half))
        for i, half in enumerate(HALVES)
    )
    whole = b"".join(HALVES)
    model = ModelManifest(
        name="split",
        capability="objects",
        upstream="none",
        licence="none",
        can="nothing",
        cannot="anything",
        code="none imported",
        code_note="made for tests",
        packages=(PackagePin(name="vidence-no-such-package", version="1.0"),),
        files=(
            ModelFile(role="model", name="m.bin", sha256=digest(whole), size_bytes=len(whole), parts=parts),
        ),
    )
    load_manifests()["split"] = model
    yield model
    load_manifests().pop("split")


@pytest.fixture
def cache(tmp_path: Path, split_model: ModelManifest) -> ModelCache:
    found = ModelCache(tmp_path)
    folder = found.fetched_root(split_model.packages[0]) / "data"
    folder.mkdir(parents=True)
    for i, half in enumerate(HALVES):
        (folder / f"{i}.bin").write_bytes(half)
    return found


def test_parts_are_joined_once_and_found_again(cache: ModelCache) -> None:
    path = cache.path("split", "model")
    assert path.read_bytes() == b"".join(HALVES)
    inode = path.stat().st_ino
    assert ModelCache(cache.folder.parent).path("split", "model").stat().st_ino == inode


def test_a_tampered_part_is_refused(cache: ModelCache, split_model: ModelManifest) -> None:
    (cache.fetched_root(split_model.packages[0]) / "data" / "1.bin").write_bytes(b"evil")
    assert cache.status("split") == "damaged"
    with pytest.raises(
        BackendError, match=r"does not match the manifest of split .* vidence models fetch split"
    ):
        cache.path("split", "model")
    assert not (cache.folder / "split" / "m.bin").exists()


def test_a_file_changed_after_it_was_checked_is_checked_again(cache: ModelCache) -> None:
    path = cache.path("split", "model")
    path.write_bytes(b"x" * path.stat().st_size)
    os.utime(path, ns=(1, 1))
    assert cache.path("split", "model").read_bytes() == b"".join(HALVES)


def test_a_file_changed_with_its_time_restored_is_not_verified(
    cache: ModelCache, split_model: ModelManifest
) -> None:
    joined = cache.path("split", "model")
    joined.unlink()
    assert cache.status("split") == "verified"
    part = cache.fetched_root(split_model.packages[0]) / "data" / "1.bin"
    before = part.stat()
    part.write_bytes(b"x" * before.st_size)
    os.utime(part, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert cache.status("split") != "verified"
    with pytest.raises(BackendError, match="does not match"):
        cache.path("split", "model")


def test_a_missing_package_says_how_to_get_it(tmp_path: Path, split_model: ModelManifest) -> None:
    empty = ModelCache(tmp_path)
    assert empty.status("split") == "missing"
    with pytest.raises(MissingExtra, match="vidence models fetch split"):
        empty.path("split", "model")


def test_status_turns_from_installed_to_verified(cache: ModelCache) -> None:
    assert cache.status("split") == "installed"
    cache.path("split", "model")
    assert cache.status("split") == "verified"


def test_many_threads_assemble_without_tearing(cache: ModelCache) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: cache.path("split", "model").read_bytes(), range(16)))
    assert set(found) == {b"".join(HALVES)}
    assert list(cache.folder.rglob("*.part")) == []


def test_a_full_disk_is_named_before_anything_is_written(
    cache: ModelCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10, 10, 0))
    with pytest.raises(BackendError, match=r"Disk full: m\.bin needs .* VIDENCE_MODEL_HOME"):
        cache.path("split", "model")


def test_drafts_of_killed_processes_are_swept(cache: ModelCache) -> None:
    stale = cache.folder / "split" / ".m.bin.dead.part"
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"half")
    os.utime(stale, (1, 1))
    cache.path("split", "model")
    assert not stale.exists()


def test_assemble_lays_files_side_by_side(cache: ModelCache) -> None:
    folder = cache.assemble("split")
    assert (folder / "m.bin").read_bytes() == b"".join(HALVES)


def test_a_failed_build_leaves_nothing(cache: ModelCache) -> None:
    def fail(draft: Path) -> None:
        draft.write_bytes(b"half")
        raise BackendError("no")

    with pytest.raises(BackendError, match="no"):
        cache.built("split", "graph.onnx", fail, size_bytes=4)
    assert list((cache.folder / "split").glob("*")) == []
    path = cache.built("split", "graph.onnx", lambda draft: draft.touch(), size_bytes=4)
    assert path.is_file()


def test_a_built_file_that_was_damaged_is_built_again(cache: ModelCache) -> None:
    def build(draft: Path) -> None:
        draft.write_bytes(b"whole")

    path = cache.built("split", "graph.onnx", build, size_bytes=5)
    made_at = path.stat().st_mtime_ns
    assert cache.built("split", "graph.onnx", build, size_bytes=5).stat().st_mtime_ns == made_at
    path.write_bytes(b"wh")
    assert cache.built("split", "graph.onnx", build, size_bytes=5).read_bytes() == b"whole"


def test_an_unwritable_home_still_verifies(
    cache: ModelCache, split_model: ModelManifest, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = ModelCache(tmp_path)
    (other.folder / "checked").write_text("in the way")
    part = split_model.files[0].parts[0]
    assert other._verified(split_model, part).is_file()
    assert "will be checked again" in caplog.text


def test_the_module_never_imports_a_model_package() -> None:
    text = Path(cache_module.__file__).read_text(encoding="utf-8")
    assert "import_module" not in text
