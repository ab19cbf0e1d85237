"""Requests to the conversations service, also about refinement sessions."""

from dataclasses import dataclass
from typing import ClassVar

from ...schema import ConversationsResponse, InvocationSummary, RefinementEvent
from ...schema.topics import CONVERSATIONS
from .base import Request, make_record, needs, operation
from .fields import Limit, Offset


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationsOperation(Request[ConversationsResponse]):
    service: ClassVar[str] = CONVERSATIONS
    response: ClassVar[type] = ConversationsResponse


@operation("get", "read")
class GetConversation(ConversationsOperation):
    conversation_id: str = needs("a conversation_id")
    limit: int = 10  # newest invocations


@operation("current", "read")
class GetCurrentConversation(ConversationsOperation):
    """The conversation that a request without a conversation id belongs to, with its newest invocations.

    It is the newest implicit one of the flow whose last invocation is at most ``within_s`` seconds from ``at``.  If there is
    none, the response has the id of the one to begin.
    """

    flow: str = ""
    at: str = ""  # ISO 8601; "" = now
    within_s: int | None = None  # required
    limit: int = 10


@operation("update", "write")
class AppendInvocation(ConversationsOperation):
    conversation_id: str = needs("a conversation_id")
    invocation: InvocationSummary = needs("an invocation")


@operation("list", "read")
class ListConversations(ConversationsOperation):
    """Newest first, without their invocations."""

    limit: Limit = 10
    offset: Offset = 0


@operation("end", "change")
class EndConversation(ConversationsOperation):
    conversation_id: str = needs("a conversation_id")


@operation("forget")
class ForgetConversation(ConversationsOperation):
    conversation_id: str = needs("a conversation_id")


@operation("stats")
class GetConversationStats(ConversationsOperation):
    pass


@operation("refinement-append", "write")
class AppendRefinement(ConversationsOperation):
    """Append an event to its session, which the first one creates.

    ``expected``: number of events that the sender knows of the session, so that of two senders one is refused with Conflict.
    An event whose id is stored already changes nothing: ``success`` is false.  ``confirm``: as in ``refine.machine.apply``.
    """

    event: RefinementEvent = needs("an event")
    expected: int | None = None  # None = 0
    confirm: bool = False

    @property
    def conversation_id(self) -> str:
        """The conversation whose switches apply."""
        return self.event.conversation_id


@operation("refinement-get", "read")
class GetRefinement(ConversationsOperation):
    """The events of a session.  ``success`` is false if there is none of this id."""

    session_id: str = needs("a session_id")


@operation("refinement-list", "read")
class ListRefinements(ConversationsOperation):
    """Newest first, without their events.  ``conversation_id``: only those of a conversation."""

    conversation_id: str = ""
    limit: Limit = 10
    offset: Offset = 0


@operation("refinement-forget")
class ForgetRefinement(ConversationsOperation):
    """Erase a session.  A job, named in ``stats``, completes it with a receipt."""

    session_id: str = needs("a session_id")


ConversationsRequest = make_record(
    ConversationsOperation,
    "ConversationsRequest",
    "conversation_id invocation limit offset flow at within_s session_id event expected confirm",
)
