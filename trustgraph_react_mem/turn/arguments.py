"""Lenient parsing of tool call arguments: JSON with trailing text, single quotes, unquoted keys, or a cut-off end."""

import ast
import json
import re
from typing import cast

from ..memory.ports import JsonValue

_CALL = re.compile(r"^([A-Za-z_][\w .-]*?)\((.*)\)\s*$", re.DOTALL)
_KEYWORD = re.compile(r"([A-Za-z_]\w*)\s*=\s*")
_LOOSE_KEY = re.compile(r"([{,]\s*)([A-Za-z_][\w-]*)\s*:")
_TRAILING_COMMA = re.compile(r",\s*([}\]])")
_LITERALS = {"true": "True", "false": "False", "null": "None"}
_NOTHING = {"", "none", "null", "n/a", "{}", "-", "()"}


def read_arguments(text: str, *, labelled: bool) -> dict[str, JsonValue] | str | None:
    """The object in ``text``, or a bare value as text.  None if it was meant as an object but cannot be parsed.

    ``labelled``: the text followed ``Args:``.  Without that label, text that is not an object is ignored.
    """
    stripped = text.strip().strip("`").strip()
    if stripped.startswith("json"):
        stripped = stripped[4:].lstrip()
    if stripped.lower() in _NOTHING:
        return {}
    start = stripped.find("{")
    if start >= 0 and (labelled or start < 40):
        return read_object(stripped[start:])
    if not labelled:
        return {}
    first = stripped.split("\n", 1)[0].strip()
    return first.strip("\"'") or {}


def split_call(name: str) -> tuple[str, str]:
    """Split ``tool(question="x")`` into the name and the text of an object.  Other names are returned unchanged."""
    found = _CALL.match(name)
    if found is None:
        return name, ""
    inner = found.group(2).strip()
    if not inner:
        return found.group(1).strip(), "{}"
    if _KEYWORD.match(inner):
        return found.group(1).strip(), "{" + _KEYWORD.sub(r'"\1": ', inner) + "}"
    return found.group(1).strip(), inner


def read_object(text: str) -> dict[str, JsonValue] | None:
    """The JSON object at the start of ``text``, repaired if necessary.  None if that fails."""
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (json.JSONDecodeError, RecursionError):
        pass
    else:
        return cast(dict[str, JsonValue], value) if isinstance(value, dict) else None
    body = _balance(text)
    tidy = _TRAILING_COMMA.sub(r"\1", _LOOSE_KEY.sub(r'\1"\2":', body))
    for candidate in (tidy, body):
        for read in (_parse_json, _parse_python):
            found = read(candidate)
            if found is not None:
                return found
    return None


def _parse_json(text: str) -> dict[str, JsonValue] | None:
    try:
        value = json.loads(text, strict=False)
    except (json.JSONDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _parse_python(text: str) -> dict[str, JsonValue] | None:
    """Parse single quotes and Python constants.  ``literal_eval`` executes no code."""
    replaced = re.sub(r"\b(true|false|null)\b", lambda m: _LITERALS[m.group(1)], text)
    try:
        value = ast.literal_eval(replaced)
        # Values that JSON cannot hold (bytes, sets, complex numbers) are returned as text.
        return cast(dict[str, JsonValue], json.loads(json.dumps(value, default=str))) if isinstance(value, dict) else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _balance(text: str) -> str:
    """The text up to the brace that closes the first one.  Quotes and braces missing at a cut-off end are added."""
    closers: list[str] = []
    quote = ""
    escaped = False
    for place, char in enumerate(text):
        if quote:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == quote:
                quote = ""
        elif char == '"' or (char == "'" and _opens_string(text, place)):
            quote = char
        elif char in "{[":
            closers.append("}" if char == "{" else "]")
        elif char in "}]":
            if closers:
                closers.pop()
            if not closers:
                return text[: place + 1]
    return text.rstrip().rstrip(",") + quote + "".join(reversed(closers))


def _opens_string(text: str, place: int) -> bool:
    """Whether the quote at this position opens a string.  An apostrophe inside a word does not."""
    before = text[:place].rstrip()[-1:]
    return before in ("", "{", "[", ",", ":", "(")
