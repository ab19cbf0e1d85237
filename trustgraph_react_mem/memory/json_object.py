"""Parse JSON objects from untrusted input."""

import json
from typing import Any, cast

from ..errors import BadRequest
from .ports.base import JsonValue
from .text.well_formed import well_formed_tree

_TYPES = {type(None): "null", bool: "boolean", int: "number", float: "number", str: "string", list: "list", tuple: "list"}


def json_type(value: Any) -> str:
    """The type of a value of JSON, in the words of JSON."""
    return _TYPES.get(type(value), "object")


def read_json_object(text: str | bytes, what: str) -> dict[str, JsonValue]:
    """Parse ``text`` as a JSON object.  Its texts are well-formed.  ``what`` names it in errors, as "the payload of job 17".

    Raises: BadRequest (not JSON, or not an object).
    """
    try:
        value = well_formed_tree(json.loads(text))
    except (ValueError, RecursionError):
        raise BadRequest(f"{what} is not JSON: write it as a JSON object") from None
    if not isinstance(value, dict):
        raise BadRequest(f"{what} is of type {json_type(value)}: write it as a JSON object")
    return cast(dict[str, JsonValue], value)
