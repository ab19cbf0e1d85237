"""The model catalogue: files with size and SHA-256, licence, and download sources in order of preference.

The data is in ``config/models.json``.  Only files that the catalogue lists with a hash are downloaded.
"""

import functools
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ..config import read_text
from ..errors import ConfigurationError

ModelKind = Literal["chat", "embedding"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelFile(_Record):
    name: str
    bytes: int
    sha256: str


class FilePart(_Record):
    """A part of a model file inside a package.  The file is the concatenation of its parts."""

    package: str  # requirement with exact version
    path: str  # inside the wheel
    bytes: int


class HttpsSource(_Record):
    kind: Literal["https"] = "https"
    title: str
    urls: Mapping[str, str]  # file name -> address


class PypiSource(_Record):
    kind: Literal["pypi"] = "pypi"
    title: str
    pieces: Mapping[str, tuple[FilePart, ...]]  # file name -> pieces in order


class MavenSource(_Record):
    kind: Literal["maven"] = "maven"
    title: str
    artefact: str  # group:name:version
    entries: Mapping[str, str]  # file name -> entry of the jar


Source = HttpsSource | PypiSource | MavenSource


class ModelEntry(_Record):
    name: str
    kind: ModelKind
    licence: str
    files: tuple[ModelFile, ...]
    sources: tuple[Annotated[Source, Field(discriminator="kind")], ...]
    profile: str = ""  # embedding: its EmbeddingProfile
    quantise: bool = False  # embedding: create an int8 form once, if its quality is the same

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


class Catalogue(_Record):
    """``chat``, ``embedding``: names of the preferred models, the best first."""

    chat: tuple[str, ...]
    embedding: tuple[str, ...]
    models: Mapping[str, ModelEntry]

    @field_validator("models", mode="before")
    @classmethod
    def _key_by_name(cls, models: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
        return {entry["name"]: entry for entry in models}

    def model(self, name: str, kind: ModelKind) -> ModelEntry:
        """Raises: ConfigurationError (it lists the known models)."""
        entry = self.models.get(name)
        if entry is None or entry.kind != kind:
            known = ", ".join(sorted(model.name for model in self.models.values() if model.kind == kind))
            raise ConfigurationError(f"no {kind} model {name!r} in the catalogue: choose one of {known}")
        return entry


@functools.cache
def load_catalogue() -> Catalogue:
    """The catalogue that ships with this package."""
    return Catalogue.model_validate_json(read_text("models.json"))
