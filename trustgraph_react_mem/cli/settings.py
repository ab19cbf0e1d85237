"""`settings`: show and change the ``agent-mem`` settings of a workspace or a flow."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from ..errors import BadRequest, ConfigurationError
from ..memory.json_object import read_json_object
from ..settings import AgentMemSettings, overlay, parse_agent_mem
from .application import app
from .connection import connect
from .options import Session, command

TYPE, DEFAULT = "agent-mem", "default"


@command(app, "settings")
async def settings(
    session: Session,
    changes: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="Settings to change.")] = None,
    unset: Annotated[list[str] | None, typer.Option("--unset", help="Reset a setting to its default; repeatable.")] = None,
) -> None:
    """Show the agent settings. KEY=VALUE changes them, for the flow given by --flow, else for the whole workspace."""
    key = session.options.flow
    added = _parse_changes(changes or [])
    if both := sorted({*(unset or [])} & set(added)):
        raise BadRequest(f"{both[0]} is set and unset at the same time: leave out --unset {both[0]}, or {both[0]}=...")
    async with connect(session) as bus:
        stored = await bus.config_get(TYPE)
        own = read_json_object(stored.get(key, "{}").encode(), f"{TYPE}/{key} of the configuration")
        dropped = _check_names(unset or [], own)
        wanted = {name: value for name, value in own.items() if name not in dropped} | added
        if wanted != own:
            try:
                parse_agent_mem(wanted, "these settings")
            except ConfigurationError as error:  # here the person at the command line wrote them
                raise BadRequest(str(error)) from None
            await bus.config_put(TYPE, {key: json.dumps(wanted, ensure_ascii=False)})
            stored = await bus.config_get(TYPE)
    effective = overlay(stored.get(DEFAULT), stored.get(key) if key != DEFAULT else None)
    values = effective.model_dump(mode="json", by_alias=True)
    chosen = {
        field.alias or name for name, field in AgentMemSettings.model_fields.items() if name in effective.model_fields_set
    }
    rows = [[name, json.dumps(value, ensure_ascii=False), "set" if name in chosen else ""] for name, value in values.items()]
    session.screen.table(f"{TYPE} of flow {key}", ["key", "value", ""], rows)
    session.screen.data({"settings": values, "set": sorted(chosen)})


def _parse_changes(changes: list[str]) -> dict[str, Any]:
    """KEY=VALUE pairs.  VALUE is JSON if it parses, else text."""
    found: dict[str, Any] = {}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals:
            raise BadRequest(f"{change!r}: give KEY=VALUE, such as rerank=off")
        try:
            found[name.strip()] = json.loads(text)
        except ValueError:
            found[name.strip()] = text
    return found


def _check_names(names: list[str], stored: Mapping[str, Any]) -> set[str]:
    """``stored`` may hold keys that another program wrote, and that are no settings: they can be removed, too."""
    known = {field.alias or name for name, field in AgentMemSettings.model_fields.items()} | set(stored)
    for name in names:
        if name not in known:
            raise BadRequest(f"--unset {name}: there is no such setting; `react-mem settings` lists them")
    return set(names)
