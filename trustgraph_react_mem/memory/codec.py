"""The fields of a record as JSON values, and back: for rows of the graph, payloads of the index and messages.

What a field holds follows from its type in the dataclass: a time is written as a text, a tuple as a list.  Callers name the
fields that a form has, in order.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from datetime import datetime
from functools import cache
from typing import Any, get_origin, get_type_hints

from .ports import JsonValue
from .timefmt import format_time, parse_time, require_time

WriteTime = Callable[[datetime | None], str]


def encode_fields(record: Any, names: Iterable[str], *, time: WriteTime = format_time) -> dict[str, JsonValue]:
    """The fields of a record, in the order of ``names``.  ``time``: how a time is written; "" for none."""
    return {name: _encode(getattr(record, name), time) for name in names}


def encode_set_fields(record: Any, names: Sequence[str], *, time: WriteTime = format_time) -> dict[str, JsonValue]:
    """As ``encode_fields``, without fields that have their default value."""
    usual = decode_fields(record.__class__, names, {})
    return encode_fields(record, [name for name in names if getattr(record, name) != usual[name]], time=time)


def decode_fields(kind: type, names: Iterable[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments ``names`` of a dataclass from their JSON values.  One that is absent or null gets its default, and a
    text without one "".

    Raises:
        ValueError: a time without which the record cannot be is missing or is none.
    """
    readers = _readers(kind)
    return {name: readers[name](values.get(name)) for name in names}


def _encode(value: Any, time: WriteTime) -> JsonValue:
    if value is None or isinstance(value, datetime):  # only times may be absent
        return time(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    written: JsonValue = value
    return written


@cache
def _readers(kind: type) -> Mapping[str, Callable[[Any], Any]]:
    hints = get_type_hints(kind)
    return {field.name: _reader(hints[field.name], field) for field in fields(kind)}


def _reader(hint: Any, field: "Field[Any]") -> Callable[[Any], Any]:
    if hint is datetime:
        return require_time
    if hint == datetime | None:
        return parse_time
    if get_origin(hint) in (tuple, list, dict):
        collection = get_origin(hint)
        return lambda value: collection(value or ())
    if get_origin(hint) is Mapping:
        return lambda value: dict(value or ())
    usual = "" if field.default is MISSING else field.default
    return lambda value: usual if value is None else value
