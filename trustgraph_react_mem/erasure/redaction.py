"""Redact the text of erased turns in their conversations, refinements and summaries, which undo clears, too.

A verbatim turn is a separate record, but its text is also in the invocation, and possibly in its steps, in summaries and in
the episode of the conversation.  Erasing the record removes these copies too.  The invocation itself stays: that something
was asked and answered, what was recalled, and how it was ranked (ids and scores).

Summaries are in the metadata of conversations: ``summary`` covers the conversation up to the invocation ``summary_upto``, and
``summary:<invocation id>`` one invocation.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ..memory.ports import ConversationGraph, GraphPorts
from ..memory.records import TURN_PARTS, Conversation, Invocation, turn_id
from ..memory.scope import Scope
from ..refine.stored import events_of_exchanges, without_words
from ..repositories.pages import read_pages

FORGOTTEN = "[forgotten]"
ClearedMetadata = Mapping[str, Mapping[str, str]]  # conversation id -> metadata without the summaries


def find_erased_parts(scope: Scope, invocation: Invocation, gone: Collection[str]) -> set[str]:
    """Which of "question" and "answer" have their record among ``gone``."""
    return {part for part in TURN_PARTS if turn_id(scope, invocation.conversation_id, invocation.id, part) in gone}


def add_failed_answer(named: set[str], *, succeeded: bool) -> set[str]:
    """The answer to a request that failed has no record that could be named, so it goes with its question."""
    return named | {"answer"} if "question" in named and not succeeded else named


def redact_invocation(scope: Scope, invocation: Invocation, gone: Collection[str]) -> Invocation:
    """The invocation without the texts of erased records.  Steps and summary can repeat either part, and are always cleared."""
    parts = add_failed_answer(find_erased_parts(scope, invocation, gone), succeeded=invocation.succeeded)
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
    """Redaction in one scope.  ``gone``: ids of erased records; ``invocation_ids``: the invocations that contain them."""

    def __init__(self, graph: GraphPorts, scope: Scope, gone: Collection[str], invocation_ids: Iterable[str]) -> None:
        self._graph, self._conversations, self._scope, self._gone = graph, graph.conversations, scope, set(gone)
        self._ids = sorted({*invocation_ids} - {""})

    async def pending(self) -> list[Invocation]:
        """The invocations that still contain erased text, in their redacted form, with the refinement events of them."""
        found = await self._conversations.invocations(self._scope, self._ids)
        pairs = [(invocation, redact_invocation(self._scope, invocation, self._gone)) for invocation in found]
        refined = await find_events(self._graph, self._scope, await self._find_affected())
        pairs += [(event, without_words(event)) for event in refined]
        return [after for before, after in pairs if before != after]

    async def summaries(self) -> int:
        """Number of conversations with a summary that may repeat erased text."""
        return len(await find_summaries(self._conversations, self._scope, await self._find_affected()))

    async def conversation_ids(self) -> list[str]:
        """Ids of the conversations that contain an erased record."""
        return sorted({each.conversation_id for each in await self._find_affected()})

    async def run(self) -> None:
        """Clear the summaries, then redact the invocations.  Idempotent."""
        await empty_summaries(self._conversations, self._scope, await self._find_affected())
        await self._conversations.rewrite(self._scope, await self.pending())

    async def _find_affected(self) -> list[Invocation]:
        """Invocations that contain or contained an erased record."""
        found = await self._conversations.invocations(self._scope, self._ids)
        return [each for each in found if find_erased_parts(self._scope, each, self._gone)]


async def find_events(graph: GraphPorts, scope: Scope, exchanges: Sequence[Invocation]) -> list[Invocation]:
    """The stored events that are part of these exchanges, undone ones included."""
    found: list[Invocation] = []
    ids = [each.id for each in exchanges]
    for conversation_id in sorted({each.conversation_id for each in exchanges}):
        async for page in read_pages(graph.refinements.listing, scope, of=conversation_id):
            sessions = [await graph.conversations.get(scope, each.id, undone=True) for each in page]
            found += events_of_exchanges([each for each in sessions if each is not None], ids)
    return found


async def empty_summaries(conversations: ConversationGraph, scope: Scope, covered: Sequence[Invocation]) -> None:
    """Clear the summaries that cover any of the invocations.  They can be generated again.  Idempotent."""
    for conversation_id, values in (await find_summaries(conversations, scope, covered)).items():
        await conversations.set_metadata(scope, conversation_id, values)


async def find_summaries(conversations: ConversationGraph, scope: Scope, covered: Sequence[Invocation]) -> ClearedMetadata:
    """Conversations with summaries that cover any of the invocations, and the metadata that clears them."""
    found: dict[str, Mapping[str, str]] = {}
    for conversation_id in sorted({each.conversation_id for each in covered}):
        conversation = await conversations.get(scope, conversation_id, undone=True)
        own = [each for each in covered if each.conversation_id == conversation_id]
        if conversation is not None and (values := _clear_metadata(conversation, own)):
            found[conversation_id] = values
    return found


def _clear_metadata(conversation: Conversation, covered: Sequence[Invocation]) -> Mapping[str, str]:
    values = {f"summary:{each.id}": "" for each in covered if conversation.metadata.get(f"summary:{each.id}")}
    places = {each.id: each.position for each in conversation.invocations}
    upto = conversation.metadata.get("summary_upto", "")
    if upto and any(each.position <= places.get(upto, each.position) for each in covered):
        values |= {"summary": "", "summary_upto": ""}
    return values
