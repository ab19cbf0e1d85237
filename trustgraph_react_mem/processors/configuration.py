"""The configuration of a workspace for its agents: tools, tool services and ``agent-mem`` settings.

Invariants:
- Each type is stored separately, because a notification holds the changed types only.
- Invalid settings are reported, and the last valid ones stay in use.
- A workspace without configuration has an agent without tools.
"""

import logging
from collections.abc import Mapping

from ..errors import ConfigurationError
from ..settings import AgentMemSettings, overlay, parse_agent_mem, without_removed
from ..turn.tools import ToolSet, load_tools

logger = logging.getLogger(__name__)

DEFAULT = "default"
DEFAULT_FLOW = "flow:default"  # the key of the flow named default, because "default" is that of the workspace


class WorkspaceConfiguration:
    """One workspace.  ``base``: defaults from the processor's command line, which ``agent-mem/default`` overrides."""

    def __init__(self, workspace: str, base: Mapping[str, object] | None = None) -> None:
        self.workspace = workspace
        self._base = dict(base or {})
        self._tools: Mapping[str, str] = {}
        self._services: Mapping[str, str] = {}
        self._good: dict[str, str] = {}  # key -> accepted JSON text
        self._settings: dict[str, AgentMemSettings] = {}
        self.tools = ToolSet()

    def set_tools(self, values: Mapping[str, str]) -> None:
        self._tools = dict(values)
        self._load()

    def set_services(self, values: Mapping[str, str]) -> None:
        self._services = dict(values)
        self._load()

    def set_agent_mem(self, values: Mapping[str, str]) -> None:
        """Replace the settings.  A missing key falls back to its default, an invalid one keeps its previous value."""
        faults: list[str] = []
        good: dict[str, str] = {}
        for key, stored in values.items():
            raw, gone = without_removed(stored)
            if gone:
                logger.warning("agent-mem/%s of workspace %s: %s", key, self.workspace, "; ".join(gone))
            try:
                parse_agent_mem(raw, f"agent-mem/{key}")
            except ConfigurationError as error:
                faults.append(str(error))
                if key in self._good:
                    good[key] = self._good[key]
            else:
                good[key] = raw
        self._good = good
        self._settings.clear()
        for fault in faults:
            logger.error(
                "invalid agent-mem settings of workspace %s failed to load, the previous ones stay in use: %s",
                self.workspace,
                fault,
            )

    def settings(self, flow: str) -> AgentMemSettings:
        """The settings of a flow.  Precedence: flow, then workspace, then processor."""
        if flow not in self._settings:
            own = self._good.get(flow if flow != DEFAULT else DEFAULT_FLOW)
            settings = overlay(self._good.get(DEFAULT), own)
            beneath = {name: value for name, value in self._base.items() if name not in settings.model_fields_set}
            self._settings[flow] = settings.model_copy(update=beneath)
        return self._settings[flow]

    def _load(self) -> None:
        self.tools = load_tools(self._tools, self._services)
        for warning in self.tools.warnings:
            logger.warning("loading a tool of workspace %s failed: %s", self.workspace, warning)
        logger.info("workspace %s: %d tools loaded", self.workspace, len(self.tools.tools))
