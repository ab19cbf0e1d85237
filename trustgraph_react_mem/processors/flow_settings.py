"""The ``agent-mem`` settings of every flow, kept up to date while the processor runs."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from ..settings import AgentMemSettings, parse_agent_mem
from .configuration import WorkspaceConfiguration

TYPE = "agent-mem"


class FlowSettings:
    """Settings by workspace and flow.  Register ``on_config`` as a configuration handler for ``TYPE``."""

    def __init__(self, base: Mapping[str, object] | None = None) -> None:
        """``base``: defaults of this process, which the configuration of a workspace overrides."""
        self._base = base or {}
        self._workspaces: dict[str, WorkspaceConfiguration] = {}

    async def on_config(self, workspace: str, config: Mapping[str, Any], version: int) -> None:
        self._for_workspace(workspace).set_agent_mem(config.get(TYPE, {}))

    def for_flow(self, workspace: str, flow: str) -> AgentMemSettings:
        """The settings of a flow.  Precedence: flow, then workspace, then process, then the built-in defaults."""
        return self._for_workspace(workspace).settings(flow)

    def _for_workspace(self, workspace: str) -> WorkspaceConfiguration:
        return self._workspaces.setdefault(workspace, WorkspaceConfiguration(workspace, self._base))


def add_settings_args(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--agent-mem",
        default=None,
        metavar="JSON",
        help="Defaults for the agent-mem configuration, as a JSON object. Use the same for all processors of a flow.",
    )


def pop_base_settings(params: dict[str, Any]) -> dict[str, object]:
    """Remove ``agent_mem`` from a processor's parameters and return its settings.  Raises: ConfigurationError."""
    return explicit_fields(parse_agent_mem(params.pop("agent_mem", None) or "{}", "--agent-mem"))


def explicit_fields(settings: AgentMemSettings) -> dict[str, object]:
    """The fields that were set explicitly."""
    return {name: getattr(settings, name) for name in settings.model_fields_set}
