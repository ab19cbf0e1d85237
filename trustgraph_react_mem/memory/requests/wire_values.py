"""Checks that the values of a wire record have the types of its fields.  JSON can put anything anywhere.

Null means that a client left the field out, as TrustGraph's gateway does, so it becomes the default of the field.
"""

import math
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from ...errors import BadRequest

Check = Callable[[str, Any], Any]  # name and value of a field -> the value to use; raises BadRequest
INTEGERS = range(-(2**63), 2**63)  # what the engines can store


def check_values(record: Any, path: str = "") -> Any:
    """``record``, or a copy with the defaults of fields that are null.  ``path``: before the names of its fields in errors.

    Raises: BadRequest (a value has another type than its field, or is a number that cannot be stored).
    """
    cls: Any = type(record)  # mypy does not accept a dataclass as hashable
    changed = {}
    for name, (check, default) in _plan(cls).items():
        value = getattr(record, name)
        used = default() if value is None else check(f"{path}{name}", value)
        if used is not value:
            changed[name] = used
    return replace(record, **changed) if changed else record


@cache
def _plan(cls: Any) -> dict[str, tuple[Check, Callable[[], Any]]]:
    """Field -> the check of its values, and its default."""
    hints = get_type_hints(cls)
    return {each.name: (_check_of(hints[each.name]), _default_of(each)) for each in fields(cls)}


def _default_of(field: Field[Any]) -> Callable[[], Any]:
    return (lambda: field.default) if field.default_factory is MISSING else field.default_factory


def _check_of(hint: Any) -> Check:
    if isinstance(hint, UnionType):  # T | None
        return _check_of(next(part for part in get_args(hint) if part is not NoneType))
    if get_origin(hint) is list:
        return _list_of(get_args(hint)[0])
    if get_origin(hint) is dict:
        return _check_fields
    return partial(_check_record, hint) if is_dataclass(hint) else partial(_check_scalar, hint)


def _list_of(item: Any) -> Check:
    check = _check_of(item)
    plain = {item} if item in (str, float) else set()  # a list of nothing else needs no look at each item

    def check_list(name: str, value: Any) -> Any:
        if not isinstance(value, list):
            raise _wrong(name, "a list", value)
        if plain.issuperset(map(type, value)):
            return value
        items = [check(f"{name}[{place}]", each) for place, each in enumerate(value)]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items

    return check_list


def _check_record(cls: Any, name: str, value: Any) -> Any:
    if not isinstance(value, cls):
        raise _wrong(name, "an object", value)
    return check_values(value, f"{name}.")


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


_SCALARS: dict[Any, tuple[str, tuple[type, ...]]] = {
    str: ("a string", (str,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
    bool: ("true or false", (bool,)),
}


def _wrong(name: str, wanted: str, value: Any) -> BadRequest:
    return BadRequest(f"{name} must be {wanted}, not {type(value).__name__}")
