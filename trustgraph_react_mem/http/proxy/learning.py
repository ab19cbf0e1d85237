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
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ...errors import MemoryServiceError
from ...memory.records import derived_id
from ...memory.requests import SubmitJob
from ...telemetry.metrics import exchanges
from ...turn.record import exchange_payload
from ..access import Access
from .dialogue import MOST_LEARNED, Dialogue, words_of_person

logger = logging.getLogger(__name__)

RECORD_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request of a conversation.

    ``recalled``: ids of the records that were inserted.  ``learns``: whether it may be recorded.
    """

    access: Access
    dialogue: Dialogue
    conversation: str
    invocation: str
    asked_at: datetime
    recalled: Sequence[str] = ()
    learns: bool = True

    @property
    def question(self) -> str:
        asked = self.dialogue.question
        return words_of_person(asked.text) if asked else ""


async def record(exchange: Exchange, answer: str) -> bool:
    """Record the exchange if it may be learned from.  Returns whether it was."""
    question, answer = (exchange.question, words_of_person(answer)) if exchange.learns else ("", "")
    if not (question and answer):
        exchanges.labels("skipped").inc()
        return False
    access, now = exchange.access, datetime.now(UTC)
    payload = exchange_payload(
        conversation_id=exchange.conversation,
        invocation_id=exchange.invocation,
        speaker=access.user,
        speaker_proof=access.prove_speaker(access.user, question),
        asked_at=exchange.asked_at,
        answered_at=now,
        recalled=exchange.recalled,
    )
    job = SubmitJob(
        kind="record",
        id=derived_id("record", access.scope.key, exchange.invocation),
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
