"""The base class of requests to memory services, and their conversion to and from wire records.

In code, each operation has a class with exactly the fields that it reads.  On the wire, a service has one record type for
all operations, which ``make_record`` makes from them.  Only ``encode`` and ``decode`` convert between the two.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, make_dataclass
from functools import cache
from typing import Any, ClassVar, Generic, Literal, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints

from annotated_types import Ge, Le

from ...errors import BadRequest
from ..text.well_formed import well_formed_tree
from .wire_values import check_values

Response = TypeVar("Response")
Class = TypeVar("Class", bound=type[Any])

Access = Literal["read", "write", "change", "none"]
"""How an operation accesses memories, which decides how a service runs it:

- ``read``: returns memories; returns nothing while reading is switched off
- ``write``: adds memories; refused while writing is switched off
- ``change``: undoes, ends or sets a switch; always allowed, and fenced against erasures like ``write``
- ``none``: anything else
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[Response]):
    """One operation of one service, for one user and collection.  The workspace comes from the topic.

    Each service has a subclass with ``service`` (the name of its topics), ``record`` (``make_record``) and ``response`` (its
    wire classes).  Each operation has a subclass of that, declared by ``operation``.  Ill-formed texts are replaced
    (``text.well_formed``).
    """

    service: ClassVar[str]
    record: ClassVar[type]
    response: ClassVar[type]
    operation: ClassVar[str]
    access: ClassVar[Access]

    user: str = ""
    collection: str = "default"
    operator: str = ""  # token of an operator (``authority``); a service has verified one that its operation sees

    def __post_init__(self) -> None:
        """Raises: BadRequest (a value is outside of its range)."""
        cls: Any = type(self)  # mypy does not accept a generic class as hashable
        for name, (kind, least, most) in _ranges(cls).items():
            value = getattr(self, name)
            fits = isinstance(value, (int, kind)) and not isinstance(value, bool) and least <= value <= most
            if not fits and value is not None:
                raise BadRequest(f"{name} {value!r} must be between {least} and {most}")
        for each in fields(self):
            given = getattr(self, each.name)
            if (mended := well_formed_tree(given)) is not given:
                object.__setattr__(self, each.name, mended)  # the record is frozen for everyone else

    @property
    def wait_s(self) -> float:
        """Seconds for which the service may deliberately wait, in addition to its normal response time."""
        return float(getattr(self, "timeout_s", 0.0))


AnyRequest = Request[Any]
OPERATIONS: dict[str, dict[str, type[AnyRequest]]] = {}
"""Service -> operation -> its class.  Of two classes of one operation, the first."""


def needs(what: str) -> Any:
    """A field that must not be empty on the wire; ``what`` describes it in the error."""
    return field(metadata={"needs": what})


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field, needs))
def operation(name: str, access: Access = "none") -> Callable[[Class], Class]:
    """Class decorator: the requests for the operation of this name.

    The metadata of a field may have its ``name`` on the wire, and the function that ``read``s it from a record.
    """

    def register(cls: Class) -> Class:
        made: Any = dataclass(frozen=True, slots=True, kw_only=True)(cls)
        made.operation, made.access = name, access
        OPERATIONS.setdefault(made.service, {}).setdefault(name, made)
        return made  # type: ignore[no-any-return]

    return register


def make_record(service: type[AnyRequest], name: str, order: str) -> Any:
    """The wire class of the requests to a service: the fields of all its operations, each with the type and default of the
    first that has it.  What an operation requires is empty by default, so that every message decodes.

    ``order``: the names of the fields as they stand in a message.  Other fields follow them.
    """
    operations: Mapping[str, Any] = OPERATIONS[service.service]
    found: dict[str, tuple[Any, Any]] = {"operation": (str, "")}
    for cls in operations.values():
        hints = get_type_hints(cls)
        for each in fields(cls):
            found.setdefault(_wire_name(each), _wire_field(each, hints[each.name]))
    names = dict.fromkeys(["operation", "user", "collection", *order.split(), *found])
    del names["operator"]
    made = make_dataclass(
        name,
        [(each, *found[each]) for each in (*names, "operator")],
        namespace={"__doc__": f"operation: {' | '.join(operations)}.", "service": service.service},
    )
    service.record = made
    return made


def _wire_field(declared: "Field[Any]", hint: Any) -> tuple[Any, Any]:
    """Type and default of a field in a message."""
    collection: Any = {Sequence: list, Mapping: dict}.get(get_origin(hint))
    if collection is not None:
        return collection[get_args(hint)], field(default_factory=collection)
    kind, *others = get_args(hint) or (hint,)  # T | None has two
    kind = kind | None if others or is_dataclass(kind) else kind
    empty = kind() if isinstance(kind, type) else None
    return kind, empty if declared.default is MISSING else declared.default


def encode(request: AnyRequest) -> Any:
    """The wire record of the request.  Fields that the operation does not use keep their defaults."""
    values = {_wire_name(each): getattr(request, each.name) for each in fields(request)}
    lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
    return request.record(operation=request.operation, **{**values, **lists})


def decode(record: Any, operations: Mapping[str, type[AnyRequest]]) -> AnyRequest:
    """The typed request of a wire record.  Fields that the operation does not use are ignored.

    Raises:
        BadRequest: the service has no such operation, a required field is empty, or a value has the wrong type.
    """
    record = check_values(record)
    cls: Any = operations.get(record.operation)
    if cls is None:
        raise BadRequest(f"{record.service} has no operation {record.operation!r}: one of {', '.join(operations)}")
    values = {}
    for each in fields(cls):
        read = each.metadata.get("read")
        value = values[each.name] = read(record) if read else getattr(record, _wire_name(each))
        if not value and "needs" in each.metadata:
            raise BadRequest(f"{record.operation} needs {each.metadata['needs']}")
    request: AnyRequest = cls(**values)
    return request


def _wire_name(declared: "Field[Any]") -> str:
    return str(declared.metadata.get("name", declared.name))


@cache
def _ranges(cls: Any) -> dict[str, tuple[Any, Any, Any]]:
    """Field -> its type, least and largest value, of the fields that have them (``fields``)."""
    found: dict[str, tuple[Any, Any, Any]] = {}
    for name, hint in get_type_hints(cls, include_extras=True).items():
        for part in (hint, *get_args(hint)):  # T, or T | None
            bounds = {type(bound): bound for each in getattr(part, "__metadata__", ()) for bound in each.metadata}
            if Ge in bounds and Le in bounds:
                found[name] = get_args(part)[0], bounds[Ge].ge, bounds[Le].le
    return found
