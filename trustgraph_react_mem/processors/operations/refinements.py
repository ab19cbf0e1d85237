"""Operations of the conversations service on refinement sessions.

Invariants: an event is stored only if the machine accepts it after those stored before (``refine.machine``); of two writers
that read the same events, one is refused.
"""

from dataclasses import replace
from datetime import datetime

from ...errors import Conflict, RefinementError, TooLarge
from ...memory.clock import oldest_kept
from ...memory.records import Conversation, refinement_name
from ...memory.requests import AppendRefinement, ForgetRefinement, GetRefinement, ListRefinements
from ...memory.scope import Scope
from ...memory.sizes import check_size
from ...refine.machine import apply, fold
from ...refine.records import RefinementEvent, Sampling, check_session_id, check_words
from ...refine.stored import FORGOTTEN, metadata_of, to_events, to_invocation, to_summary
from ...refine.views import add_similarity
from ...refine.wire import from_wire, to_wire
from ...schema import ConversationsResponse
from ..service import FlowOperations, serves
from .checks import screen, screen_tree
from .conversations import STORE, forget_conversation

MOST_SESSION_BYTES = 3_000_000  # of the texts of a session, which one reply carries
ATTEMPTS = 4


class RefinementOperations(FlowOperations):
    @serves(AppendRefinement)
    async def append(self, scope: Scope, request: AppendRefinement) -> ConversationsResponse:
        """Append an event.  The reply has all events of the session.  An event that is stored already changes nothing."""
        event = check_words(from_wire(request.event))
        check_size(f"the {event.phase} with its details", event.as_dict())
        event = await self._screen(scope, event)
        new = await self._append(scope, event, request)
        events = to_events(await self._find(scope, event.session_id))
        await self._memory.notifier.changed(scope, STORE, ids=[refinement_name(event.session_id)])
        return ConversationsResponse(success=new, count=len(events), events=[to_wire(each) for each in events])

    async def _append(self, scope: Scope, event: RefinementEvent, request: AppendRefinement) -> bool:
        await self._check_exchange(scope, event.invocation_id)
        name, stored_id = refinement_name(event.session_id), to_invocation(event).id
        for left in reversed(range(ATTEMPTS)):
            whole = await self._memory.graph.conversations.get(scope, name, undone=True)
            if whole and any(each.id == stored_id for each in whole.invocations):
                return False
            said = tuple(each for each in whole.invocations if each.undone_at is None) if whole else ()
            events = to_events(replace(whole, invocations=said) if whole else None)
            known = request.expected or 0
            if len(events) != known:
                raise Conflict(f"the session has {len(events)} events, not {known}: read it again, another writer came first")
            session = fold(event.session_id, events)
            apply(session, event, confirm=request.confirm)
            stored = to_invocation(add_similarity(session, event))
            size = sum(len(each.text.encode()) for each in (*events, event))
            if size > MOST_SESSION_BYTES:
                raise TooLarge(f"the session would have {size:,} bytes, above {MOST_SESSION_BYTES:,}: begin another session")
            try:
                await self._memory.graph.refinements.append(
                    scope,
                    [stored],
                    of=event.conversation_id,
                    metadata=metadata_of(stored),
                    expected=whole.turns if whole else 0,
                )
                return True
            except Conflict:
                if not left:
                    raise
        raise AssertionError("unreachable: the last attempt returns or raises")

    @serves(GetRefinement)
    async def get(self, scope: Scope, request: GetRefinement) -> ConversationsResponse:
        """An unknown session is not an error: ``success`` is false.  Expired events are never shown."""
        check_session_id(request.session_id)
        kept_since = oldest_kept(self._settings.fact_ttl_days, self._memory.clock.now())
        session = await self._find(scope, request.session_id)
        if session is None or _is_expired(session, kept_since):
            return ConversationsResponse()
        of = to_summary(session).conversation_id
        if of and not (await self._memory.graph.switches.get(scope, of)).read:
            return ConversationsResponse(stats={"read": "off"})
        events = to_events(session)
        return ConversationsResponse(success=bool(events), count=len(events), events=[to_wire(each) for each in events])

    @serves(ListRefinements)
    async def list(self, scope: Scope, request: ListRefinements) -> ConversationsResponse:
        """Newest first, without their events.  ``count`` is the total number, with expired ones that are not swept yet."""
        of = request.conversation_id
        found = await self._memory.graph.refinements.listing(scope, of=of, limit=request.limit, offset=request.offset)
        kept_since = oldest_kept(self._settings.fact_ttl_days, self._memory.clock.now())
        shown = [to_summary(each) for each in found if not _is_expired(each, kept_since)]
        count = await self._memory.graph.refinements.count(scope, of=of)
        return ConversationsResponse(success=True, count=count, refinements=shown)

    @serves(ForgetRefinement)
    async def forget(self, scope: Scope, request: ForgetRefinement) -> ConversationsResponse:
        """Erase a session.  A job, named in ``stats``, completes it."""
        return await forget_conversation(self._memory, scope, refinement_name(check_session_id(request.session_id)))

    async def _check_exchange(self, scope: Scope, invocation_id: str) -> None:
        """Raises: RefinementError (the exchange that a step is part of was forgotten or undone, so its words stay away)."""
        found = await self._memory.graph.conversations.invocations(scope, [invocation_id]) if invocation_id else []
        if any(FORGOTTEN in (each.query, each.result) or each.undone_at is not None for each in found):
            raise RefinementError(
                "the exchange that this step is part of was forgotten or undone: ask again, and refine the new answer",
                code="invalid_session",
            )

    async def _find(self, scope: Scope, session_id: str) -> Conversation | None:
        return await self._memory.graph.conversations.get(scope, refinement_name(session_id))

    async def _screen(self, scope: Scope, event: RefinementEvent) -> RefinementEvent:
        """The event after the flow's policy for personal data and secrets."""
        policy = await self._policy(scope)
        for name in ("id", "conversation_id", "invocation_id"):
            policy.check_id(name, getattr(event, name))
        what = f"the {event.phase}"
        return replace(
            event,
            query=await screen(event.query, policy, what) if event.query else "",
            text=await screen(event.text, policy, what),
            variant=await screen(event.variant, policy, what) if event.variant else "",
            sampling=Sampling.from_dict(screen_tree(event.sampling.as_dict(), policy, "the sampling")),
        )


def _is_expired(session: Conversation, kept_since: datetime | None) -> bool:
    return kept_since is not None and session.last_at is not None and session.last_at < kept_since
