"""The JSON reader for text that a language model wrote: strict decoding first, then json-repair.

No I/O.  Unreadable text raises ``ValueError`` with a reason that can be shown to the model.  What is read holds well-formed
texts only (``text.well_formed``).
"""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

import json_repair

from .ports.base import JsonValue
from .text.well_formed import well_formed_tree

MOST_REPAIRED = 50_000  # characters: the repair of longer or deeper text takes too long
_MOST_BRACKETS = 1000
_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_MOST_FAILURES = 20
_TEXT_KEYS = ("text", "content", "statement", "memory", "claim", "value", "description")  # for the field that holds the text
_QUOTES = str.maketrans("“”„", '"' * 3)
_DECODER = json.JSONDecoder(strict=False)  # a raw line break inside a string is accepted


def parse_json(text: str) -> Any:
    """The JSON value in the answer.  Of an answer that was cut off, the complete parts.

    Raises:
        ValueError: it holds none.
    """
    if '"' not in text:
        text = text.translate(_QUOTES)
    candidates = [text.strip(), *(fenced.strip() for fenced in _FENCE.findall(text))]
    failure = ""
    for candidate in candidates:
        try:
            return well_formed_tree(_DECODER.decode(candidate))
        except (ValueError, RecursionError) as error:
            failure = failure or str(error)
    for candidate in reversed(candidates):
        opening = _OPENING.search(candidate)
        if opening is None:
            continue
        body = candidate[opening.start() :]
        try:
            return well_formed_tree(_DECODER.raw_decode(body)[0])
        except (ValueError, RecursionError):
            value = _repair(body)
        if value:
            return value if body.rstrip().endswith(("}", "]")) else _without_last(value)
    raise ValueError(f"no JSON in the answer: {failure}")


def parse_jsonl(text: str) -> list[Any]:
    """The objects of an answer with one object per line.  Other lines are skipped, also the end of a truncated answer.

    A JSON array, or objects over several lines, are accepted too.
    """
    fenced = _FENCE.findall(text)
    body = "\n".join(fenced) if fenced else text
    found: list[Any] = []
    position = failures = 0
    while failures < _MOST_FAILURES and (opening := _OPENING.search(body, position)) is not None:
        start = opening.start()
        try:
            value, position = _DECODER.raw_decode(body, start)
        except (ValueError, RecursionError):
            failures += 1
            line = body[start:].partition("\n")[0].rstrip(" \t\r,")
            if not line.startswith("{") or body[:start].rpartition("\n")[2].strip():
                position = opening.end()
                continue
            position = start + len(line)  # a line that is a broken object: what it holds is none of the answer's objects
            value = _repair(line) if line.endswith("}") else None
        found += value if isinstance(value, list) else [value]
    return [well_formed_tree(item) for item in found if item and isinstance(item, dict | list)]


def read_items(value: JsonValue, key: str, text_key: str = "", wrapped: int = 3) -> list[JsonValue] | None:
    """The list that a model was asked for under ``key``, in the forms that small models give it; None if there is none.

    Accepted are the list alone, one item without a list, items by number, null for an empty list, a list under another name or
    within another object, and each of them as JSON in a text.  ``text_key``: the field of an item that a text alone is read as.
    ``wrapped``: objects that may be around the one that was asked for.

    >>> read_items(["Ann likes tea"], "facts", "fact")
    [{'fact': 'Ann likes tea'}]
    """
    value = _decode(value)
    if isinstance(value, dict) and not (text_key and text_key in value):
        lists = [each for each in value.values() if isinstance(each, list) and any(isinstance(item, dict) for item in each)]
        named = next((name for name in value if name.lower() == key.lower()), None)
        if named is not None:
            value = _decode(value[named]) if value[named] is not None else []
        elif len(lists) == 1 and not (text_key and _text_of(value, text_key)):
            value = lists[0]
        elif not (text_key and _text_of(value, text_key)):
            inner = [each for each in map(_decode, value.values()) if isinstance(each, dict)]
            return read_items(inner[0], key, text_key, wrapped - 1) if len(inner) == 1 and wrapped else None
    if isinstance(value, dict) and value and all(name.isdigit() for name in value):
        value = list(value.values())
    if isinstance(value, dict) or (text_key and isinstance(value, str) and value.strip()):
        value = [value]
    if not isinstance(value, list):
        return None
    flat = [item for each in map(_decode, value) for item in (each if isinstance(each, list) else [each])]
    return [_as_item(item, text_key) for item in flat]


def _as_item(item: JsonValue, text_key: str) -> JsonValue:
    """The item with its text under ``text_key``, and without fields that are null."""
    item = _decode(item)
    if text_key and isinstance(item, str):
        return {text_key: item}
    if not isinstance(item, dict):
        return item
    text = _text_of(item, text_key) if text_key else ""
    kept = {name: each for name, each in item.items() if each is not None}
    return {text_key: text, **kept} if text and text_key not in item else kept


def _text_of(item: Mapping[str, JsonValue], text_key: str) -> str:
    """The text of an item, also under another usual name or in another case; "" if it has none."""
    for name in (text_key, *_TEXT_KEYS):
        found = next((each for key, each in item.items() if key.lower() == name), None)
        if isinstance(found, str) and found.strip():
            return found
    return ""


def _decode(value: JsonValue) -> JsonValue:
    """The value of a text that is JSON itself, else the value."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return cast(JsonValue, parse_json(value))
        except ValueError:
            return value
    return value


def read_object(text: str) -> dict[str, JsonValue] | None:
    """The JSON object at the start of ``text``, repaired if necessary.  None if that fails."""
    try:
        value, _ = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        value = _repair(text) or None
    return cast(dict[str, JsonValue], well_formed_tree(value)) if isinstance(value, dict) else None


def _repair(text: str) -> Any:
    """The repaired value, of several objects the first.  None if there is none."""
    if len(text) > MOST_REPAIRED or sum(map(text.count, "{[")) > _MOST_BRACKETS or text.count("(") > 5 * _MOST_BRACKETS:
        return None
    try:
        value = well_formed_tree(json_repair.loads(text, skip_json_loads=True))
    except (ValueError, RecursionError):  # nested too deeply
        return None
    if text.startswith("{") and isinstance(value, list):
        return next((item for item in value if isinstance(item, dict) and item), None)
    return value if isinstance(value, dict | list) else None


def _without_last(value: Any) -> Any:
    """Without the last item of the innermost list of objects, because the end of the answer cut it off."""
    holder = value
    while isinstance(holder, dict) and holder:
        holder = list(holder.values())[-1]
    if isinstance(holder, list) and len(holder) > 1 and isinstance(holder[-1], dict):
        holder.pop()
    return value
