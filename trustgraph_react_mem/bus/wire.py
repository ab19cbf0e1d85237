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
from ..memory.text.well_formed import may_be_ill_formed, well_formed, well_formed_tree

T = TypeVar("T")
MOST_BYTES = 5 * 2**20 - 20_000  # Pulsar's default message limit (5 MiB) minus room for headers
Convert = Callable[[Any], Any]


def encode(message: Any) -> bytes:
    """JSON of a wire dataclass, with its fields in order and ``None`` as null.

    Raises:
        TypeError: a field holds a type that the wire does not know.
    """
    data = json.dumps(message, default=_plain).encode("ascii")
    return json.dumps(well_formed_tree(_tree(message))).encode("ascii") if may_be_ill_formed(data) else data


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
    result: T = restore(values, cls)
    return result


def snapshot(message: Any) -> Any:
    """The message as its JSON text would be read, without creating the text.

    Raises:
        TypeError: as ``encode``.
        TooLarge: the JSON text would exceed the broker's message limit.
    """
    tree = _tree(message)
    # Measuring the exact size costs as much as encoding, so it is done only if a cheap lower bound says that it may matter.
    if _characters(tree) > MOST_BYTES // 12:
        check_fits(type(message).__name__, len(json.dumps(tree)))
    return tree


def restore(tree: Any, cls: Any) -> Any:
    """The result of ``decode`` for a ``snapshot``, whose lists it shares."""
    plan, arguments = _plan(cls), {}
    for name, value in tree.items():
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


def _characters(tree: Any) -> int:
    """A cheap size estimate: at least a twelfth of the length of the JSON text."""
    if isinstance(tree, str):
        return len(tree)
    if isinstance(tree, dict):
        return sum(len(key) + _characters(value) for key, value in tree.items())
    if isinstance(tree, list):
        return 4 * len(tree) if tree and isinstance(tree[0], float) else len(tree) + sum(map(_characters, tree))
    return 1


def _tree(value: Any) -> Any:
    """``value`` as it would come back from JSON."""
    if isinstance(value, list | tuple):
        return list(value) if _NUMBERS.issuperset(map(type, value)) else [_tree(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(str(key)): _tree(item) for key, item in value.items()}
    if isinstance(value, str):
        return well_formed(value)
    if type(value) in _NUMBERS or isinstance(value, float | int):
        return value
    return _tree(_plain(value))


_NUMBERS = frozenset({float, int, bool, type(None)})


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
    return lambda value: restore(value, cls) if isinstance(value, dict) else value


def _of_list(cls: Any) -> Convert:
    def convert(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [restore(item, cls) if isinstance(item, dict) else item for item in value]

    return convert


def _of_bytes(value: Any) -> Any:
    return value.encode("utf-8") if isinstance(value, str) else value
