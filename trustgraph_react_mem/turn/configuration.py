"""What a workspace configured for its agents: tools, tool services and ``agent-mem`` settings.

Invariants: each type is kept by itself, because a notification names the changed types only; settings that are wrong
leave the last good ones in force, and are reported; a workspace that configured nothing has an agent with no tools.
"""

import logging
from collections.abc import Mapping

from ..errors import ConfigurationError
from ..settings import AgentMemSettings, overlay, parse_agent_mem
from .tools import ToolSet, load_tools

logger = logging.getLogger(__name__)

DEFAULT = "default"


class WorkspaceConfiguration:
    """One workspace.  ``base`` are the processor's own defaults (its command line), beneath ``agent-mem/default``."""

    def __init__(self, workspace: str, base: Mapping[str, object] | None = None) -> None:
        self.workspace = workspace
        self._base = dict(base or {})
        self._tools: Mapping[str, str] = {}
        self._services: Mapping[str, str] = {}
        self._good: dict[str, str] = {}  # key -> JSON text that was accepted
        self._settings: dict[str, AgentMemSettings] = {}
        self.tools = ToolSet()

    def set_tools(self, values: Mapping[str, str]) -> None:
        self._tools = dict(values)
        self._load()

    def set_services(self, values: Mapping[str, str]) -> None:
        self._services = dict(values)
        self._load()

    def set_agent_mem(self, values: Mapping[str, str]) -> None:
        """A key that is gone falls back to the default; one that is wrong keeps what it said before."""
        faults: list[str] = []
        good: dict[str, str] = {}
        for key, raw in values.items():
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
                "agent-mem settings are wrong and not used, the last good ones stay: workspace %s: %s", self.workspace, fault
            )

    def settings(self, flow: str) -> AgentMemSettings:
        """What holds for a flow: its own entry over the workspace's over the processor's."""
        if flow not in self._settings:
            own = self._good.get(flow) if flow != DEFAULT else None
            settings = overlay(self._good.get(DEFAULT), own)
            beneath = {name: value for name, value in self._base.items() if name not in settings.model_fields_set}
            self._settings[flow] = settings.model_copy(update=beneath)
        return self._settings[flow]

    def _load(self) -> None:
        self.tools = load_tools(self._tools, self._services)
        for warning in self.tools.warnings:
            logger.warning("loading a tool of workspace %s failed: %s", self.workspace, warning)
        logger.info("workspace %s: %d tools loaded", self.workspace, len(self.tools.tools))
