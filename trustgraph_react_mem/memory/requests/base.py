"""What every request to a memory service has in common, and how it travels.

In the code each operation is a class of its own, which takes the fields that the operation reads and no others.  On the wire
a service has one record for all its operations (``schema.services``); only ``encode`` and ``decode`` go between the two.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, Generic, Literal, TypeVar

from ...errors import BadRequest

Response = TypeVar("Response")

Access = Literal["read", "write", "change", "none"]
"""What an operation does with memories, which decides how a service runs it:

- ``read``: answers with memories; gives nothing while reading is switched off
- ``write``: adds memories; refused while writing is switched off
- ``change``: undoes, ends or sets a choice, which a person may do at any time; fenced against an erasure, as ``write`` is
- ``none``: anything else
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[Response]):
    """One operation of one service, for one user and collection.  The workspace comes from the topic.

    A subclass for each service names ``service`` (its topics), ``record`` and ``response`` (its two wire classes); a subclass
    of that for each operation names the ``operation``.
    """

    service: ClassVar[str]
    record: ClassVar[type]
    response: ClassVar[type]
    operation: ClassVar[str]
    access: ClassVar[Access] = "none"

    user: str = ""
    collection: str = "default"

    @property
    def wait_s(self) -> float:
        """Seconds that the service may take on purpose, beside the time that any answer takes."""
        return 0.0


AnyRequest = Request[Any]
Read = Callable[[Any], Any]  # wire record -> value of a field


def wire(name: str, read: Read | None = None) -> Mapping[str, Any]:
    """Metadata of a field called ``name`` on the wire.  ``read`` takes its value from a record and may raise BadRequest."""
    return {"name": name, "read": read or _reader(name)}


def needed(name: str, what: str) -> Read:
    """Reads a field that must not be empty."""

    def read(record: Any) -> Any:
        value = getattr(record, name)
        if not value:
            raise BadRequest(f"{record.operation} needs {what}")
        return value

    return read


def encode(request: AnyRequest) -> Any:
    """The service's wire record; fields that the operation does not take have their defaults."""
    cls: Any = type(request)  # mypy takes no generic class for hashable
    values = {name: getattr(request, own) for own, (name, _) in _plan(cls).items()}
    lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
    return request.record(operation=request.operation, **{**values, **lists})


def decode(record: Any, operations: Mapping[str, type[AnyRequest]]) -> AnyRequest:
    """The typed request of a wire record; fields that its operation does not take are ignored.

    Raises:
        BadRequest: the service has no such operation, or it needs an id that is not there.
    """
    cls: Any = operations.get(record.operation)
    if cls is None:
        service = next(iter(operations.values())).service
        raise BadRequest(f"{service} has no operation {record.operation!r}: one of {', '.join(operations)}")
    request: AnyRequest = cls(**{own: read(record) for own, (_, read) in _plan(cls).items()})
    return request


@cache
def _plan(cls: Any) -> dict[str, tuple[str, Read]]:
    """Field of the request -> its name on the wire, and how it is read from a wire record."""
    return {
        each.name: (each.metadata.get("name", each.name), each.metadata.get("read", _reader(each.name))) for each in fields(cls)
    }


def _reader(name: str) -> Read:
    return lambda record: getattr(record, name)
