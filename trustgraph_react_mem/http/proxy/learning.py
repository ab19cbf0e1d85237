"""Records an exchange with a model of another endpoint, once its answer is complete.

The exchange becomes a ``record`` job, as a turn of the agent does.  So the question counts as said by the user and the answer
as said by the assistant, memories that were inserted are not learned again, and rules are kept at once.

Invariants:
- The job is confirmed by the broker before the end of the answer is sent to the client.
- Its id depends on the conversation and on what was said, so a repeated request is recorded once.
- Failing to record never fails the answer.
"""

import asyncio
import json
import logging
from datetime import UTC, datetime

from ...errors import MemoryServiceError
from ...memory.records import derived_id
from ...memory.requests import SubmitJob
from ...telemetry.metrics import exchanges
from ...turn.record import exchange_payload
from .context import Call
from .dialogue import MOST_LEARNED, words_of_person

logger = logging.getLogger(__name__)

RECORD_TIMEOUT_S = 10.0


async def record(call: Call, answer: str) -> bool:
    """Record the exchange if it may be learned from.  Returns whether it was."""
    question, answer = (call.question, words_of_person(answer)) if call.learns else ("", "")
    if not (question and answer):
        exchanges.labels("skipped").inc()
        return False
    access = call.access
    payload = exchange_payload(
        conversation_id=call.conversation,
        invocation_id=call.invocation,
        speaker=access.user,
        speaker_proof=access.prove_speaker(access.user, question),
        asked_at=call.asked_at,
        answered_at=datetime.now(UTC),
        recalled=call.recalled,
    )
    job = SubmitJob(
        kind="record",
        id=derived_id("record", access.scope.key, call.invocation),
        payload=json.dumps({**payload, "question": question, "answer": answer[:MOST_LEARNED]}),
        timeout_s=0.0,
    )
    try:
        async with asyncio.timeout(RECORD_TIMEOUT_S):
            await access.call(job)
    except (MemoryServiceError, TimeoutError) as error:
        logger.warning("an exchange was not recorded: %s: %s", type(error).__name__, error)
        exchanges.labels("failed").inc()
        return False
    exchanges.labels("recorded").inc()
    return True
