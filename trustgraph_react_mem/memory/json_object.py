"""Reading a JSON object that comes from outside."""

import json

from ..errors import BadRequest
from .ports.base import JsonValue


def read_json_object(text: str | bytes, what: str) -> dict[str, JsonValue]:
    """``what`` names the text in the error, such as "the payload of job 17".

    Raises: BadRequest (not JSON, or JSON of another type).
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadRequest(f"{what} is not JSON: write it as a JSON object") from None
    if not isinstance(value, dict):
        raise BadRequest(f"{what} is a JSON {type(value).__name__}: write it as a JSON object")
    return value
