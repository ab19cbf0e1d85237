"""The conversations service: what was asked and answered, invocation by invocation."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..bootstrap import MemoryServices
from ..erasure.forget import forget_job
from ..errors import BadRequest, NotFound
from ..learning.triggers import end_jobs
from ..memory.policies import DataPolicy
from ..memory.records import Conversation, Invocation
from ..memory.scope import Scope
from ..memory.sizes import check_size
from ..memory.timefmt import format_time
from ..schema import ConversationMemory, ConversationsRequest, ConversationsResponse, InvocationSummary
from ..settings import AgentMemSettings
from .service import MemoryProcessor, Operation, checked_time, new_id, removed_beside

default_ident = "agent-conversations"

MOST_RECORDS = 10_000
STORE = "conversations"


class ConversationOperations:
    def __init__(self, memory: MemoryServices, settings: AgentMemSettings, flow: str) -> None:
        self._memory = memory
        self._settings = settings
        self._flow = flow
        self._graph = memory.stores.graph.conversations

    def table(self) -> Mapping[str, Operation]:
        return {
            "get": self.get,
            "update": self.update,
            "list": self.list,
            "end": self.end,
            "forget": self.forget,
            "stats": self.stats,
        }

    async def get(self, scope: Scope, request: ConversationsRequest) -> ConversationsResponse:
        """``success`` is false, and nothing is wrong, for a conversation that has not begun."""
        found = await self._graph.get(scope, _id(request), limit=max(0, request.limit))
        return ConversationsResponse(conversation=_wire(found) if found else None, success=found is not None)

    async def update(self, scope: Scope, request: ConversationsRequest) -> ConversationsResponse:
        """Append one invocation; one with the id of an earlier one changes nothing (``success`` is false)."""
        switches = await self._memory.stores.graph.switches.get(scope, request.conversation_id)
        if not switches.write:
            raise BadRequest("writing memory is switched off for this user or conversation: switch write on first")
        said = request.invocation
        if said is None:
            raise BadRequest("update needs an invocation")
        if not said.query.strip():
            raise BadRequest("an invocation needs a query: what was asked")
        check_size("the invocation", [said.query, said.summary, said.result])
        at = checked_time("timestamp", said.timestamp) or self._memory.clock.now()
        new = await self._graph.append(
            scope,
            Invocation(
                id=said.id or new_id(),
                conversation_id=_id(request),
                query=self._screened(scope, said.query),
                summary=self._screened(scope, said.summary),
                result=self._screened(scope, said.result),
                at=at,
            ),
        )
        await self._memory.notifier.changed(scope, STORE, ids=[request.conversation_id])
        return ConversationsResponse(success=new, count=int(new))

    async def list(self, scope: Scope, request: ConversationsRequest) -> ConversationsResponse:
        """Newest first, without their invocations; ``count`` is the number there is.

        Nothing but its id and times is told of one that may not be read.
        """
        if not 1 <= request.limit <= MOST_RECORDS or request.offset < 0:
            raise BadRequest(
                f"limit {request.limit} must lie between 1 and {MOST_RECORDS}, offset {request.offset} not below 0"
            )
        found = await self._graph.listing(scope, limit=request.limit, offset=request.offset)
        counts = await self._graph.count(scope)
        chosen = await self._memory.stores.graph.switches.listing(scope)
        unread = {name for name, switches in chosen.items() if not switches.read}
        return ConversationsResponse(
            conversations=[_wire(replace(one, metadata={}) if one.id in unread else one) for one in found],
            success=True,
            count=counts.get("conversations", len(found)),
        )

    async def end(self, scope: Scope, request: ConversationsRequest) -> ConversationsResponse:
        """What an end leads to is published first, so that no end is without its consequences."""
        conversation_id = _id(request)
        found = await self._graph.get(scope, conversation_id, limit=1)
        if found is None:
            raise NotFound(f"there is no conversation {conversation_id!r} in this scope")
        now = self._memory.clock.now()
        if found.invocations and found.ended_at is None:
            jobs = end_jobs(
                scope,
                conversation_id,
                began_at=found.started_at,
                last_position=found.invocations[-1].position,
                last_id=found.invocations[-1].id,
                settings=self._settings,
                carried={
                    "flow": self._flow,
                    "settings": self._settings.model_dump(by_alias=True, exclude_unset=True),
                },
                trigger="end",
                at=now,
            )
            if jobs:
                await self._memory.publisher.publish(jobs)
        ended = await self._graph.end(scope, conversation_id, at=now)
        await self._memory.notifier.changed(scope, STORE, ids=[conversation_id])
        return ConversationsResponse(success=ended)

    async def forget(self, scope: Scope, request: ConversationsRequest) -> ConversationsResponse:
        """The conversation is gone on return; what came from it follows in a job, named in ``stats``."""
        conversation_id = _id(request)
        found = await self._graph.get(scope, conversation_id, undone=True)
        count = len(found.invocations) if found else 0
        job = forget_job(scope, "conversation", at=self._memory.clock.now(), conversation_id=conversation_id)
        # first, and whatever is there: a broker that refuses leaves all as it was, and a retry publishes again
        await removed_beside(self._memory, job, lambda: self._graph.forget(scope, conversation_id))
        await self._memory.notifier.changed(scope, STORE, forgotten=[conversation_id])
        return ConversationsResponse(success=bool(count), count=count, stats={"job": job.id})

    async def stats(self, scope: Scope, request: ConversationsRequest) -> ConversationsResponse:
        counts = await self._graph.count(scope)
        return ConversationsResponse(
            success=True,
            count=counts.get("conversations", 0),
            stats={name: str(number) for name, number in counts.items()},
        )

    def _screened(self, scope: Scope, text: str) -> str:
        policy = DataPolicy(personal_data=self._settings.personal_data, secrets=self._settings.secrets, salt=scope.key)
        return policy.screen(text).text


def _id(request: ConversationsRequest) -> str:
    if not request.conversation_id:
        raise BadRequest(f"{request.operation} needs a conversation_id")
    return request.conversation_id


def _wire(found: Conversation) -> ConversationMemory:
    times = {
        "started_at": format_time(found.started_at),
        "last_at": format_time(found.last_at),
        "ended_at": format_time(found.ended_at),
    }
    return ConversationMemory(
        conversation_id=found.id,
        invocations=[
            InvocationSummary(query=one.query, summary=one.summary, result=one.result, timestamp=format_time(one.at), id=one.id)
            for one in found.invocations
        ],
        metadata={**found.metadata, **{name: at for name, at in times.items() if at}, "turns": str(found.turns)},
        ended=found.ended_at is not None,
    )


class Processor(MemoryProcessor):
    service = default_ident
    request_schema = ConversationsRequest
    response_schema = ConversationsResponse
    reading = frozenset({"get", "list"})
    writing = frozenset({"update", "end"})

    def operations(self, memory: MemoryServices, flow: Any) -> Mapping[str, Operation]:
        return ConversationOperations(memory, self.settings.of(flow.workspace, flow.name), flow.name).table()


def run() -> None:
    Processor.launch(default_ident, __doc__)
