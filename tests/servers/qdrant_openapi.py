"""Requests and answers held to the OpenAPI description that Qdrant publishes with its release.

``OPENAPI.request("PUT", "/collections/facts/points", {"wait": "true"}, body)`` raises ``NotInOpenApi`` for anything that the
description does not name: a path, a method, a parameter, a field of the body.  Fields are closed, for a server of another
release takes an unknown one in silence and does not do what was asked.

``qdrant-openapi-VERSION.json`` is the part that this package uses of ``docs/redoc/master/openapi.json`` in
github.com/qdrant/qdrant (Apache-2.0) at the tag ``vVERSION``, without its prose.  From a copy of that file:

    python -m tests.servers.qdrant_openapi openapi.json
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import jsonschema

VERSION = "1.19.0"
SHA256 = "ae5cf980e40fc12ce7ce48f500a7c9cc19a7d8fcf0cfa1e2c7c7b27faecd8ffa"
"""Of the whole published file."""
USED = {
    "/": ("get",),
    "/collections": ("get",),
    "/collections/{collection_name}": ("get", "put", "delete"),
    "/collections/{collection_name}/exists": ("get",),
    "/collections/{collection_name}/facet": ("post",),
    "/collections/{collection_name}/index": ("put",),
    "/collections/{collection_name}/points": ("put", "post"),
    "/collections/{collection_name}/points/query": ("post",),
    "/collections/{collection_name}/points/scroll": ("post",),
    "/collections/{collection_name}/points/count": ("post",),
    "/collections/{collection_name}/points/delete": ("post",),
}
REFERENCE = "#/components/schemas/"
PROSE = {
    "description",
    "summary",
    "title",
    "example",
    "examples",
    "tags",
    "operationId",
    "externalDocs",
    "deprecated",
    "default",
}


class NotInOpenApi(Exception):
    """The text names the operation and the place in it."""


class OpenApi:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document

    def request(self, method: str, path: str, params: Mapping[str, str], body: Any = None) -> None:
        """``params``: the query as it stands in the address.  Raises: NotInOpenApi."""
        name, operation = self._operation(method, path)
        known = {each["name"]: each for each in operation.get("parameters", ()) if each["in"] == "query"}
        for key, text in params.items():
            if key not in known:
                raise NotInOpenApi(f"{name} has no parameter {key!r}: one of {', '.join(known) or 'none'}")
            self._hold(f"{name}, parameter {key}", _of_text(text), known[key]["schema"])
        content = operation.get("requestBody", {}).get("content", {})
        if not content:
            if body not in (None, {}):
                raise NotInOpenApi(f"{name} takes no body")
            return
        self._hold(f"{name}, body", body, content["application/json"]["schema"])

    def response(self, method: str, path: str, status: int, body: Any) -> None:
        """Raises: NotInOpenApi."""
        name, operation = self._operation(method, path)
        answers = operation["responses"]
        answer = answers.get(str(status)) or answers.get(f"{status // 100}XX") or answers.get("default")
        if answer is None:
            raise NotInOpenApi(f"{name} does not answer with status {status}")
        content = answer.get("content", {})
        if content:
            self._hold(f"{name}, answer {status}", body, content["application/json"]["schema"])

    def _operation(self, method: str, path: str) -> tuple[str, Mapping[str, Any]]:
        for template, operations in self._document["paths"].items():
            if re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template)), path):
                if method.lower() not in operations:
                    raise NotInOpenApi(f"{path} has no method {method}: one of {', '.join(operations)}")
                operation: Mapping[str, Any] = operations[method.lower()]
                return f"{method} {template}", operation
        raise NotInOpenApi(f"there is no path {path}, or none that this package uses")

    def _hold(self, where: str, value: Any, schema: Mapping[str, Any]) -> None:
        validator = jsonschema.Draft202012Validator({**_json_schema(schema), "components": {"schemas": self._schemas}})
        fault = jsonschema.exceptions.best_match(validator.iter_errors(value))
        if fault is not None:
            raise NotInOpenApi(f"{where}: {fault.json_path}: {fault.message}")

    @cached_property
    def _schemas(self) -> dict[str, Any]:
        return {name: _json_schema(schema) for name, schema in self._document["components"]["schemas"].items()}


def _of_text(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _json_schema(schema: Any) -> Any:
    """OpenAPI 3.0 as JSON Schema 2020-12: ``nullable`` as a type, objects closed, formats of numbers left out."""
    if isinstance(schema, list):
        return [_json_schema(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = {key: _json_schema(value) for key, value in schema.items() if key not in ("nullable", "format")}
    if "properties" in found:
        found["properties"] = {key: _json_schema(value) for key, value in schema["properties"].items()}
        found.setdefault("additionalProperties", False)
    if not schema.get("nullable"):
        return found
    return {"anyOf": [found, {"type": "null"}]} if found else {"type": "null"}


def extracted(document: Mapping[str, Any]) -> dict[str, Any]:
    """What this package uses, with every schema that is reached from there."""
    paths = {path: {method: _bare(document["paths"][path][method]) for method in methods} for path, methods in USED.items()}
    schemas: dict[str, Any] = {}
    waiting = list(_references(paths))
    while waiting:
        name = waiting.pop()
        if name not in schemas:
            schemas[name] = _bare(document["components"]["schemas"][name])
            waiting += _references(schemas[name])
    return {"paths": paths, "components": {"schemas": dict(sorted(schemas.items()))}}


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            if key == "$ref":
                yield each.removeprefix(REFERENCE)
            else:
                yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)


def _bare(value: Any, *, named: bool = False) -> Any:
    """Without prose; ``named``: the keys are names that the API gives, such as a field ``description``."""
    if isinstance(value, list):
        return [_bare(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    return {key: _bare(each, named=key == "properties") for key, each in value.items() if named or key not in PROSE}


FILE = Path(__file__).with_name(f"qdrant-openapi-{VERSION}.json")
if FILE.exists():
    OPENAPI = OpenApi(json.loads(FILE.read_text("utf-8")))


def main(published: Path) -> int:
    raw = published.read_bytes()
    if hashlib.sha256(raw).hexdigest() != SHA256:
        print(f"{published} is not the file of Qdrant {VERSION}: its checksum is another", file=sys.stderr)
        return 1
    FILE.write_text(json.dumps(extracted(json.loads(raw)), sort_keys=True, separators=(",", ":")) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
