"""The ``compact`` job: summarises the older requests of a conversation.

The invocations themselves are kept.  The summary is stored in the conversation's metadata (``summary`` with
``summary_upto``), for prompts that have no room for the full text.

With ``layer`` in its payload the job compacts the episodes or the rules of the scope instead (``layers``).
"""

from collections.abc import Sequence

from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_int, read_text
from ...memory.ports import JsonValue
from ...memory.records import Invocation
from ..context import Work, learns
from ..layers import KEEP_LAST, MOST_ENTRIES, compact_layer, show_exchange
from ..llm_call import ask_with_fallback, plain_text
from ..local_summary import local_summary

LONGEST = 2000


@learns("compact", queue="model", submit="person", required=("conversation_id|layer",))
async def compact(work: Work) -> JobOutcome:
    """Payload: ``conversation_id``; optional ``keep_last`` (requests not summarised).

    Or ``layer`` (``episodic`` or ``procedural``), ``keep_last`` and ``summarize``.
    """
    if layer := read_text(work.job, "layer"):
        return await compact_layer(work, layer)
    conversations, scope = work.core.graph.conversations, work.scope
    conversation_id = read_text(work.job, "conversation_id", needed=True)
    conversation = await conversations.get(scope, conversation_id)
    if conversation is None:
        return JobOutcome(counts={"invocations": 0})
    keep = max(0, read_int(work.job, "keep_last", KEEP_LAST))
    older = conversation.invocations[: max(0, len(conversation.invocations) - keep)]
    upto = conversation.metadata.get("summary_upto", "")
    if not older or upto == older[-1].id:
        return JobOutcome(counts={"condensed": 0})
    local = local_summary([f"{item.query} -> {item.result}" for item in older])
    variables: dict[str, JsonValue] = {
        "before": conversation.metadata.get("summary", ""),
        "exchanges": [show_exchange(item.query, item.result) for item in _after(older, upto)[-MOST_ENTRIES:]],
    }
    text, counts = await ask_with_fallback(work, local, "memory-compact", variables, lambda said: plain_text(said, LONGEST))
    values = {"summary": (await work.policy()).screen(text).text, "summary_upto": older[-1].id}
    # Not stored if one of its invocations was undone or forgotten while the model was writing.
    now = await conversations.get(scope, conversation_id)
    kept = now is not None and {item.id for item in older} <= {item.id for item in now.invocations}
    if kept:
        await conversations.set_metadata(scope, conversation_id, values)
    return JobOutcome(counts={"condensed": len(older) if kept else 0, **counts})


def _after(older: Sequence[Invocation], upto: str) -> Sequence[Invocation]:
    places = [place for place, item in enumerate(older) if item.id == upto]
    return older[places[0] + 1 :] if places else older
