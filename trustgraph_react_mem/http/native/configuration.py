"""`/v1/settings` and `/v1/keys`: the settings of the flow that everyone uses, and which keys there are."""

import asyncio
import json
from typing import Any, Literal, get_args, get_origin

from aiohttp import web
from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from ...bus.external_client import MemoryBus
from ...errors import BadRequest, ConfigurationError, NotPermitted
from ...memory.json_object import read_json_object
from ...settings import AgentMemSettings, overlay, parse_agent_mem
from ..application import LISTENER, principal_of
from . import answers, models
from .routing import Answer, Routes

TYPE, DEFAULT = "agent-mem", "default"


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


class Keys(BaseModel):
    results: list[Key]


@ROUTES.route("GET", "/v1/settings", tag="settings", answers={200: Settings})
async def show_settings(request: web.Request) -> Answer:
    """The settings of the flow, with their meanings and bounds."""
    bus = await _bus(request)
    return _describe(await bus.config_get(TYPE), bus.flow)


@ROUTES.route("PUT", "/v1/settings", tag="settings", answers={200: Settings}, errors=(403,))
async def change_settings(request: web.Request, body: models.SettingChanges) -> Answer:
    """Change settings of the flow. It needs an admin key, unless dry_run only checks them.

    Raises: BadRequest (names each wrong setting, its value and the remedy), NotPermitted (no admin key).
    """
    principal, bus = await principal_of(request), await _bus(request)
    if not (body.dry_run or principal.kind == "admin"):
        raise NotPermitted(
            f"settings hold for everyone who uses the flow, so a change needs an admin key: the key {principal.key_id} is of "
            f"kind {principal.kind}"
        )
    stored = await bus.config_get(TYPE)
    own = read_json_object(stored.get(bus.flow, "{}").encode(), f"{TYPE}/{bus.flow} of the configuration")
    if both := sorted(body.settings.keys() & set(body.unset)):
        raise BadRequest(f"{both[0][:60]!r} is set and unset at the same time: leave one out")
    if unknown := sorted(set(body.unset) - own.keys() - _names().keys()):
        raise BadRequest(f"unset: there is no setting {unknown[0][:60]!r}: GET /v1/settings lists them")
    wanted = {name: value for name, value in own.items() if name not in body.unset} | body.settings
    try:
        parse_agent_mem(wanted, "settings")
    except ConfigurationError as error:  # here the caller wrote them
        raise BadRequest(str(error)) from None
    changed = {**stored, bus.flow: json.dumps(wanted, ensure_ascii=False)}
    if wanted != own and not body.dry_run:
        await bus.config_put(TYPE, {bus.flow: changed[bus.flow]})
    return _describe(changed, bus.flow)


@ROUTES.route("GET", "/v1/keys", tag="settings", answers={200: Keys})
async def keys(request: web.Request) -> Answer:
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
    return Keys(results=[answers.copy(Key, key) for key in shown])


async def _bus(request: web.Request) -> MemoryBus:
    return await request.app[LISTENER].buses.open((await principal_of(request)).workspace)


def _names() -> dict[str, FieldInfo]:
    return {field.alias or name: field for name, field in AgentMemSettings.model_fields.items()}


def _describe(stored: dict[str, str], flow: str) -> Settings:
    """The settings that hold: those of the flow over those of the workspace."""
    effective = overlay(stored.get(DEFAULT), stored.get(flow) if flow != DEFAULT else None)
    values = effective.model_dump(mode="json", by_alias=True)
    chosen = {
        field.alias or name for name, field in AgentMemSettings.model_fields.items() if name in effective.model_fields_set
    }
    schema = AgentMemSettings.model_json_schema(by_alias=True)["properties"]
    results = [
        Setting(
            name=name,
            value=values[name],
            default=schema[name].get("default"),
            is_set=name in chosen,
            meaning=field.description or "",
            choices=_choices(field.annotation),
            type=_type(schema[name]),
            minimum=_read_bound(schema[name], "minimum"),
            maximum=_read_bound(schema[name], "maximum"),
        )
        for name, field in _names().items()
    ]
    return Settings(flow=flow, results=results)


def _choices(annotation: Any) -> list[str]:
    choices = get_args(annotation) if get_origin(annotation) is Literal else ()
    return [choice for choice in choices if isinstance(choice, str)]


def _type(schema: dict[str, Any]) -> str:
    """``boolean``, ``integer``, ``number``, ``string`` or ``json``, as a JSON Schema names it."""
    found = schema.get("type", "json")
    return str(found) if found in ("boolean", "integer", "number", "string") else "json"


def _read_bound(schema: dict[str, Any], name: str) -> float | None:
    found = schema.get(name)
    return float(found) if isinstance(found, int | float) else None
