"""`settings`: show and change the ``agent-mem`` settings of a workspace or a flow."""

import json
from typing import Annotated, Any

import typer

from ..errors import BadRequest
from ..flow_settings import TYPE
from ..stored_settings import change_settings, names_set
from .application import app
from .connection import connect
from .options import Session, command


@command(app, "settings")
async def settings(
    session: Session,
    changes: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="Settings to change.")] = None,
    unset: Annotated[list[str] | None, typer.Option("--unset", help="Reset a setting to its default; repeatable.")] = None,
) -> None:
    """Show the agent settings. KEY=VALUE changes them, for the flow given by --flow, else for the whole workspace."""
    added = _parse_changes(changes or [])
    async with connect(session) as bus:
        effective = await change_settings(bus, added, unset or [])
    values, chosen = effective.model_dump(mode="json", by_alias=True), names_set(effective)
    rows = [[name, json.dumps(value, ensure_ascii=False), "set" if name in chosen else ""] for name, value in values.items()]
    session.screen.table(f"{TYPE} of flow {session.options.flow}", ["key", "value", ""], rows)
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
