"""Reading what clients send: JSON bodies and the values in them.

An error names the field, what is wrong and the remedy.  Values that may be what a person wrote are named by type and length
only.
"""

import functools
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web
from pydantic import TypeAdapter, ValidationError

from ..errors import BadRequest
from ..memory.json_object import json_type
from ..memory.text.well_formed import may_be_ill_formed, well_formed_tree
from .guards import response_headers

REMEDIES = {  # where the words of pydantic do not say what to do
    "none_required": "not supported: leave it out",
    "dict_type": "should be an object",
    "model_type": "should be an object",
    "extra_forbidden": "unknown: leave it out",
    "string_pattern_mismatch": "use the value of next in the page before",
}
_SENDABLE = re.compile(r"[\w.,\[\]]+", re.ASCII)  # in a header
_PLAIN = re.compile(r"[\w.+-]{1,40}")  # one word or number


async def read_object(request: web.Request) -> dict[str, Any]:
    """The body as a JSON object; no body is an empty one.  Raises: BadRequest."""
    raw = await request.read()
    try:
        content = parse_json(raw) if raw.strip() else {}
    except UnicodeDecodeError as error:
        raise BadRequest(f"the body is not UTF-8 text (byte {error.start}): send JSON in UTF-8") from None
    except ValueError as error:
        where = f" at line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        why = getattr(error, "msg", str(error)[:80])
        raise BadRequest(f"the body is not JSON ({why}{where}): send a JSON object") from None
    if not isinstance(content, dict):
        raise BadRequest(f"the body is a JSON {_name_of(content)}: send an object with fields")
    return content


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


def value_of(given: Mapping[str, Any], name: str, kind: Any, default: Any) -> Any:
    """A value of the type ``kind``, which may be written as a text, as in a query string.  None and "" count as ``default``.

    ``default`` ``...``: the value is required.  Raises: BadRequest.
    """
    value = given.get(name)
    if value is None or value == "":
        if default is ...:
            raise BadRequest(f"{name} is missing or empty: add it")
        return default
    try:
        return _adapter(kind).validate_python(value)
    except ValidationError as error:
        raise BadRequest(explain(error, name)) from None


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def note_ignored(request: web.Request, names: Sequence[str]) -> None:
    """Name parts of the body that have no effect in the header ``X-Memory-Ignored``; count them if no name can be sent."""
    if names:
        headers = response_headers(request)
        shown = [each for each in (headers.get("X-Memory-Ignored", ""), *names) if _SENDABLE.fullmatch(each)]
        headers["X-Memory-Ignored"] = ",".join(shown)[:500] or str(len(names))


def explain(error: ValidationError, name: str = "") -> str:
    """Field, value and remedy of the first error.  ``name``: of the field whose value was validated."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in (name, *first["loc"]) if part != "")
    if first["type"] == "missing":
        return f"{where} is missing: add it"
    remedy = REMEDIES.get(first["type"]) or first["msg"].removeprefix("Value error, ").removeprefix("Input ").strip()
    return f"{where} = {quote(first.get('input'))}: {remedy}" if where else remedy


def quote(value: object) -> str:
    """A wrong value for a message."""
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)[:40]
    if isinstance(value, str):
        return ascii(value) if _PLAIN.fullmatch(value) else f"a text of {len(value)} characters"
    return _name_of(value)


def _name_of(value: object) -> str:
    return f"list of {len(value)}" if isinstance(value, list | tuple) else json_type(value)
