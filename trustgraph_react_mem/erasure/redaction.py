"""Taking the words of forgotten turns out of what is kept of their conversation.

A verbatim turn is a record of its own; the same words stand in the invocation, perhaps in its steps, in summaries and in the
episode of the conversation.  When the record is forgotten they go, too.  What stays is the skeleton: that something was asked
and answered then, what was recalled and how it was ranked (ids and scores).
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from ..memory.ports import ConversationGraph
from ..memory.records import TURN_PARTS, Invocation, turn_id
from ..memory.scope import Scope
from .summaries import empty_summaries, find_summaries

FORGOTTEN = "[forgotten]"


def said_in(scope: Scope, invocation: Invocation, gone: Collection[str]) -> set[str]:
    """Which of "question" and "answer" have their record among ``gone``."""
    return {part for part in TURN_PARTS if turn_id(scope, invocation.conversation_id, invocation.id, part) in gone}


def redacted(scope: Scope, invocation: Invocation, gone: Collection[str]) -> Invocation:
    """Without the texts whose records are among ``gone``.  Steps and summary may repeat either, and go with both."""
    parts = said_in(scope, invocation, gone)
    if not parts:
        return invocation
    return replace(
        invocation,
        query=FORGOTTEN if "question" in parts else invocation.query,
        result=FORGOTTEN if "answer" in parts and invocation.result else invocation.result,
        summary=FORGOTTEN if invocation.summary else "",
        steps=(FORGOTTEN,) if invocation.steps else (),
    )


class Redaction:
    """Of one scope: the records that are ``gone``, and the invocations in which they were said."""

    def __init__(
        self, conversations: ConversationGraph, scope: Scope, gone: Collection[str], invocation_ids: Iterable[str]
    ) -> None:
        self._conversations, self._scope, self._gone = conversations, scope, set(gone)
        self._ids = sorted({*invocation_ids} - {""})

    async def waiting(self) -> list[Invocation]:
        """Those that still hold the words, without them."""
        found = await self._conversations.invocations(self._scope, self._ids)
        pairs = [(invocation, redacted(self._scope, invocation, self._gone)) for invocation in found]
        return [after for before, after in pairs if before != after]

    async def summaries(self) -> int:
        """The number of conversations with a summary that may repeat the words."""
        return len(await find_summaries(self._conversations, self._scope, await self._concerned()))

    async def conversation_ids(self) -> list[str]:
        """Of the conversations in which something of it was said."""
        return sorted({each.conversation_id for each in await self._concerned()})

    async def run(self) -> None:
        """Empty the summaries, then redact the invocations.  Again after an interruption: the same."""
        await empty_summaries(self._conversations, self._scope, await self._concerned())
        await self._conversations.rewrite(self._scope, await self.waiting())

    async def _concerned(self) -> list[Invocation]:
        """Invocations in which something of it was said, redacted or not."""
        found = await self._conversations.invocations(self._scope, self._ids)
        return [each for each in found if said_in(self._scope, each, self._gone)]
