"""Typed requests to the memory services, one class per operation, and the wire classes that are made from them."""

from collections.abc import Mapping
from typing import Any

from ...schema.topics import FACTS
from .base import OPERATIONS, Access, AnyRequest, Request, encode
from .base import decode as _decode
from .conversations import *
from .episodes import *
from .facts import *
from .jobs import *

SERVICES: Mapping[str, tuple[type, type]] = {
    each.service: (each.record, each.response)
    for each in (FactsOperation, EpisodesOperation, ConversationsOperation, JobsOperation)
}
"""The wire classes of each service: request and response."""


def decode(record: Any) -> AnyRequest:
    """The typed request of a wire record of any service.  An import of facts with ``data`` is one of lines.

    Raises:
        BadRequest: the service has no such operation, a required field is empty, or a value is wrong.
    """
    known = OPERATIONS[record.service]
    if record.service == FACTS and record.data:
        known = {**known, ImportLines.operation: ImportLines}
    return _decode(record, known)
