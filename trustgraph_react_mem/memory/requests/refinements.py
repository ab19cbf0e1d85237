"""Requests to the conversations service about refinement sessions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ...schema import RefinementEvent
from .base import Access, required_field, wire_field
from .conversations import ConversationsOperation
from .fields import Limit, Offset

_required_session = required_field("session_id", "a session_id")
_required_event = required_field("event", "an event")


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendRefinement(ConversationsOperation):
    """Append an event to its session, which the first one creates.

    ``expected``: number of events that the sender knows of the session, so that of two senders one is refused with Conflict.
    An event whose id is stored already changes nothing: ``success`` is false.  ``confirm``: as in ``refine.machine.apply``.
    """

    operation: ClassVar[str] = "refinement-append"
    access: ClassVar[Access] = "write"
    event: RefinementEvent = field(metadata=wire_field("event", _required_event))
    expected: int | None = None  # None = 0
    confirm: bool = False

    @property
    def conversation_id(self) -> str:
        """The conversation whose switches apply."""
        return self.event.conversation_id


@dataclass(frozen=True, slots=True, kw_only=True)
class GetRefinement(ConversationsOperation):
    """The events of a session.  ``success`` is false if there is none of this id."""

    operation: ClassVar[str] = "refinement-get"
    access: ClassVar[Access] = "read"
    session_id: str = field(metadata=wire_field("session_id", _required_session))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRefinements(ConversationsOperation):
    """Newest first, without their events.  ``conversation_id``: only those of a conversation."""

    operation: ClassVar[str] = "refinement-list"
    access: ClassVar[Access] = "read"
    conversation_id: str = ""
    limit: Limit = 10
    offset: Offset = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRefinement(ConversationsOperation):
    """Erase a session.  A job, named in ``stats``, completes it with a receipt."""

    operation: ClassVar[str] = "refinement-forget"
    session_id: str = field(metadata=wire_field("session_id", _required_session))


OPERATIONS: Mapping[str, type[ConversationsOperation]] = {
    each.operation: each for each in (AppendRefinement, GetRefinement, ListRefinements, ForgetRefinement)
}
