"""The OpenAPI 3.1 document, made from the declarations of the routes and their models."""

import functools
import json
import re
from collections.abc import Sequence
from typing import Any

from aiohttp import web
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from ... import __version__
from ..guards import Handler
from . import answers
from .models import Model
from .routing import Route

TEMPLATE = "#/components/schemas/{model}"
PROBLEM = "application/problem+json"
ERRORS = {
    400: "A field or parameter is wrong; the text names it.",
    401: "The request has no valid key.",
    403: "The key may not do this.",
    404: "There is no such record in this memory.",
    405: "The path has other methods.",
    409: "Something else changed it first, or its state does not allow this.",
    410: "The memory was erased, or what this Idempotency-Key was answered.",
    412: "The record is of another version than If-Match names.",
    413: "The body is too large.",
    422: "The Idempotency-Key was used for another request.",
    429: "The key called too often.",
    500: "The server failed.",
    502: "The language model's answer cannot be used.",
    503: "A service does not answer.",
}
ALWAYS = (400, 401, 403, 413, 429, 500, 503)


def document(routes: Sequence[Route]) -> dict[str, Any]:
    models = [each for route in routes for each in (route.body, *route.answers.values()) if each is not None]
    modes: dict[type[BaseModel], JsonSchemaMode] = {answers.Problem: "serialization"}
    modes |= {model: "validation" if issubclass(model, Model) else "serialization" for model in models}
    schemas, shared = models_json_schema([*modes.items()], ref_template=TEMPLATE)
    named = {model: schemas[(model, mode)] for model, mode in modes.items()}
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, named)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "react-mem",
            "version": __version__,
            "description": "Memory of agents: add, search, change and forget.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"bearer": []}, {"key": []}],
        "paths": paths,
        "components": {
            "schemas": shared.get("$defs", {}),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
        },
    }


def _operation(route: Route, named: dict[type[BaseModel], Any]) -> dict[str, Any]:
    words = re.sub(r"[^a-z]+", " ", route.path.lower().removeprefix("/v1")).split()
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    parameters += _query_parameters(route.query)
    if route.once:
        parameters.append(
            {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "minLength": 1, "maxLength": 255}}
        )
    if 412 in route.errors:
        parameters.append({"name": "If-Match", "in": "header", "schema": {"type": "string"}})
    made: dict[str, Any] = {
        "operationId": "_".join([route.method.lower(), *words]),
        "summary": route.summary,
        "tags": [route.tag],
        "responses": {str(status): _answer(route, model, named) for status, model in route.answers.items()},
    }
    for status in sorted({*ALWAYS, *route.errors, *((410, 422) if route.once else ())} - route.answers.keys()):
        made["responses"][str(status)] = {
            "description": ERRORS[status],
            "content": {PROBLEM: {"schema": named[answers.Problem]}},
        }
    if parameters:
        made["parameters"] = parameters
    if route.body is not None:
        required = any(each.is_required() for each in route.body.model_fields.values())
        made["requestBody"] = {"required": required, "content": {route.body_type: {"schema": named[route.body]}}}
    elif route.body_type != "application/json":
        made["requestBody"] = {"required": True, "content": {route.body_type: {"schema": {"type": "string"}}}}
    if route.credential != "required":
        made["security"] = [{}, {"bearer": []}, {"key": []}]
    return made


def _query_parameters(model: type[Model]) -> list[dict[str, Any]]:
    properties = model.model_json_schema(ref_template=TEMPLATE).get("properties", {})
    found = []
    for name, schema in properties.items():
        parameter: dict[str, Any] = {"name": name, "in": "query", "schema": schema}
        if "description" in schema:
            parameter["description"] = schema.pop("description")
        if schema.get("type") == "array":
            parameter |= {"style": "form", "explode": False}
        found.append(parameter)
    return found


def _answer(route: Route, model: type[BaseModel] | None, named: dict[type[BaseModel], Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": named[model]}} if model else {route.answer_type: {"schema": {"type": "string"}}}
    return {"description": route.summary, "content": content}


def handler(routes: Sequence[Route]) -> Handler:
    text = functools.cache(lambda: json.dumps(document(routes)))

    async def show(request: web.Request) -> web.StreamResponse:
        return web.Response(text=text(), content_type="application/json")

    return show
