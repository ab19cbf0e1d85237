"""Requests to the conversations service."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ...schema import ConversationsRequest, ConversationsResponse, InvocationSummary
from ...schema.topics import CONVERSATIONS
from .base import Access, Request, required_field, wire_field
from .fields import Limit, Offset

_required_id = required_field("conversation_id", "a conversation_id")
_required_invocation = required_field("invocation", "an invocation")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationsOperation(Request[ConversationsResponse]):
    service: ClassVar[str] = CONVERSATIONS
    record: ClassVar[type] = ConversationsRequest
    response: ClassVar[type] = ConversationsResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class GetConversation(ConversationsOperation):
    operation: ClassVar[str] = "get"
    access: ClassVar[Access] = "read"
    conversation_id: str = field(metadata=wire_field("conversation_id", _required_id))
    limit: int = 10  # newest invocations


@dataclass(frozen=True, slots=True, kw_only=True)
class GetCurrentConversation(ConversationsOperation):
    """The conversation that a request without a conversation id belongs to, with its newest invocations.

    It is the newest implicit one of the flow whose last invocation is at most ``within_s`` seconds from ``at``.  If there is
    none, the response has the id of the one to begin.
    """

    operation: ClassVar[str] = "current"
    access: ClassVar[Access] = "read"
    flow: str = ""
    at: str = ""  # ISO 8601; "" = now
    within_s: int | None = None  # required
    limit: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendInvocation(ConversationsOperation):
    operation: ClassVar[str] = "update"
    access: ClassVar[Access] = "write"
    conversation_id: str = field(metadata=wire_field("conversation_id", _required_id))
    invocation: InvocationSummary = field(metadata=wire_field("invocation", _required_invocation))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListConversations(ConversationsOperation):
    """Newest first, without their invocations."""

    operation: ClassVar[str] = "list"
    access: ClassVar[Access] = "read"
    limit: Limit = 10
    offset: Offset = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EndConversation(ConversationsOperation):
    operation: ClassVar[str] = "end"
    access: ClassVar[Access] = "change"
    conversation_id: str = field(metadata=wire_field("conversation_id", _required_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetConversation(ConversationsOperation):
    operation: ClassVar[str] = "forget"
    conversation_id: str = field(metadata=wire_field("conversation_id", _required_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class GetConversationStats(ConversationsOperation):
    operation: ClassVar[str] = "stats"


OPERATIONS: Mapping[str, type[ConversationsOperation]] = {
    each.operation: each
    for each in (
        GetConversation,
        GetCurrentConversation,
        AppendInvocation,
        ListConversations,
        EndConversation,
        ForgetConversation,
        GetConversationStats,
    )
}
