"""Arguments of a tool call as small models write them: JSON with trailing text, single quotes, loose keys, cut off."""

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
    """The object in ``text``; a bare value as text; None when it was meant as an object and cannot be read as one.

    ``labelled``: the text stood after ``Args:``; without that label, text that is no object counts as chatter.
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
    """``tool(question="x")`` as its name and the text of an object; other names unchanged."""
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
    """The JSON object that ``text`` begins with, or what can be repaired into one."""
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
    """Single quotes and Python's own constants.  ``literal_eval`` runs nothing."""
    replaced = re.sub(r"\b(true|false|null)\b", lambda m: _LITERALS[m.group(1)], text)
    try:
        value = ast.literal_eval(replaced)
        # What Python reads and JSON cannot say (bytes, sets, complex numbers) comes back as text.
        return cast(dict[str, JsonValue], json.loads(json.dumps(value, default=str))) if isinstance(value, dict) else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _balance(text: str) -> str:
    """Up to the brace that closes the first one; what is missing at a cut-off end is added."""
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
    """An apostrophe inside a word opens no string."""
    before = text[:place].rstrip()[-1:]
    return before in ("", "{", "[", ",", ":", "(")
