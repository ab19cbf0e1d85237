"""Which tools the MCP server offers."""

from typing import Annotated, Literal, get_args

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

Names = Literal["mem0", "hindsight", "openmemory"]
Group = Literal["graph", "agent", "admin"]
NAMES: tuple[Names, ...] = get_args(Names)
GROUPS: tuple[Group, ...] = get_args(Group)


class McpSettings(BaseSettings):
    """From ``REACT_MEM_MCP_*``.  ``react-mem mcp`` has an option for each."""

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_MCP_", frozen=True, extra="ignore")

    names: Names = Field(default="mem0", description="Names of the MCP tools: mem0, hindsight or openmemory.")
    groups: Annotated[tuple[Group, ...], NoDecode] = Field(
        default=(), description="Further groups of MCP tools, separated by commas: graph, agent, admin."
    )

    @field_validator("groups", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        return tuple(dict.fromkeys(value)) if isinstance(value, list | tuple) else value
