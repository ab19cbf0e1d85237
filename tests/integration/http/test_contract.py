"""Whatever is sent, the answer is one that the OpenAPI document describes, and never a failure of the server."""

import json
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.examples import examples

from .served import DOCUMENT, Served

pytestmark = pytest.mark.asyncio(loop_scope="module")

ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    1e308,
    "",
    "x",
    " ",
    "ä",
    "\u0000",
    "\u202e",
    "a" * 201,
    [],
    [None],
    {},
    {"a": {"b": []}},
]
OPERATIONS = [
    (method.upper(), path, operation) for path, methods in DOCUMENT["paths"].items() for method, operation in methods.items()
]


def resolve(schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = DOCUMENT["components"]["schemas"][name] if name else schema
    return found


def value(chance: random.Random, schema: dict[str, Any]) -> Any:
    """A value that fits the schema, or an odd one."""
    schema = resolve(schema)
    if chance.random() < 0.2:
        return chance.choice(ODD)
    if "anyOf" in schema:
        return value(chance, chance.choice(schema["anyOf"]))
    if "const" in schema or "enum" in schema:
        return chance.choice(schema.get("enum") or [schema["const"]])
    match schema.get("type"):
        case "object":
            fields = schema.get("properties", {})
            needed = schema.get("required", ())
            return {name: value(chance, each) for name, each in fields.items() if name in needed or chance.random() < 0.4}
        case "array":
            return [value(chance, schema["items"]) for _ in range(chance.randrange(3))]
        case "integer":
            return chance.randrange(-2, 30)
        case "number":
            return chance.random() * 1.2
        case "boolean":
            return chance.random() < 0.5
        case "string":
            texts = ["fay", "default", "2026-01-01T00:00:00Z", "hello there", "7", "{", "[0", "<think>"]
            return chance.choice([*texts, *(each * 300 for each in " \né(-")])
    return None


def requests(operation: dict[str, Any], path: str, seed: str, number: int) -> Iterator[tuple[str, bytes | None]]:
    """(path with query, body) of ``number`` requests.  ``seed``: the same requests each time."""
    chance = random.Random(seed)
    for _ in range(number):
        target = path.replace("{id}", chance.choice(["x", "none", "%00", "%2e%2e%2e", "a%2Fb", "ü", "7" * 300]))
        chosen = [each for each in operation.get("parameters", []) if each["in"] == "query" and chance.random() < 0.3]
        given = [(each["name"], value(chance, each["schema"])) for each in chosen]
        query = "&".join(f"{name}={quote(str(each)[:300], safe='')}" for name, each in given)
        body = operation.get("requestBody")
        content = None
        if body is not None:
            [schema] = (each["schema"] for each in body["content"].values())
            content = json.dumps(value(chance, schema)).encode()
        yield f"{target}?{query}" if query else target, content


@pytest.mark.hypothesis  # so that make test-all repeats it with all requests
@pytest.mark.parametrize(
    ("method", "path", "operation"), OPERATIONS, ids=[f"{method} {path}" for method, path, _ in OPERATIONS]
)
async def test_an_answer_is_as_described(served: Served, method: str, path: str, operation: dict[str, Any]) -> None:
    fay = served.user("fay")
    for target, body in requests(operation, path, f"{method} {path}", examples(40)):
        answer = await fay(method, target, raw=body)  # the caller compares each answer with the document
        assert answer.status < 500 or "has no language model" in answer.text, (target, body, answer.text)
