"""Reading the bodies of other products' clients.  Each error names the field, its value and the remedy."""

import json
import math
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from ..errors import BadRequest, TooLarge
from ..memory.json_object import json_type
from ..memory.text.well_formed import may_be_ill_formed, well_formed_tree

SHOWN = 60  # characters of a wrong value in a message


async def read_object(request: web.Request) -> dict[str, Any]:
    """The body as a JSON object; no body is an empty one.  Raises: BadRequest, TooLarge."""
    try:
        raw = await request.read()
    except web.HTTPRequestEntityTooLarge as error:
        raise TooLarge("the body is too large: send less at once") from error
    if not raw.strip():
        return {}
    try:
        found = parse_json(raw)
    except UnicodeDecodeError:
        raise BadRequest("the body is not UTF-8: encode it as JSON in UTF-8") from None
    except ValueError:
        raise BadRequest("the body is not JSON: send an object") from None
    if not isinstance(found, dict):
        raise BadRequest(f"the body is of type {json_type(found)}: send a JSON object")
    return found


def parse_json(text: str | bytes | bytearray) -> Any:
    """JSON from a client.  Halves of characters are replaced.

    Raises: ValueError (it is no JSON, is nested too deeply, or has a number that could not be sent back).
    """
    try:
        found = json.loads(text, parse_float=_finite, parse_constant=_finite)
        return well_formed_tree(found) if isinstance(text, str) or may_be_ill_formed(text) else found
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _finite(text: str) -> float:
    """Raises: ValueError (JSON has no NaN and no infinite numbers)."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is not a JSON number")
    return number


def text_of(body: Mapping[str, Any], name: str, *, needed: bool = False) -> str:
    """A text without white space around it.  None counts as "".  Raises: BadRequest."""
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise BadRequest(f"{name} {quote_value(value)} is of type {json_type(value)}: send a text")
    text = (value or "").strip()
    if needed and not text:
        raise BadRequest(f"{name} is missing or empty: send a text")
    return text


def number_of(body: Mapping[str, Any], name: str, default: int, least: int, most: int) -> int:
    """A whole number, also written as a text, as in a query string.  Raises: BadRequest."""
    value = body.get(name)
    if value is None or value == "":
        return default
    wrong = f"{name} {quote_value(value)} is not a whole number between {least} and {most}"
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise BadRequest(wrong)
    try:
        number = int(value)
    except ValueError:
        raise BadRequest(wrong) from None
    if not least <= number <= most:
        raise BadRequest(wrong)
    return number


def share_of(body: Mapping[str, Any], name: str, default: float) -> float:
    """A number from 0 to 1.  Raises: BadRequest."""
    value = body.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadRequest(f"{name} {quote_value(value)} is not a number from 0 to 1")
    return float(value)


def flag_of(body: Mapping[str, Any], name: str, default: bool) -> bool:
    """True or false, also as a text.  Raises: BadRequest."""
    value = body.get(name)
    if value is None:
        return default
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise BadRequest(f"{name} {quote_value(value)} is neither true nor false")
    return value


def texts_of(body: Mapping[str, Any], name: str) -> list[str]:
    """A list of texts.  None counts as an empty one.  Raises: BadRequest."""
    value = body.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise BadRequest(f"{name} {quote_value(value)} is not a list of texts")
    return list(value)


def quote_value(value: object) -> str:
    """A wrong value for a message, as JSON writes it, shortened."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
