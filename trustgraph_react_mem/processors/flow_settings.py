"""The ``agent-mem`` settings of every flow, current while the processor runs."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from ..settings import AgentMemSettings, parse_agent_mem
from ..turn.configuration import WorkspaceConfiguration

TYPE = "agent-mem"


class FlowSettings:
    """Register with ``register_config_handler(settings.on_config, types=[TYPE])``."""

    def __init__(self, base: Mapping[str, object] | None = None) -> None:
        """``base``: defaults of this process, beneath what workspaces configure."""
        self._base = base or {}
        self._workspaces: dict[str, WorkspaceConfiguration] = {}

    async def on_config(self, workspace: str, config: Mapping[str, Any], version: int) -> None:
        self._of_workspace(workspace).set_agent_mem(config.get(TYPE, {}))

    def of(self, workspace: str, flow: str) -> AgentMemSettings:
        """The flow's entry over the workspace's over the process's over the built-in defaults."""
        return self._of_workspace(workspace).settings(flow)

    def _of_workspace(self, workspace: str) -> WorkspaceConfiguration:
        return self._workspaces.setdefault(workspace, WorkspaceConfiguration(workspace, self._base))


def add_settings_args(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--agent-mem",
        default=None,
        metavar="JSON",
        help="Defaults beneath the agent-mem configuration, as a JSON object; give every processor of a flow the same",
    )


def take_base_settings(params: dict[str, Any]) -> dict[str, object]:
    """The settings that ``--agent-mem`` names, taken out of a processor's parameters.  Raises: ConfigurationError."""
    return given(parse_agent_mem(params.pop("agent_mem", None) or "{}", "--agent-mem"))


def given(settings: AgentMemSettings) -> dict[str, object]:
    """The fields that were set, without the defaults."""
    return {name: getattr(settings, name) for name in settings.model_fields_set}
