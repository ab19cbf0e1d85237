"""Summaries of a conversation: texts in its metadata that repeat what was said in it.

``summary`` tells of its beginning up to the invocation ``summary_upto``, ``summary:<invocation id>`` of that one.
"""

from collections.abc import Mapping, Sequence

from ..memory.ports import ConversationGraph
from ..memory.records import Conversation, Invocation
from ..memory.scope import Scope


async def empty_summaries(conversations: ConversationGraph, scope: Scope, told: Sequence[Invocation]) -> None:
    """Empty those into which one of the invocations went; they can be made again.  Once more: the same."""
    for conversation_id in sorted({each.conversation_id for each in told}):
        conversation = await conversations.get(scope, conversation_id, undone=True)
        own = [each for each in told if each.conversation_id == conversation_id]
        if conversation is not None and (values := _emptied(conversation, own)):
            await conversations.set_metadata(scope, conversation_id, values)


def _emptied(conversation: Conversation, told: Sequence[Invocation]) -> Mapping[str, str]:
    values = {f"summary:{each.id}": "" for each in told if conversation.metadata.get(f"summary:{each.id}")}
    places = {each.id: each.position for each in conversation.invocations}
    upto = conversation.metadata.get("summary_upto", "")
    if upto and any(each.position <= places.get(upto, each.position) for each in told):
        values |= {"summary": "", "summary_upto": ""}
    return values
