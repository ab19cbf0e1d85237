"""Parse JSON objects from untrusted input."""

import json

from ..errors import BadRequest
from .ports.base import JsonValue


def read_json_object(text: str | bytes, what: str) -> dict[str, JsonValue]:
    """Parse ``text`` as a JSON object.  ``what`` names it in errors, for example "the payload of job 17".

    Raises: BadRequest (not JSON, or not an object).
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadRequest(f"{what} is not JSON: write it as a JSON object") from None
    if not isinstance(value, dict):
        raise BadRequest(f"{what} is a JSON {type(value).__name__}: write it as a JSON object")
    return value
