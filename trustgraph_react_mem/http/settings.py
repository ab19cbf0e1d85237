"""Settings of the HTTP listener, from ``REACT_MEM_HTTP_*`` environment variables."""

from typing import Annotated

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from .identity import USER_HEADERS

PORT = 8850  # none of TrustGraph's gateway, mem0's or Hindsight's servers (8888), nor Graphiti's and MCP's (8000)
Names = Annotated[tuple[str, ...], NoDecode]


class HttpSettings(BaseSettings):
    """Where the listener is, and its limits.  Lists are separated by commas."""

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_HTTP_", frozen=True, extra="ignore", validate_default=True)

    enabled: bool = Field(default=True, description="Whether `react-mem up` starts the HTTP listener")
    host: str = Field(default="127.0.0.1", min_length=1, description="Address that the listener binds. Loopback by default.")
    port: int = Field(default=PORT, ge=0, le=65535, description="TCP port of the listener. 0: any free one.")
    user_headers: Names = Field(
        default=USER_HEADERS, description="Headers in which a service or admin key may name the user of a request"
    )
    openwebui_jwt_secret: SecretStr = Field(
        default=SecretStr(""),
        description="Secret with which Open WebUI signs X-OpenWebUI-User-Jwt (its FORWARD_USER_INFO_HEADER_JWT_SECRET)",
    )

    @field_validator("user_headers", mode="before")
    @classmethod
    def _split(cls, given: object) -> object:
        return tuple(filter(None, map(str.strip, given.split(",")))) if isinstance(given, str) else given
