"""The OpenAPI document: valid, complete, and of the routes that are served."""

import json
import re
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from trustgraph_react_mem.http.native import ROUTES, routes
from trustgraph_react_mem.http.native.openapi import document

DOCUMENT: dict[str, Any] = document(ROUTES)


def test_the_document_is_valid_openapi_3_1() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    assert [error.message for error in OpenAPIV31SpecValidator(json.loads(json.dumps(DOCUMENT))).iter_errors()] == []


def test_the_document_has_the_served_routes_and_no_others() -> None:
    served = {(route.method.lower(), route.path.rstrip("/")) for route in routes()} - {("get", "/openapi.json")}
    described = {(method, path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert described == served


def test_operation_ids_are_unique() -> None:
    ids = [operation["operationId"] for methods in DOCUMENT["paths"].values() for operation in methods.values()]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_a_route_says_what_it_takes_and_answers(route: Any) -> None:
    operation = DOCUMENT["paths"][route.path][route.method.lower()]
    named = {each["name"] for each in operation.get("parameters", []) if each["in"] == "path"}
    assert named == set(re.findall(r"{(\w+)}", route.path))
    assert operation["summary"].endswith(".")
    assert any(int(status) < 300 for status in operation["responses"])
    assert {"400", "401", "429", "503"} <= operation["responses"].keys()
    if route.path.endswith("{id}"):
        assert "404" in operation["responses"]
