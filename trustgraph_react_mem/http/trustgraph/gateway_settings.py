"""Settings of ``react-mem-gateway``, from ``REACT_MEM_GATEWAY_*`` environment variables."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from ..settings import Names


class GatewaySettings(BaseSettings):
    """Whose requests use which memory."""

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_GATEWAY_", frozen=True, extra="ignore")

    shared_users: Names = Field(
        default=("anonymous",),
        description="Ids of TrustGraph users, separated by commas, whose keys several people share: they use the memory that "
        "all users of a workspace share. `anonymous` is the user of a TrustGraph without identities.",
    )
