"""Compares answers with what the OpenAPI document says about them."""

import json
import re
from typing import Any

from jsonschema import Draft202012Validator

from trustgraph_react_mem.http.native import ROUTES
from trustgraph_react_mem.http.native.openapi import document

DOCUMENT: dict[str, Any] = json.loads(json.dumps(document(ROUTES)))
PATTERNS = [(re.compile(re.sub(r"{\w+}", "[^/]+", path)), path) for path in DOCUMENT["paths"]]


def find_operation(method: str, path: str) -> dict[str, Any] | None:
    """The description of a route; None for a path that is none."""
    plain = path.partition("?")[0]
    if plain.startswith("/v1/memories") and plain.endswith("/"):
        return None  # mem0's clients ask, and get its shapes
    plain = plain.rstrip("/")
    found = [name for pattern, name in PATTERNS if pattern.fullmatch(plain)]
    best = min(found, key=lambda name: name.count("{"), default=None)
    described: dict[str, Any] | None = DOCUMENT["paths"][best].get(method.lower()) if best else None
    return described


def check(method: str, path: str, status: int, content_type: str, text: str) -> None:
    """Fails unless the status is described, and the body as its schema says."""
    operation = find_operation(method, path)
    if operation is None:
        return
    described = operation["responses"]
    assert str(status) in described, f"{method} {path} answered {status}, which is not in the document: {text[:300]}"
    [(kind, content)] = described[str(status)]["content"].items()
    assert content_type.partition(";")[0] == kind, f"{method} {path} answered {content_type}, not {kind}"
    if kind.endswith(("/json", "+json")):
        schema = {**content["schema"], "components": DOCUMENT["components"]}
        errors = [error.message for error in Draft202012Validator(schema).iter_errors(json.loads(text))]
        assert errors == [], f"{method} {path}: {errors[:3]}"
