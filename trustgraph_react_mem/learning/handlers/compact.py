"""The ``compact`` job: summarises the older requests of a conversation.

The invocations themselves are kept.  The summary is stored in the conversation's metadata (``summary`` with
``summary_upto``), for prompts that have no room for the full text.

With ``layer`` in its payload the job compacts the episodes or the rules of the scope instead (``layers``).
"""

from collections.abc import Sequence

from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_int, read_text
from ...jobs.registry import job_handler
from ...memory.ports import Completion, Job, JsonValue
from ...memory.records import Invocation
from ..context import HandlerContext
from ..layers import MOST_ENTRIES, compact_layer
from ..llm_call import count_unusable, plain_text
from ..local_summary import local_summary

KEEP_LAST = 10
LONGEST = 2000


@job_handler("compact", queue="model", submit="person", required=("conversation_id|layer",))
class CompactHandler:
    """Payload: ``conversation_id``; optional ``keep_last`` (requests not summarised).

    Or ``layer`` (``episodic`` or ``procedural``), ``keep_last`` and ``summarize``.
    """

    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        if layer := read_text(job, "layer"):
            return await compact_layer(self._context, job, layer)
        conversation_id = read_text(job, "conversation_id", needed=True)
        conversation = await self._context.core.graph.conversations.get(job.scope, conversation_id)
        if conversation is None:
            return JobOutcome(counts={"invocations": 0})
        keep = max(0, read_int(job, "keep_last", KEEP_LAST))
        older = conversation.invocations[: max(0, len(conversation.invocations) - keep)]
        upto = conversation.metadata.get("summary_upto", "")
        if not older or upto == older[-1].id:
            return JobOutcome(counts={"condensed": 0})
        local = local_summary([f"{item.query} -> {item.result}" for item in older])
        variables: dict[str, JsonValue] = {
            "before": conversation.metadata.get("summary", ""),
            "exchanges": [_exchange(item) for item in _after(older, upto)[-MOST_ENTRIES:]],
        }
        text, source = await self._context.model(job).ask_with_fallback(local, "memory-compact", variables, _text)
        values = {"summary": (await self._context.policy(job)).screen(text).text, "summary_upto": older[-1].id}
        # Not stored if one of its invocations was undone or forgotten while the model was writing.
        now = await self._context.core.graph.conversations.get(job.scope, conversation_id)
        kept = now is not None and {item.id for item in older} <= {item.id for item in now.invocations}
        if kept:
            await self._context.core.graph.conversations.set_metadata(job.scope, conversation_id, values)
        return JobOutcome(counts={"condensed": len(older) if kept else 0, **count_unusable(source)})


def _after(older: Sequence[Invocation], upto: str) -> Sequence[Invocation]:
    places = [place for place, item in enumerate(older) if item.id == upto]
    return older[places[0] + 1 :] if places else older


def _exchange(item: Invocation) -> dict[str, JsonValue]:
    return {"query": item.query[:600], "result": item.result[:3000]}


def _text(completion: Completion) -> str:
    return plain_text(completion, LONGEST)
