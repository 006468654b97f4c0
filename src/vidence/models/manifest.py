"""The model manifests: source, licence and limits of every embedded model, and the digests of its files."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from vidence.errors import BackendError, UnknownName

__all__ = ["FilePart", "ModelFile", "ModelManifest", "PackagePin", "load_manifest", "load_manifests"]

Sha256 = Field(pattern=r"^[0-9a-f]{64}$")


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PackagePin(_Row):
    """The published package that holds a model's files."""

    name: str
    version: str
    archive: Literal["wheel", "sdist"] = "wheel"
    archive_sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    """Digest of the published archive; None where each platform has its own."""

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


class FilePart(_Row):
    """One file inside a package, alone or as a slice of a bigger one."""

    path: str
    package: str = ""
    """Name of the package; empty means the manifest's first."""
    sha256: str = Sha256
    size_bytes: int = Field(gt=0)


class ModelFile(_Row):
    """A file an adapter opens: found in a package, or joined from parts in the cache."""

    role: str
    name: str = ""
    """The name the file must have beside the others; by default its name in the package."""
    path: str = ""
    package: str = ""
    sha256: str = Sha256
    size_bytes: int = Field(gt=0)
    parts: tuple[FilePart, ...] = ()

    @model_validator(mode="after")
    def _whole_or_parts(self) -> ModelFile:
        if bool(self.path) == bool(self.parts):
            raise ValueError(f"file {self.role!r} needs either a path or parts")
        if self.parts and sum(part.size_bytes for part in self.parts) != self.size_bytes:
            raise ValueError(f"the parts of {self.role!r} do not add up to its size")
        return self

    @property
    def filename(self) -> str:
        return self.name or self.path.rpartition("/")[2] or self.role

    @property
    def sources(self) -> tuple[FilePart, ...]:
        """The files in packages that this file is made of."""
        if self.parts:
            return self.parts
        return (
            FilePart(path=self.path, package=self.package, sha256=self.sha256, size_bytes=self.size_bytes),
        )


class ModelManifest(_Row):
    """One model: where it comes from, what it may be used for, what it can and cannot do."""

    name: str
    capability: str
    upstream: str
    licence: str
    can: str
    cannot: str
    code: Literal["none imported", "imported"]
    """Whether any code of the package is run."""
    code_note: str
    packages: tuple[PackagePin, ...]
    files: tuple[ModelFile, ...]

    @model_validator(mode="after")
    def _known_packages(self) -> ModelManifest:
        names = {"", *(package.name for package in self.packages)}
        for part in (part for file in self.files for part in file.sources):
            if part.package not in names:
                raise ValueError(f"{part.path} names the package {part.package!r}, which is not listed")
        return self

    def file(self, role: str) -> ModelFile:
        """Return the file with the given role."""
        for file in self.files:
            if file.role == role:
                return file
        raise UnknownName(f"file of model {self.name}", role, [file.role for file in self.files])

    def package(self, name: str) -> PackagePin:
        """Return the package called `name`; the first when the name is empty."""
        return next(pin for pin in self.packages if name in ("", pin.name))


@lru_cache(maxsize=1)
def load_manifests() -> dict[str, ModelManifest]:
    """Read every manifest that ships with vidence, by model name."""
    folder = files("vidence.models") / "manifest"
    rows = [
        _read(entry)
        for entry in sorted(folder.iterdir(), key=lambda e: e.name)
        if entry.name.endswith(".toml")
    ]
    return {row.name: row for row in rows}


def load_manifest(name: str) -> ModelManifest:
    """Return the manifest of the model called `name`."""
    rows = load_manifests()
    if name not in rows:
        raise UnknownName("model", name, rows, remedy="`vidence models` lists them.")
    return rows[name]


def _read(entry: Traversable) -> ModelManifest:
    try:
        return ModelManifest.model_validate(tomllib.loads(entry.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, ValidationError) as exc:
        raise BackendError(f"The model manifest {entry.name} is not valid: {exc}") from exc
