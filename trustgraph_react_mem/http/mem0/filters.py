"""What a request of a mem0 client concerns: its four ids, and mem0's filter language.

``{"AND": [...]}``, ``{"OR": [...]}``, ``{"NOT": [...]}`` over ``{"field": value}`` or ``{"field": {"gte": value}}``.
Several fields of one object must all hold.  ``"*"`` means any value.

Invariant: what is not understood is refused, so that no filter is silently left out.

Source: mem0's documentation, "Memory Filters" of the platform (API v2 and later).
"""

import operator as operators
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any

from aiohttp import web
from pydantic import BeforeValidator, StringConstraints

from ...errors import BadRequest
from ...memory.timefmt import parse_time
from ..access import Access
from ..application import access_of, principal_of
from ..request_body import quote, value_of

ID_FIELDS = ("user_id", "agent_id", "app_id", "run_id")
#: Sent by clients before 2.0.  The key decides both, so they are read over.
ACCOUNT_FIELDS = ("org_id", "project_id", "org_name", "project_name", "output_format", "version", "api_version")
Id = Annotated[
    str,
    BeforeValidator(lambda given: str(given) if type(given) is int else given),
    StringConstraints(strip_whitespace=True, min_length=1, max_length=256),
]

Ids = Mapping[str, str]
"""The ids that a request names, by field."""


def read_ids(body: Mapping[str, Any]) -> Ids:
    """The ids at the top of a body or query, or in its plain ``filters``.  Raises: BadRequest (differing, or not texts)."""
    filters = body.get("filters")
    inside: Mapping[str, Any] = filters if isinstance(filters, Mapping) else {}
    found: dict[str, str] = {}
    for name in ID_FIELDS:
        plain = inside.get(name)
        named = {read_id(name, body.get(name)), "" if isinstance(plain, list | dict) else read_id(name, plain)} - {""}
        if len(named) > 1:
            raise BadRequest(f"{name} differs between the body and its filters: send one of them")
        if named:
            found[name] = named.pop()
    return found


def read_id(name: str, value: object) -> str:
    """The id without white space around it; "" for None.  Raises: BadRequest."""
    return str(value_of({name: value}, name, Id, ""))


async def access_for(request: web.Request, *users: str) -> Access:
    """The memory of the one user that a request names.  ``*`` names none.

    Raises: as ``access_of``; BadRequest (several users).
    """
    named, principal = set(users) - {"", "*"}, await principal_of(request)
    if len(named) > 1 and principal.kind != "user":
        raise BadRequest(f"the request names {len(named)} users: send one request for each")
    return await access_of(request, user=min(named - {principal.user}, default=""))


def refuse_unknown(request: web.Request, allowed: Sequence[str], outcome: str = "") -> None:
    """``outcome``: what did not happen.  Raises: BadRequest (a parameter has no meaning here or comes twice: it may narrow)."""
    for name in sorted(request.query):
        if name not in allowed:
            raise BadRequest(f"the query has an unknown parameter {name[:60]!r}{outcome}: use one of {', '.join(allowed)}")
        if len(request.query.getall(name)) > 1:
            raise BadRequest(f"the query has {name[:60]!r} twice{outcome}: give it once")


Memory = Mapping[str, Any]
Test = Callable[[Memory], bool]

TIMES = {"created_at": "created_at", "updated_at": "updated_at", "timestamp": "created_at"}
FIELDS = (*ID_FIELDS, *TIMES, "categories", "metadata", "keywords", "memory_ids")
KEYS = {"memory_ids": "id", "keywords": "memory"}  # of a memory object; others have the name of the field
ORDERED: Mapping[str, Callable[[Any, Any], bool]] = {
    "gte": operators.ge, "lte": operators.le, "gt": operators.gt, "lt": operators.lt,
}  # fmt: skip
OPERATORS = ("eq", "ne", "in", "nin", *ORDERED, "contains", "icontains")
ANY = "*"
MOST_DEPTH, MOST_CONDITIONS, MOST_VALUES = 10, 200, 1000


@dataclass(slots=True)
class Filter:
    """``users``: those that it asks for by name.  ``others``: number of conditions on anything but the user.

    ``dated``: it asks when memories were changed.
    """

    users: set[str] = field(default_factory=set)
    others: int = 0
    dated: bool = False
    conditions: int = 0
    test: Test = lambda _: True

    def __call__(self, memory: Memory) -> bool:
        return self.test(memory)

    @property
    def trivial(self) -> bool:
        """It has no condition but the user."""
        return not self.others

    def read(self, node: object, depth: int, *, positive: bool) -> Test:
        if not isinstance(node, Mapping):
            raise BadRequest(f'filters = {quote(node)} is not an object: send one such as {{"user_id": "ana"}}')
        if depth > MOST_DEPTH:
            raise BadRequest(f"filters are nested more than {MOST_DEPTH} levels deep: simplify them")
        return _all([self._part(name, value, depth, positive=positive) for name, value in node.items()])

    def _part(self, name: str, value: object, depth: int, *, positive: bool) -> Test:
        if name in FIELDS:
            return self._condition(name, value, positive=positive)
        if name not in ("AND", "OR", "NOT"):
            raise BadRequest(f"filters have an unknown field {quote(name)}: use AND, OR, NOT or one of {', '.join(FIELDS)}")
        parts = [value] if name == "NOT" and isinstance(value, Mapping) else value
        if not isinstance(parts, list) or not parts:
            raise BadRequest(f"filters.{name} = {quote(value)} is not a list of filters with at least one entry")
        tests = [self.read(part, depth + 1, positive=positive is (name != "NOT")) for part in parts]
        self.others += name == "NOT" or (name == "OR" and len(tests) > 1)
        return _all(tests) if name == "AND" else lambda memory: any(test(memory) for test in tests) is (name == "OR")

    def _condition(self, name: str, value: object, *, positive: bool) -> Test:
        self.conditions += 1
        if self.conditions > MOST_CONDITIONS:
            raise BadRequest(f"filters have more than {MOST_CONDITIONS} conditions: use fewer")
        self.dated |= name == "updated_at"
        if name == "metadata":
            self.others += 1
            return _metadata_test(value)
        tests: list[Test] = []
        for operator, given in _pairs(name, value):
            wanted = _ids(name, given) if name in ID_FIELDS else given
            if name == "user_id" and operator in ("eq", "in"):
                named = ({wanted} if operator == "eq" else set(wanted)) - {ANY}
                self.users |= named if positive else set()
                self.others += len(named) > 1
            else:
                self.others += 1
            tests.append(_test(name, operator, wanted))
        return _all(tests)


def parse_filters(filters: object) -> Filter:
    """None and ``{}`` hold for every memory.  Raises: BadRequest."""
    made = Filter()
    made.test = made.read({} if filters is None else filters, 0, positive=True)
    return made


def _all(tests: Sequence[Test]) -> Test:
    return lambda memory: all(test(memory) for test in tests)


def _pairs(name: str, value: object) -> Iterator[tuple[str, Any]]:
    """(operator, value) of a condition.  Raises: BadRequest."""
    if not isinstance(value, Mapping):
        value = {"in" if isinstance(value, list) else "eq": value}
    if not value:
        raise BadRequest(f"filters.{name} is empty: give a value, or one of {', '.join(OPERATORS)}")
    for operator, wanted in value.items():
        where = f"filters.{name}.{operator} = {quote(wanted)}"
        if operator not in OPERATORS:
            raise BadRequest(f"filters.{name} has an unknown operator {quote(operator)}: use one of {', '.join(OPERATORS)}")
        if operator in ("in", "nin"):
            if not isinstance(wanted, list) or len(wanted) > MOST_VALUES or not all(map(_is_plain, wanted)):
                raise BadRequest(f"{where} is not a list of at most {MOST_VALUES} texts or numbers")
        elif not _is_plain(wanted) or (operator in ("contains", "icontains") and not isinstance(wanted, str)):
            raise BadRequest(f"{where} is not a text{'' if 'contains' in operator else ' or a number'}")
        yield operator, wanted.strip() if isinstance(wanted, str) else wanted


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float | bool | None)


def _ids(name: str, wanted: Any) -> Any:
    """One id or several, as memories have them: texts, and None for none.  Raises: BadRequest (a memory has a user always)."""
    if isinstance(wanted, list):
        return [_ids(name, each) for each in wanted]
    if wanted is None and name != "user_id":
        return None
    found = read_id(f"filters.{name}", wanted)
    if not found:
        raise BadRequest(f"filters.{name} is {quote(wanted)}: leave it out, or send a name")
    return found


def _test(name: str, operator: str, wanted: Any) -> Test:
    if name in TIMES and (wanted, operator) != (ANY, "eq"):
        if operator not in ("eq", "ne", *ORDERED):
            raise BadRequest(f"filters.{name}.{operator} is not possible for a time: use eq, ne, gte, lte, gt or lt")
        limit = read_moment(f"filters.{name}", wanted)
        return lambda memory: (at := parse_time(memory.get(TIMES[name]) or "")) is not None and _holds(at, operator, limit)
    if name == "keywords":
        if operator not in ("eq", "contains", "icontains") or not isinstance(wanted, str):
            raise BadRequest(f"filters.keywords.{operator} is not possible: use contains or icontains with a text")
        if wanted == ANY:
            return lambda memory: True
        operator = "icontains" if operator == "eq" else operator
    return lambda memory: _holds(memory.get(KEYS.get(name, name)), operator, wanted)


def _metadata_test(value: object) -> Test:
    """Of ``{"key": value}``, ``{"key": {"gte": value}}``, ``{"contains": {"key": value}}`` or ``{"ne": {"key": value}}``."""
    if value == ANY:
        return lambda memory: bool(memory["metadata"])
    if not isinstance(value, Mapping) or not value:
        raise BadRequest(f'filters.metadata = {quote(value)} is not an object: send one such as {{"topic": "food"}}')
    return _all([_entry_test(str(key), wanted) for key, wanted in value.items()])


def _entry_test(key: str, wanted: object) -> Test:
    if key in ("contains", "ne") and isinstance(wanted, Mapping):
        test = _metadata_test(wanted)
        return lambda memory: test(memory) is (key == "contains")
    pairs = list(_pairs(f"metadata.{key}", wanted))
    return lambda memory: all(_holds(memory["metadata"].get(key), operator, each) for operator, each in pairs)


def _holds(value: Any, operator: str, wanted: Any) -> bool:
    """Whether a value of a memory, or one of a list of values, satisfies a condition."""
    values: Sequence[Any] = value if isinstance(value, list) else [] if value is None else [value]
    match operator:
        case "eq":
            return bool(values) if wanted == ANY else _is_among(wanted, values) or (wanted is None and not values)
        case "in":
            return any(_holds(value, "eq", each) for each in wanted)
        case "ne" | "nin":
            return not _holds(value, "eq" if operator == "ne" else "in", wanted)
        case "contains":
            # An entry of a list, or a part of a text.
            return _is_among(wanted, values) or (isinstance(value, str) and wanted in value)
        case "icontains":
            return any(wanted.casefold() in str(each).casefold() for each in values)
    return any(_comparable(each, wanted) and ORDERED[operator](each, wanted) for each in values)


def _is_among(wanted: Any, values: Sequence[Any]) -> bool:
    """In Python ``True == 1``; in JSON they are different values."""
    return any(each == wanted and isinstance(each, bool) == isinstance(wanted, bool) for each in values)


def _comparable(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return False
    return type(one) is type(other) or (isinstance(one, int | float) and isinstance(other, int | float))


def read_moment(what: str, value: object) -> datetime:
    """A time: ISO 8601, or seconds since 1970.  Raises: BadRequest."""
    found = parse_time(value) if isinstance(value, str) else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            found = datetime.fromtimestamp(value, UTC)
        except (OverflowError, OSError, ValueError):
            found = None
    if found is None:
        raise BadRequest(f"{what} = {quote(value)} is not a time: use ISO 8601 such as 2026-05-01 or seconds since 1970")
    return found
