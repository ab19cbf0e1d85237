"""Where the stores are, from the environment."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import platformdirs
from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from .disk import DiskSpace, shared_disk_space
from .errors import ConfigurationError
from .identity import PROGRAM, default_directory
from .memory.embedding import PROFILES, EmbeddingProfile, find_profile
from .stores.vectors.points import EngineOptions

KEY_FILE = "master.key"  # in REACT_MEM_KEYS
VECTOR_SCHEMES = ("http", "https")
GRAPH_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


class StoreSettings(BaseSettings):
    """Locations of the stores, from ``REACT_MEM_*`` environment variables.  An empty URL: the embedded engine in ``home``.

    Passwords and keys come only from environment variables, because other users can read a command line.
    """

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_", frozen=True, extra="ignore")

    home: Path = Field(
        default_factory=default_directory,
        description="Data directory of the embedded engines. Default: react-mem in the user's data directory.",
    )
    keys: Path = Field(
        default_factory=lambda: Path(platformdirs.user_config_dir(PROGRAM, appauthor=False)) / "keys",
        description="Directory of the master key. Default: react-mem/keys in the user's configuration directory.",
    )
    master_key: SecretStr = Field(
        default=SecretStr(""), description="Master key: 32 bytes in Base64. Empty: read the file master.key in REACT_MEM_KEYS."
    )
    scope_keys: Path | None = Field(
        default=None,
        description="Directory of the keys of scopes; several processes need one on a shared volume. Default: `scopes` in "
        "REACT_MEM_KEYS with the embedded graph; with Neo4j, the keys are kept in the graph.",
    )
    min_free_mb: int = Field(
        default=256,
        ge=0,
        description="Free disk space in MB below which turns, imports and other writes are refused as `disk full`. Accepted "
        "jobs continue down to half of it. 0: no limit.",
    )
    shutdown_grace: float = Field(
        default=100.0,
        ge=0,
        description="Seconds that running turns get to finish after SIGTERM, in each processor and in `react-mem up`",
    )
    graph_url: str = Field(default="", description="Neo4j address (bolt:// or neo4j://). Empty: embedded graph.")
    graph_user: str = Field(default="neo4j", description="Neo4j user")
    graph_password: SecretStr = Field(default=SecretStr(""), description="Neo4j password. Empty: no authentication.")
    graph_database: str = Field(default="neo4j", description="Neo4j database")
    vector_url: str = Field(default="", description="Qdrant address (http:// or https://). Empty: embedded index.")
    vector_api_key: SecretStr = Field(default=SecretStr(""), description="Qdrant API key. Empty: no authentication.")
    vector_shards: int = Field(
        default=0, ge=0, description="Number of shards of a new Qdrant collection. 0: the server's default."
    )
    vector_copies: int = Field(
        default=0, ge=0, description="Replication factor of a new Qdrant collection. 0: the server's default."
    )
    embedding_profile: str = Field(
        default="e5-small-v2", description="Model that TrustGraph's embeddings service runs: its name, or TrustGraph's id"
    )
    embedding_dimension: int = Field(
        default=0, ge=0, description="Vector dimension of an embedding model that is not in the catalogue"
    )
    embedding_query_prefix: str = Field(default="", description="Prefix that this model expects before a question")
    embedding_passage_prefix: str = Field(default="", description="Prefix that this model expects before a stored text")
    former_embeddings: str = Field(
        default="",
        description="Previous embedding model during a migration, in the format of REACT_MEM_EMBEDDINGS. Empty: use it if it "
        "is installed. `none`: until re-embedded, old memories are found by keyword search only.",
    )

    dead_letter_days: int = Field(
        default=90, ge=1, le=3650, description="Days after which a job that failed for good is deleted with its payload"
    )

    def __init__(self, **values: Any) -> None:
        """``values`` come from the command line, all others from the environment.

        Raises: ConfigurationError (names each wrong setting and, if it is no secret, its value).
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ConfigurationError("; ".join(_explain(fault, values) for fault in error.errors())) from None

    @field_validator("keys", "scope_keys", mode="before")
    @classmethod
    def _check_directory(cls, value: object) -> object:
        """An empty path would be the working directory, and keys would be lost or shared with it."""
        if value == "":
            raise ValueError("is empty: name a directory, or remove the variable to use the default")
        return value

    @field_validator("home", mode="before")
    @classmethod
    def _default_home(cls, value: object) -> object:
        return default_directory() if value == "" else value

    @field_validator("graph_url", "vector_url")
    @classmethod
    def _check_scheme(cls, url: str, about: ValidationInfo) -> str:
        schemes = GRAPH_SCHEMES if about.field_name == "graph_url" else VECTOR_SCHEMES
        scheme, _, rest = url.partition("://")
        if url and (scheme not in schemes or not _names_server(rest)):
            raise ValueError(f"must begin with {' or '.join(f'{one}://' for one in schemes)}, and name a server and its port")
        return url

    @property
    def key_directory(self) -> Path | None:
        """Where the keys of scopes are kept; None: in the graph."""
        return self.scope_keys or (None if self.graph_url else self.keys / "scopes")

    @property
    def vectors(self) -> str | Path:
        """URL or folder of the vector engine."""
        return self.vector_url or self.home / "vectors"

    @property
    def vector_options(self) -> EngineOptions:
        key = self.vector_api_key.get_secret_value()
        return EngineOptions(api_key=key, shards=self.vector_shards, copies=self.vector_copies, disk=self.engine_disk)

    @property
    def disk(self) -> DiskSpace:
        """The limit for new work."""
        return shared_disk_space(self.home, self.min_free_mb * 2**20)

    @property
    def engine_disk(self) -> DiskSpace:
        """The limit for the embedded engines.  It is lower, so that jobs that were accepted can be finished."""
        return shared_disk_space(self.home, self.min_free_mb * 2**19)

    @property
    def profile(self) -> EmbeddingProfile:
        """The embedding profile.  Raises: ConfigurationError (unknown model, or a wrong dimension)."""
        if self.embedding_dimension:
            known = find_profile(self.embedding_profile)
            if known is not None and known.dimension != self.embedding_dimension:
                raise ConfigurationError(
                    f"{self.embedding_profile} gives {known.dimension} numbers, not {self.embedding_dimension}: leave the "
                    "dimension out, or name the model that is really used"
                )
            # Who gives the dimension of another model gives its prefixes too: memories may be stored without any.
            return PROFILES.get(self.embedding_profile) or EmbeddingProfile(
                name=self.embedding_profile,
                dimension=self.embedding_dimension,
                query_prefix=self.embedding_query_prefix,
                passage_prefix=self.embedding_passage_prefix,
            )
        profile = find_profile(self.embedding_profile)
        if profile is None:
            raise ConfigurationError(
                f"embedding model {self.embedding_profile!r} is unknown: one of {', '.join(PROFILES)}, an id of TrustGraph's "
                "parameter embeddings-model, or give its REACT_MEM_EMBEDDING_DIMENSION (and prefixes, if it needs them)"
            )
        return profile


def _names_server(rest: str) -> bool:
    """Whether this is what follows the scheme of an address that can be connected to."""
    try:
        address = urlsplit(f"//{rest}")
        return bool(address.hostname) and address.port != 0
    except ValueError:  # the port is no number
        return False


def _explain(fault: ErrorDetails, given: Mapping[str, object]) -> str:
    field = str(fault["loc"][0])
    name = f"--{field.replace('_', '-')}" if field in given else f"REACT_MEM_{field.upper()}"
    is_secret = StoreSettings.model_fields[field].annotation is SecretStr
    value = "" if is_secret else f" = {str(fault['input'])[:80]!r}"
    return f"{name}{value}: {fault['msg'].removeprefix('Value error, ')}"


#: Settings that are also options of the processors.
ARGUMENTS = (
    *("home", "keys", "graph_url", "graph_user", "graph_database", "vector_url"),
    *("embedding_profile", "former_embeddings", "embedding_dimension"),
)


def add_store_args(parser: ArgumentParser) -> None:
    for name in ARGUMENTS:
        parser.add_argument(f"--{name.replace('_', '-')}", default=None, help=StoreSettings.model_fields[name].description)


def store_settings(params: Mapping[str, Any]) -> StoreSettings:
    """The settings of the stores.  Precedence: options, environment variables, defaults.  Raises: ConfigurationError."""
    return StoreSettings(**{name: params[name] for name in ARGUMENTS if params.get(name) is not None})
