"""The ``agent-mem`` settings of every flow, kept up to date while a processor runs."""

import logging
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from .errors import ConfigurationError
from .settings import AgentMemSettings, overlay, parse_agent_mem, without_removed

logger = logging.getLogger(__name__)

TYPE = "agent-mem"
DEFAULT = "default"
DEFAULT_FLOW = "flow:default"  # the key of the flow named default, because "default" is that of the workspace


class FlowSettings:
    """Settings by workspace and flow.  Register ``on_config`` as a configuration handler for ``TYPE``.

    Invariant: invalid settings are reported, and the last valid ones stay in use.
    """

    def __init__(self, base: Mapping[str, object] | None = None) -> None:
        """``base``: defaults of this process, which the configuration of a workspace overrides."""
        self._base = base or {}
        self._good: dict[str, dict[str, str]] = {}  # workspace -> key -> accepted JSON text
        self._read: dict[tuple[str, str], AgentMemSettings] = {}

    async def on_config(self, workspace: str, config: Mapping[str, Any], version: int) -> None:
        """Replace the settings.  A missing key falls back to its default, an invalid one keeps its previous value."""
        good: dict[str, str] = {}
        before = self._good.get(workspace, {})
        for key, stored in config.get(TYPE, {}).items():
            raw, gone = without_removed(stored)
            if gone:
                logger.warning("agent-mem/%s of workspace %s: %s", key, workspace, "; ".join(gone))
            try:
                parse_agent_mem(raw, f"agent-mem/{key}")
                good[key] = raw
            except ConfigurationError as error:
                reason = "invalid agent-mem settings of workspace %s failed to load, the previous ones stay in use: %s"
                logger.error(reason, workspace, error)
                if key in before:
                    good[key] = before[key]
        self.drop(workspace)
        self._good[workspace] = good

    def drop(self, workspace: str) -> None:
        """Drop the settings of a workspace: it was deleted."""
        self._good.pop(workspace, None)
        self._read = {name: settings for name, settings in self._read.items() if name[0] != workspace}

    def for_flow(self, workspace: str, flow: str) -> AgentMemSettings:
        """The settings of a flow.  Precedence: flow, then workspace, then process, then the built-in defaults."""
        if (workspace, flow) not in self._read:
            settings = settings_of(flow, self._good.get(workspace, {}))
            beneath = {name: value for name, value in self._base.items() if name not in settings.model_fields_set}
            self._read[workspace, flow] = settings.model_copy(update=beneath)
        return self._read[workspace, flow]


def settings_of(flow: str, stored: Mapping[str, str]) -> AgentMemSettings:
    """The settings of a flow.  ``stored``: the ``agent-mem`` configuration of its workspace.  Raises: ConfigurationError."""
    return overlay(stored.get(DEFAULT), stored.get(flow if flow != DEFAULT else DEFAULT_FLOW))


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
