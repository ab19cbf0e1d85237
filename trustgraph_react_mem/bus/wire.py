"""Dataclasses to JSON and back, with the same bytes as trustgraph-base but less work per message.

trustgraph-base resolves the type hints of a class for every message and copies every record twice before encoding.  Here
the conversion plan of a class is cached.  Tests compare the results with those of trustgraph-base.

Invariant: every text of a message that is sent or received is well-formed (``memory.text.well_formed``).
"""

import json
import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from ..errors import BadRequest, TooLarge
from ..memory.text.well_formed import may_be_ill_formed, well_formed_json, well_formed_tree

T = TypeVar("T")
MOST_BYTES = 5 * 2**20 - 20_000  # Pulsar's default message limit (5 MiB) minus room for headers
Convert = Callable[[Any], Any]


def encode(message: Any) -> bytes:
    """JSON of a wire dataclass, with its fields in order and ``None`` as null.

    Raises:
        TypeError: a field holds a type that the wire does not know.
    """
    return well_formed_json(json.dumps(message, default=_plain).encode("ascii"))


def decode(data: bytes, cls: type[T]) -> T:
    """A wire dataclass from JSON.  Unknown fields are ignored, and missing ones take their defaults.

    Raises:
        BadRequest: not a JSON object.
    """
    try:
        values = json.loads(data)
        values = well_formed_tree(values) if may_be_ill_formed(data) else values
    except (ValueError, RecursionError) as error:  # RecursionError: brackets nested too deeply
        raise BadRequest(f"a {cls.__name__} message of {len(data)} bytes is not JSON: {type(error).__name__}") from None
    if not isinstance(values, dict):
        raise BadRequest(f"a {cls.__name__} message must be a JSON object, not {type(values).__name__}")
    result: T = _restore(values, cls)
    return result


def _restore(values: Any, cls: Any) -> Any:
    plan, arguments = _plan(cls), {}
    for name, value in values.items():
        if name in plan:
            convert = plan[name]
            arguments[name] = value if convert is None else convert(value)
    return cls(**arguments)


def check_fits(name: str, size: int) -> None:
    """Raises: TooLarge (a message of ``size`` bytes exceeds the broker's limit)."""
    if size > MOST_BYTES:
        raise TooLarge(
            f"a {name} of {size / 1e6:.1f} MB does not go over the bus, which takes {MOST_BYTES / 1e6:.1f} MB: "
            "send or ask for less at once"
        )


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {name: getattr(value, name) for name in _names(type(value))}
    if isinstance(value, bytes):
        return value.decode("utf-8")
    raise TypeError(f"a wire message cannot hold a {type(value).__name__}")


@cache
def _names(cls: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls))


@cache
def _plan(cls: Any) -> dict[str, Convert | None]:
    """Field name -> conversion of its JSON value.  None: used as it is."""
    return {name: _conversion(hint) for name, hint in get_type_hints(cls).items() if name in _names(cls)}


def _conversion(hint: Any) -> Convert | None:
    origin = get_origin(hint)
    if isinstance(hint, types.UnionType) or origin is Union:
        inner = next((part for part in get_args(hint) if part is not type(None)), None)
        return _of_dataclass(inner) if type(None) in get_args(hint) and is_dataclass(inner) else None
    if origin is list:
        item = get_args(hint)[0] if get_args(hint) else None
        return _of_list(item) if is_dataclass(item) else None
    if is_dataclass(hint):
        return _of_dataclass(hint)
    if hint is bytes:
        return _of_bytes
    return None


def _of_dataclass(cls: Any) -> Convert:
    return lambda value: _restore(value, cls) if isinstance(value, dict) else value


def _of_list(cls: Any) -> Convert:
    def convert(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [_restore(item, cls) if isinstance(item, dict) else item for item in value]

    return convert


def _of_bytes(value: Any) -> Any:
    return value.encode("utf-8") if isinstance(value, str) else value
