"""Clear summaries in the metadata of conversations, because they can repeat erased or undone text.

``summary`` covers the conversation up to the invocation ``summary_upto``.  ``summary:<invocation id>`` covers one invocation.
"""

from collections.abc import Mapping, Sequence

from ..memory.ports import ConversationGraph
from ..memory.records import Conversation, Invocation
from ..memory.scope import Scope

ClearedMetadata = Mapping[str, Mapping[str, str]]  # conversation id -> metadata without the summaries


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
