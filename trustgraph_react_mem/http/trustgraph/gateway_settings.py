"""Settings of ``react-mem-gateway``, from ``REACT_MEM_GATEWAY_*`` environment variables."""

from typing import Annotated

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


class GatewaySettings(BaseSettings):
    """Whose requests use which memory."""

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_GATEWAY_", frozen=True, extra="ignore")

    shared_users: Annotated[tuple[str, ...], NoDecode] = Field(
        default=("anonymous",),
        description="Ids of TrustGraph users, separated by commas, whose keys several people share: they use the memory that "
        "all users of a workspace share. `anonymous` is the user of a TrustGraph without identities.",
    )

    @field_validator("shared_users", mode="before")
    @classmethod
    def _split(cls, given: object) -> object:
        return tuple(filter(None, map(str.strip, given.split(",")))) if isinstance(given, str) else given
