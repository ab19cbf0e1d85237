"""Refinement sessions of a scope: drafts, critiques and revisions that a program stores and reads."""

from dataclasses import replace
from uuid import uuid4

from ..memory.requests import AppendRefinement, ForgetRefinement, GetRefinement, ListRefinements
from ..refine.machine import next_event
from ..refine.records import CompanionType, Phase, Sampling, Session, check_session_id
from ..refine.wire import session_from_wire, summary_from_wire, to_wire
from .checks import check_limit, check_text
from .scoped import ScopedMemory, check_readable


class RefinementMemory(ScopedMemory):
    """The part of ``MemoryManager`` for refinement sessions."""

    async def refine(
        self,
        phase: Phase,
        text: str,
        *,
        session_id: str = "",
        query: str = "",
        confirm: bool = False,
        conversation: str = "",
        companion_type: CompanionType | None = None,
        variant: str = "",
        sampling: Sampling | None = None,
        elapsed_ms: int = 0,
        tokens: int = 0,
        similarity: float | None = None,
    ) -> Session:
        """Append a draft, a critique or a revision to a session.  On return it is durable.

        Arguments:
            session_id: a UUID; default: a new session.
            query: the question; required for the first draft.  A new question starts a new slot.
            confirm: replace the draft of the current question, as long as it has no revision, or the last revision.
            conversation: with which the session is forgotten, and whose memory switches apply.  Default: as the session has.
            companion_type: default: as the session has, or ``generic``.
            variant: the model that wrote the text.  A draft of another variant begins a slot.
            similarity: cosine similarity of a revision and the text before it.  Default: of the counts of their words.

        Raises:
            RefinementError: the session does not allow the step; ``code`` says why (no_draft, no_critique, ...).
            BadRequest: content that the data policy forbids, or reading memory is switched off.  TooLarge.
            Conflict: another writer appended a step meanwhile: read the session again.
        """
        check_text("the text", text)
        name = check_session_id(session_id) if session_id else str(uuid4())
        known = (await self._find_session(name, needed=True) if session_id else None) or Session(id=name)
        event = next_event(
            known,
            phase,
            text,
            event_id=str(uuid4()),
            at=self._now(),
            query=query,
            conversation_id=conversation,
            companion_type=companion_type,
            variant=variant,
            sampling=sampling,
        )
        event = replace(event, elapsed_ms=elapsed_ms, tokens=tokens, similarity=similarity)
        request = AppendRefinement(event=to_wire(event), expected=known.events, confirm=confirm)
        return session_from_wire(name, (await self._call(request)).events)

    async def refinement(self, session_id: str) -> Session | None:
        """The session with its slots, or None, as while reading is switched off.

        Raises: RefinementError (invalid_session: not a UUID).
        """
        return await self._find_session(check_session_id(session_id), needed=False)

    async def refinements(self, *, conversation: str = "", limit: int = 100) -> list[Session]:
        """The newest sessions, or those of one conversation, without their slots.  Raises: BadRequest (limit out of range)."""
        request = ListRefinements(conversation_id=conversation, limit=check_limit(limit))
        return [summary_from_wire(each) for each in (await self._call(request)).refinements]

    async def forget_refinement(self, session_id: str) -> bool:
        """Erase a session for good.  Returns whether there was one.  Raises: RefinementError (invalid_session: not a UUID)."""
        return (await self._call(ForgetRefinement(session_id=check_session_id(session_id)))).success

    async def _find_session(self, session_id: str, *, needed: bool) -> Session | None:
        """Raises: BadRequest (``needed``, and reading is switched off)."""
        found = await self._call(GetRefinement(session_id=session_id))
        check_readable(found.stats, needed)
        return session_from_wire(session_id, found.events) if found.success else None
