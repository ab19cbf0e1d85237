"""The stored settings of a flow, as the command line and REST show and change them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .bus.external_client import MemoryBus
from .errors import BadRequest, ConfigurationError
from .flow_settings import TYPE, settings_of
from .memory.json_object import read_json_object
from .settings import AgentMemSettings, parse_agent_mem

NAMES = {field.alias or name: name for name, field in AgentMemSettings.model_fields.items()}


async def change_settings(
    bus: MemoryBus, changes: Mapping[str, Any], unset: Sequence[str], *, dry_run: bool = False
) -> AgentMemSettings:
    """Set and unset values of the bus's flow, unless it is a ``dry_run``.  Returns the settings that hold then.

    Raises: BadRequest (names each wrong setting, its value and the remedy).
    """
    stored = await bus.config_get(TYPE)
    own = read_json_object(stored.get(bus.flow, "{}").encode(), f"{TYPE}/{bus.flow} of the configuration")
    wanted = _apply(own, changes, unset)
    if wanted != own:
        stored[bus.flow] = json.dumps(wanted, ensure_ascii=False)
        if not dry_run:
            await bus.config_put(TYPE, {bus.flow: stored[bus.flow]})
    return settings_of(bus.flow, stored)


def _apply(own: Mapping[str, Any], changes: Mapping[str, Any], unset: Sequence[str]) -> dict[str, Any]:
    """``own`` may hold names that another program wrote, and that are no settings: they can be removed, too.

    Raises: BadRequest.
    """
    if both := sorted(changes.keys() & set(unset)):
        raise BadRequest(f"{both[0][:60]} is set and unset at the same time: leave one out")
    if unknown := sorted(set(unset) - own.keys() - NAMES.keys()):
        raise BadRequest(f"unset {unknown[0][:60]!r}: there is no such setting; the list of settings has their names")
    wanted = {name: value for name, value in own.items() if name not in unset} | dict(changes)
    if wanted != own:
        try:
            parse_agent_mem(wanted, "these settings")
        except ConfigurationError as error:  # here the caller wrote them
            raise BadRequest(str(error)) from None
    return wanted


def names_set(settings: AgentMemSettings) -> set[str]:
    """The settings that do not have their defaults, because the flow or the workspace sets them."""
    return {name for name, field in NAMES.items() if field in settings.model_fields_set}
