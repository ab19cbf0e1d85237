"""Settings of the HTTP listener, from ``REACT_MEM_HTTP_*`` environment variables."""

import functools
import ipaddress
import os
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ..errors import ConfigurationError

PORT = 8850  # none of TrustGraph's gateway, mem0's server (8888), nor Graphiti's and MCP's (8000)
USER_HEADERS = ("X-Memory-User", "X-OpenWebUI-User-Id", "x-sm-user-id", "x-authz-user-id")

LOCAL = "leave it out, or run the model in Ollama, which has such settings"
#: Variables of earlier versions, and what to do instead.
REMOVED = {
    "REACT_MEM_HTTP_OPENWEBUI_JWT_SECRET": "unset it, and FORWARD_USER_INFO_HEADER_JWT_SECRET of Open WebUI, which then sends "
    "X-OpenWebUI-User-Id",
    **dict.fromkeys(("REACT_MEM_MODEL_SLOTS", "REACT_MEM_MODEL_CONTEXT", "REACT_MEM_MODEL_THREADS"), LOCAL),
}

#: Separated by commas in a variable.
Names = Annotated[
    tuple[str, ...],
    NoDecode,
    BeforeValidator(lambda given: tuple(filter(None, map(str.strip, given.split(",")))) if isinstance(given, str) else given),
]


def refuse_removed(env: Mapping[str, str]) -> None:
    """Raises: ConfigurationError (names each variable of an earlier version, and what to do instead)."""
    if removed := [f"{name} is no longer read: {instead}" for name, instead in REMOVED.items() if env.get(name)]:
        raise ConfigurationError("; ".join(removed))


@functools.lru_cache(maxsize=256)
def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Variables(BaseSettings):
    """Settings from environment variables with a common prefix."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore")

    @classmethod
    def load(cls, **values: Any) -> Self:
        """From the environment; ``values`` replace it.  Raises: ConfigurationError (names variable and value)."""
        refuse_removed(os.environ)
        try:
            return cls(**values)
        except ValidationError as error:
            first = error.errors()[0]
            name = f"{cls.model_config.get('env_prefix')}{str(first['loc'][0]).upper()}"
            raise ConfigurationError(f"{name} = {str(first.get('input'))[:80]!r}: {first['msg']}") from None


class McpSettings(Variables):
    """From ``REACT_MEM_MCP_*``.  ``react-mem mcp`` has an option for each."""

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_MCP_")

    groups: Literal["", "refine"] = Field(default="", description="Further MCP tools: `refine`, or none.")


class HttpSettings(Variables):
    """Where the listener is, and its limits.  Lists are separated by commas."""

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_HTTP_")

    enabled: bool = Field(default=True, description="Whether `react-mem up` starts the HTTP listener")
    host: str = Field(default="127.0.0.1", min_length=1, description="Address that the listener binds. Loopback by default.")
    port: int = Field(default=PORT, ge=0, le=65535, description="TCP port of the listener. 0: any free one.")
    metrics_port: int = Field(
        default=0, ge=0, le=65535, description="Port on which /metrics is served to Prometheus without a key. 0: none."
    )
    hosts: Names = Field(
        default=(),
        description="Host names by which clients reach the listener, besides the loopback ones. Empty with an "
        "address that is not loopback: any name.",
    )
    origins: Names = Field(
        default=(),
        description="Origins of web pages that may use the listener, such as https://app.example. Empty: none.",
    )
    user_headers: Names = Field(
        default=USER_HEADERS, description="Headers in which a service or admin key may name the user of a request"
    )
    trustgraph_iam: bool = Field(
        default=False, description="Whether API keys and tokens of TrustGraph's identity service (IAM) are accepted"
    )
    max_body: int = Field(default=2**20, ge=1024, le=2**28, description="Largest body of a request, in bytes")
    max_connections: int = Field(default=1000, ge=1, description="Open connections, beyond which new ones are refused")
    rate_limit: int = Field(default=6000, ge=0, description="Requests a minute of one key. 0: no limit.")
    header_timeout_s: float = Field(default=10.0, gt=0, description="Seconds in which a new connection must send a request")
    body_timeout_s: float = Field(default=30.0, gt=0, description="Seconds in which the body of a request must arrive")
    send_timeout_s: float = Field(
        default=60.0, gt=0, description="Seconds without progress after which a connection whose client reads nothing is closed"
    )
    keepalive_s: float = Field(default=75.0, gt=0, description="Seconds for which an idle connection is kept")

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)


class GatewaySettings(Variables):
    """Whose requests use which memory in ``react-mem-gateway``, from ``REACT_MEM_GATEWAY_*`` environment variables."""

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_GATEWAY_")

    shared_users: Names = Field(
        default=("anonymous",),
        description="Ids of TrustGraph users, separated by commas, whose keys several people share: they use the memory that "
        "all users of a workspace share. `anonymous` is the user of a TrustGraph without identities.",
    )
