"""Ask the agent over the bus."""

import time
import uuid
from collections.abc import Callable

from ..bus.external_client import MemoryBus
from ..errors import BadRequest
from ..schema import AgentRequest, RefineOptions
from .options import Session
from .owner.proofs import prove
from .times import local_zone
from .views.trace import TracePiece, TurnTrace

TURN_TIMEOUT_S = 600.0
Show = Callable[[TracePiece, TurnTrace], None]


def new_conversation() -> str:
    return uuid.uuid4().hex[:12]


async def ask_agent(
    bus: MemoryBus,
    session: Session,
    question: str,
    *,
    conversation_id: str,
    show: Show,
    speaker: str = "",
    asked_at: str = "",
    timezone: str = "",
    end_of_conversation: bool = False,
    enable_memory: bool | None = None,
    refine: int | None = None,
) -> TurnTrace:
    """Run one turn.  ``show`` receives every piece as it arrives.  ``refine``: most revisions; None: the flow's."""
    if not question.strip():
        raise BadRequest("the question is empty: write a question")
    trace = TurnTrace(question=question, conversation_id=conversation_id)
    request = AgentRequest(
        question=question,
        conversation_id=conversation_id,
        streaming=True,
        speaker=speaker,
        speaker_proof=prove(session, "speaker", speaker, question) if speaker and not session.options.user else "",
        asked_at=asked_at,
        timezone=timezone or local_zone(),
        end_of_conversation=end_of_conversation,
        enable_memory=enable_memory,
        refine=None if refine is None else RefineOptions(max_loops=refine),
        **session.scope_fields,
    )
    began = time.monotonic()
    async for message in bus.ask(request, timeout_s=TURN_TIMEOUT_S):
        trace.seconds = time.monotonic() - began
        for piece in trace.feed(message):
            show(piece, trace)
    return trace
