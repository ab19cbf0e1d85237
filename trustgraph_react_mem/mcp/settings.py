"""Which tools the MCP server offers."""

from typing import Annotated, Literal, get_args

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ..errors import ConfigurationError

Group = Literal["agent", "refine"]
GROUPS: tuple[Group, ...] = get_args(Group)


class McpSettings(BaseSettings):
    """From ``REACT_MEM_MCP_*``.  ``react-mem mcp`` has an option for each."""

    model_config = SettingsConfigDict(env_prefix="REACT_MEM_MCP_", frozen=True, extra="ignore")

    groups: Annotated[tuple[Group, ...], NoDecode] = Field(
        default=(), description="Further groups of MCP tools, separated by commas: agent, refine."
    )

    @field_validator("groups", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        return tuple(dict.fromkeys(value)) if isinstance(value, list | tuple) else value


def read_settings(*, groups: str | None = None) -> McpSettings:
    """``groups``: of the command line; None = the variable, else the default.

    Raises: ConfigurationError (a group that is none of those).
    """
    try:
        return McpSettings() if groups is None else McpSettings(groups=groups)  # type: ignore[arg-type]  # checked by it
    except ValidationError as error:
        wrong = error.errors()[0]["input"]
        raise ConfigurationError(f"groups {wrong!r} is unknown: groups are {', '.join(GROUPS)}") from None
