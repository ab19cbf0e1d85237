"""Which tools the MCP server offers."""

from typing import Annotated, Literal, get_args

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ..errors import ConfigurationError

Group = Literal["agent", "refine"]


class McpSettings(BaseSettings):
    """From ``REACT_MEM_MCP_*``.  ``react-mem mcp`` has an option for each."""

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_MCP_", frozen=True, extra="ignore")

    groups: Annotated[tuple[Group, ...], NoDecode] = Field(
        default=(), description="Further groups of MCP tools, separated by commas: agent, refine."
    )

    @field_validator("groups", mode="before")
    @classmethod
    def _split(cls, value: str | tuple[str, ...]) -> tuple[str, ...]:
        """Raises: ConfigurationError (a group that does not exist)."""
        names = value.split(",") if isinstance(value, str) else value
        groups = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
        for group in groups:
            if group not in get_args(Group):
                raise ConfigurationError(f"groups {group!r} is unknown: groups are {', '.join(get_args(Group))}")
        return groups
