"""Checks that the values of a wire record have the types of its fields.  JSON can put anything anywhere.

Null means that a client left the field out, as TrustGraph's gateway does, so it becomes the default of the field.
"""

import math
from dataclasses import is_dataclass, replace
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from ...errors import BadRequest

INTEGERS = range(-(2**63), 2**63)  # what the engines can store
_SCALARS: dict[Any, tuple[str, tuple[type, ...]]] = {
    str: ("a string", (str,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
    bool: ("true or false", (bool,)),
}


def check_values(record: Any, path: str = "") -> Any:
    """``record``, or a copy with the defaults of fields that are null.  ``path``: before the names of its fields in errors.

    Raises: BadRequest (a value has another type than its field, or is a number that cannot be stored).
    """
    cls: Any = type(record)  # mypy does not accept a dataclass as hashable
    changed = {}
    for name, hint in _hints(cls).items():
        value = getattr(record, name)
        used = getattr(cls(), name) if value is None else _check(hint, f"{path}{name}", value)
        if used is not value:
            changed[name] = used
    return replace(record, **changed) if changed else record


_hints = cache(get_type_hints)


def _check(hint: Any, name: str, value: Any) -> Any:
    """The value to use.  Raises: BadRequest."""
    if hint in _SCALARS:
        return _check_scalar(hint, name, value)
    if get_origin(hint) is list:
        return _check_list(get_args(hint)[0], name, value)
    if get_origin(hint) is dict:
        return _check_fields(name, value)
    if not is_dataclass(hint):  # T | None
        return _check(get_args(hint)[0], name, value)
    if not isinstance(value, hint):  # type: ignore[arg-type]
        raise _wrong(name, "an object", value)
    return check_values(value, f"{name}.")


def _check_list(item: Any, name: str, value: Any) -> Any:
    if not isinstance(value, list):
        raise _wrong(name, "a list", value)
    if item in (str, float) and {item}.issuperset(map(type, value)):  # needs no look at each item
        return value
    items = [_check(item, f"{name}[{place}]", each) for place, each in enumerate(value)]
    return value if all(new is old for new, old in zip(items, value, strict=True)) else items


def _check_fields(name: str, value: Any) -> Any:
    """Metadata.  Numbers and truth values become text, as they always did."""
    if not isinstance(value, dict):
        raise _wrong(name, "an object", value)
    for key, each in value.items():
        if not isinstance(each, str | int | float):
            raise _wrong(f"{name}[{key[:40]!r}]", "a string", each)
    return value if all(type(each) is str for each in value.values()) else {key: str(each) for key, each in value.items()}


def _check_scalar(kind: type, name: str, value: Any) -> Any:
    wanted, types = _SCALARS[kind]
    if not isinstance(value, types) or (isinstance(value, bool) and kind is not bool):
        raise _wrong(name, wanted, value)
    if isinstance(value, int) and value not in INTEGERS:
        raise BadRequest(f"{name} is too large: use a number of at most 64 bits")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadRequest(f"{name} is {value}: use a finite number")
    return value


def _wrong(name: str, wanted: str, value: Any) -> BadRequest:
    return BadRequest(f"{name} must be {wanted}, not {type(value).__name__}")
