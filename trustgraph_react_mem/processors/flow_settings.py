"""The ``agent-mem`` settings of every flow, current while the processor runs."""

from collections.abc import Mapping
from typing import Any

from ..settings import AgentMemSettings
from ..turn.configuration import WorkspaceConfiguration

TYPE = "agent-mem"


class FlowSettings:
    """Register with ``register_config_handler(settings.on_config, types=[TYPE])``."""

    def __init__(self) -> None:
        self._workspaces: dict[str, WorkspaceConfiguration] = {}

    async def on_config(self, workspace: str, config: Mapping[str, Any], version: int) -> None:
        self._of_workspace(workspace).set_agent_mem(config.get(TYPE, {}))

    def of(self, workspace: str, flow: str) -> AgentMemSettings:
        """The flow's entry over the workspace's over the defaults."""
        return self._of_workspace(workspace).settings(flow)

    def _of_workspace(self, workspace: str) -> WorkspaceConfiguration:
        return self._workspaces.setdefault(workspace, WorkspaceConfiguration(workspace))
