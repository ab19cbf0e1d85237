"""Well-formed Unicode.  Clients that cut a text at 16-bit units leave half a character: a lone surrogate.

JSON can carry one and Python accepts it, but no engine can store it and UTF-8 cannot encode it.  So it is replaced by U+FFFD
wherever text enters: at the bus, in requests, in payloads of jobs, in files, and in what models and tools return.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

T = TypeVar("T")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NUMBERS = frozenset({float, int, bool, type(None)})
_ESCAPE = re.compile(r"(\\(?:u[0-9a-fA-F]{4}|.))")  # in JSON
_ESCAPED = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")


def well_formed(text: str) -> str:
    """``text`` with U+FFFD for each lone surrogate.  The halves of one character become that character.

    >>> well_formed("cut \\ud83d here")
    'cut \ufffd here'
    """
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def may_be_ill_formed(data: bytes | bytearray) -> bool:
    """Whether JSON that is decoded from ``data`` can hold a surrogate.  Never False if it does."""
    return _ESCAPED.search(data) is not None


def well_formed_json(data: bytes) -> bytes:
    """The JSON with halves of characters replaced, which strict readers refuse.  What is no JSON stays as it is."""
    if not may_be_ill_formed(data):
        return data
    try:
        return json.dumps(well_formed_tree(json.loads(data))).encode()
    except (ValueError, RecursionError):
        return data


def well_formed_tree(value: T) -> T:
    """As ``well_formed``, for every text in lists, tuples, dicts and dataclasses.  Returns ``value`` itself if all are."""
    mended: Any = value
    if isinstance(value, str):
        mended = well_formed(value)
    elif isinstance(value, list | tuple) and not _NUMBERS.issuperset(map(type, value)):  # an embedding, perhaps
        items = [well_formed_tree(item) for item in value]
        mended = value if _are_same(items, value) else type(value)(items)
    elif isinstance(value, dict):
        pairs = {well_formed_tree(name): well_formed_tree(item) for name, item in value.items()}
        mended = value if _are_same(pairs, value) and _are_same(pairs.values(), value.values()) else pairs
    elif is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        changed = {name: new for name, part in parts.items() if (new := well_formed_tree(part)) is not part}
        mended = replace(value, **changed) if changed else value
    return mended  # type: ignore[no-any-return]


def _are_same(new: Iterable[object], old: Iterable[object]) -> bool:
    return all(one is other for one, other in zip(new, old, strict=False))


def compose_json(text: str) -> str:
    """JSON with the letters of its texts composed (Unicode NFC): "é" as one character.  The letter of an escape is none.

    A prompt is sent and counted so (``memory/tokens.py``).  What is stored keeps the letters that were typed.

    >>> compose_json('"\\\\nCafe\u0301"')
    '"\\\\nCafé"'
    """
    return "".join(part if place % 2 else unicodedata.normalize("NFC", part) for place, part in enumerate(_ESCAPE.split(text)))
