"""Which values a search of LangGraph's store means.  As its ``InMemoryStore`` decides."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from .items import Name, StoredItem


class Condition(Protocol):
    """LangGraph's ``MatchCondition``."""

    @property
    def match_type(self) -> str: ...
    @property
    def path(self) -> Sequence[str]: ...


def by_namespace(items: Sequence[StoredItem]) -> list[StoredItem]:
    """Together by namespace, in the order of the oldest value of each."""
    places: dict[Name, list[StoredItem]] = {}
    for item in items:
        places.setdefault(item.name[:-1], []).append(item)
    return [item for group in places.values() for item in group]


def namespaces(items: Iterable[StoredItem], conditions: Iterable[Condition], max_depth: int | None) -> list[Name]:
    """Sorted, each once."""
    found = {item.name[:-1] for item in items}
    for condition in conditions:
        found = {namespace for namespace in found if _is_match(condition, namespace)}
    if max_depth is not None:
        found = {namespace[:max_depth] for namespace in found}
    return sorted(found)


def _is_match(condition: Condition, namespace: Name) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether the value has what a filter wants.  Raises: ValueError (an operator that there is not)."""
    return all(_is_equal(value.get(key), each) for key, each in (wanted or {}).items())


def _is_equal(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(key).startswith("$") for key in wanted):
            return all(_compare(value, operator, operand) for operator, operand in wanted.items())
        return isinstance(value, Mapping) and all(_is_equal(value.get(key), each) for key, each in wanted.items())
    if isinstance(wanted, list | tuple):
        same = isinstance(value, list | tuple) and len(value) == len(wanted)
        return same and all(_is_equal(one, other) for one, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _compare(value: Any, operator: str, operand: Any) -> bool:
    if operator == "$eq":
        return bool(value == operand)
    if operator == "$ne":
        return bool(value != operand)
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        one, other = float(value), float(operand)
    except (TypeError, ValueError):
        return False
    return {"$gt": one > other, "$gte": one >= other, "$lt": one < other, "$lte": one <= other}[operator]
