"""Erases kept answers with the memories that they come from.

After an announcement that something was erased or undone, or that announcements may have been missed, and at each start, the
kept answers are compared with the stored conversations: an answer whose exchange is gone is deleted.

Invariants: all records that were on their way are stored before the comparison, so an answer is never taken for erased because
its exchange is not stored yet; and a comparison that fails is repeated.
"""

import asyncio
import logging
from collections.abc import Callable

from ...bus.external_client import MemoryBus
from ...bus.notify import BusChangeNotifier
from ...errors import EngineUnavailable
from ...failure_log import log_failure
from ...memory.records import TURN_PARTS, turn_id
from ...memory.requests import GetConversation, GetFacts, GetFactStats, WaitUntilIdle
from ...memory.scope import Scope
from ...schema import MemoryChanged
from ..access import Buses
from .kept import Kept, KeptResponses

logger = logging.getLogger(__name__)

AGAIN_S = 2.0  # until a failed comparison is repeated
WHOLE_CONVERSATION = 10_000  # exchanges
RECORDED_S = 20.0


class ErasureWatch:
    """``heard`` is called at once with each scope that had something erased; None: announcements may have been missed."""

    def __init__(self, buses: Buses, kept: KeptResponses, heard: Callable[[Scope | None], None]) -> None:
        self._buses, self._kept, self._tell = buses, kept, heard
        self._due: set[Scope | None] = {None}
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Ends when it is cancelled."""
        backend = self._buses.connect()
        notifier = BusChangeNotifier(backend)
        notifier.subscribe(self._heard)
        listening = False
        try:
            while True:
                try:
                    if not listening:
                        await notifier.start()
                        listening = True
                    await self._compare_due()
                    await self._wake.wait()
                    self._wake.clear()
                except Exception:
                    # Broad because what is erased later would stay in the kept answers if this loop ended.
                    log_failure(logger, "comparing kept answers with the memory failed, will retry")
                    await asyncio.sleep(AGAIN_S)
        finally:
            await notifier.close()
            await backend.close()

    def _heard(self, change: MemoryChanged | None) -> None:
        if change is None:
            scope = None
        elif change.forgotten or (change.store == "conversations" and not change.ids):
            scope = Scope(workspace=change.workspace, user=change.user, collection=change.collection)
        else:
            return
        self._due.add(scope)
        self._tell(scope)
        self._wake.set()

    async def _compare_due(self) -> None:
        while self._due:
            due, self._due = self._due, set()
            try:
                for scope in await self._kept.scopes():
                    if due & {None, scope}:
                        await compare(await self._buses.open(scope.workspace), self._kept, scope)
            except BaseException:
                self._due |= due
                raise


async def compare(bus: MemoryBus, kept: KeptResponses, scope: Scope) -> None:
    """Delete the answers of a scope whose exchange is not stored any more.  Raises: MemoryServiceError."""
    here = {"user": scope.user, "collection": scope.collection}
    answers = await kept.of_scope(scope)
    if (await bus.call(WaitUntilIdle(kind="record", timeout_s=RECORDED_S, **here))).count:
        raise EngineUnavailable("exchanges are still being recorded")
    gone = list[Kept]()
    for conversation in {answer.conversation for answer in answers if answer.learned}:
        own = [answer for answer in answers if answer.conversation == conversation and answer.learned]
        # While the person has switched reading off, nothing is returned, so what may have been erased is deleted.
        found = (await bus.call(GetConversation(conversation_id=conversation, limit=WHOLE_CONVERSATION, **here))).conversation
        there = {one.id for one in found.invocations} if found else set()
        turns = {  # the records of the question and of the answer, each of which can be erased by itself
            one.invocation: {turn_id(scope, conversation, one.invocation, part) for part in TURN_PARTS}
            for one in own
            if one.invocation in there
        }
        ids = sorted(set().union(*turns.values()))
        stored = {fact.id for fact in (await bus.call(GetFacts(ids=ids, **here))).facts} if ids else set()
        gone += [one for one in own if not turns.get(one.invocation, {""}) <= stored]
    # Nothing was stored of the others.  They are deleted with the last memory of their person.
    others = [answer for answer in answers if not answer.learned]
    if others:
        stats = (await bus.call(GetFactStats(**here))).stats
        gone += others if not any(value.isdecimal() and int(value) for value in stats.values()) else []
    if gone:
        await kept.delete(gone)
