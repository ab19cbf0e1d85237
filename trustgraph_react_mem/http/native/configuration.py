"""`/v1/settings` and `/v1/keys`: the settings of the flow that everyone uses, and which keys there are."""

import asyncio
from typing import Any

from aiohttp import web
from pydantic import BaseModel, Field

from ...errors import NotPermitted
from ...settings import AgentMemSettings
from ...stored_settings import change_settings, names_set
from ..application import LISTENER, principal_of
from . import answers, models
from .routing import Routes

ROUTES = Routes()


class Setting(BaseModel):
    name: str
    value: Any
    default: Any
    is_set: bool = Field(description="Whether it was set; false: it has its default.")
    meaning: str
    choices: list[str] = []
    type: str = Field(description="`boolean`, `integer`, `number`, `string` or `json`.")
    minimum: float | None = None
    maximum: float | None = None


class Settings(BaseModel):
    flow: str
    results: list[Setting]


class Key(BaseModel):
    id: str
    kind: str
    user: str
    collections: list[str] = Field(description="Those that it may use; empty: all.")
    writes: bool
    label: str
    created_at: str
    last_used_at: str
    revoked_at: str


@ROUTES.route("GET", "/v1/settings", tag="settings")
async def show_settings(request: web.Request) -> Settings:
    """The settings of the flow, with their meanings and bounds."""
    return await _change(request, models.SettingChanges())


@ROUTES.route("PUT", "/v1/settings", tag="settings", errors=(403,))
async def put_settings(request: web.Request, body: models.SettingChanges) -> Settings:
    """Change settings of the flow. It needs an admin key, unless dry_run only checks them.

    Raises: BadRequest (names each wrong setting, its value and the remedy), NotPermitted (no admin key).
    """
    principal = await principal_of(request)
    if not (body.dry_run or principal.kind == "admin"):
        raise NotPermitted(
            f"settings hold for everyone who uses the flow, so a change needs an admin key: the key {principal.key_id} is of "
            f"kind {principal.kind}"
        )
    return await _change(request, body)


async def _change(request: web.Request, body: models.SettingChanges) -> Settings:
    """The settings that hold after the change: those of the flow over those of the workspace."""
    bus = await request.app[LISTENER].buses.open((await principal_of(request)).workspace)
    effective = await change_settings(bus, body.settings, body.unset, dry_run=body.dry_run)
    values, chosen = effective.model_dump(mode="json", by_alias=True), names_set(effective)
    properties = AgentMemSettings.model_json_schema(by_alias=True)["properties"]
    results = [
        Setting(
            name=name,
            value=values[name],
            default=schema.get("default"),
            is_set=name in chosen,
            meaning=schema.get("description", ""),
            choices=[choice for choice in schema.get("enum", []) if isinstance(choice, str)],
            type=found if (found := schema.get("type")) in ("boolean", "integer", "number", "string") else "json",
            minimum=schema.get("minimum"),
            maximum=schema.get("maximum"),
        )
        for name, schema in properties.items()
    ]
    return Settings(flow=bus.flow, results=results)


@ROUTES.route("GET", "/v1/keys", tag="settings")
async def keys(request: web.Request) -> answers.Results[Key]:
    """The keys of the caller's user, without their secrets; with an admin key those of the workspace."""
    principal = await principal_of(request)
    every = await asyncio.to_thread(request.app[LISTENER].list_keys)
    shown = [
        key
        for key in every
        if not key.link_until
        and key.workspace == principal.workspace
        and (principal.kind == "admin" or key.id == principal.key_id or (key.kind == "user" and key.user == principal.user))
    ]
    return answers.Results(results=[answers.copy(Key, key) for key in shown])
