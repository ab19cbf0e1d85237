"""Which tools the MCP server offers."""

from typing import Annotated, Literal, get_args

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ..errors import ConfigurationError

Names = Literal["mem0", "hindsight", "openmemory"]
Group = Literal["graph", "agent", "admin", "refine"]
NAMES: tuple[Names, ...] = get_args(Names)
GROUPS: tuple[Group, ...] = get_args(Group)


class McpSettings(BaseSettings):
    """From ``REACT_MEM_MCP_*``.  ``react-mem mcp`` has an option for each."""

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_MCP_", frozen=True, extra="ignore")

    names: Names = Field(default="mem0", description="Names of the MCP tools: mem0, hindsight or openmemory.")
    groups: Annotated[tuple[Group, ...], NoDecode] = Field(
        default=(), description="Further groups of MCP tools, separated by commas: graph, agent, admin, refine."
    )

    @field_validator("groups", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        return tuple(dict.fromkeys(value)) if isinstance(value, list | tuple) else value


def read_settings(*, names: str | None = None, groups: str | None = None) -> McpSettings:
    """``names``, ``groups``: of the command line; None = the variable, else the default.

    Raises: ConfigurationError (a value that is none of those).
    """
    given = {name: value for name, value in (("names", names), ("groups", groups)) if value is not None}
    try:
        return McpSettings(**given)  # type: ignore[arg-type]  # checked by it
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigurationError(
            f"{first['loc'][0]} {first['input']!r} is unknown: names are {', '.join(NAMES)}; groups are {', '.join(GROUPS)}"
        ) from None
