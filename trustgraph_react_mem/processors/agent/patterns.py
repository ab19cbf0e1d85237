"""The patterns plan-then-execute and supervisor, which TrustGraph's own orchestrator runs if it is installed.

This module adds recalled memories to the framing of a request, keeps this package's request fields on the messages that the
orchestrator sends to itself, and records the turn when the dialogue ends.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

from trustgraph.schema import AgentResponse

from ...errors import MemoryServiceError, ModelUnavailable, Unconfirmed
from ...memory.timefmt import format_time
from ...recall.records import Recalled
from ...schema import AgentRequest
from ...turn.prompt import memories_text
from ...turn.record import TurnRecord
from ...turn.request import TurnRequest
from .memory import AgentMemory, PublishTurn
from .messages import error_message
from .outbox import Respond
from .request import steps_of

logger = logging.getLogger(__name__)

NOTICE = (
    "Note: the pattern {pattern!r} does not run here, so this was processed step by step. It needs trustgraph-flow beside the "
    "agent (the extra `orchestrator`), and the topic `next` in the flow."
)
UNSUPERVISED = (
    "correlation_id names a supervisor, but this agent runs none, because trustgraph-flow is not installed: leave "
    "correlation_id out, or install the extra `orchestrator`"
)
Next = Callable[[Any], Awaitable[None]]


def copy_request(request: Any, original: AgentRequest) -> AgentRequest:
    """Convert a stock request.  Fields that only our class has are copied from ``original``."""
    return replace(original, **{field.name: getattr(request, field.name) for field in fields(request)})


MOST_DIALOGUES = 1000  # whose recalls are kept


def record_answer(respond: Respond, record: Callable[[str], TurnRecord], publish: PublishTurn | None) -> Respond:
    """Wrap ``respond``: publish the record before the last message, and send errors in this package's form."""
    said: list[str] = []

    async def forward(response: AgentResponse) -> None:
        if response.message_type == "answer":
            said.append(response.content)
        if response.error is not None:
            response = error_message(response.error.message, response.error.type, after="\n\n" if any(said) else "")
        elif response.end_of_dialog and publish is not None:
            try:
                await publish(record("".join(said)))
            except MemoryServiceError as error:
                will = "may" if isinstance(error, Unconfirmed) else "will"
                notice = f"This turn {will} not be remembered: {error}"
                await respond(AgentResponse(message_type="thought", content=notice, end_of_message=True))
        await respond(response)

    return forward


class PatternTurns:
    """Runs turns with the stock orchestrator, with memories in the first message, and records each before its dialogue ends.

    The recalls of running dialogues are kept in memory.  If a message of a dialogue reaches another process, or this one
    restarts, the turn is recorded without its recall.
    """

    def __init__(self, processor: Any, max_iterations: int) -> None:
        """Raises: ImportError (trustgraph-flow is not installed)."""
        from trustgraph.agent.orchestrator import Processor

        # A stock processor that is never started: it opens no topic and sends on our connection.
        self._stock = Processor(id=processor.id, max_iterations=max_iterations, pulsar_host=processor.pulsar_host)
        self._stock.async_backend.client.shutdown()
        self._stock.async_backend = processor.async_backend
        self._recalls: OrderedDict[tuple[str, ...], Recalled] = OrderedDict()

    @classmethod
    def load(cls, processor: Any, max_iterations: int) -> "PatternTurns | None":
        """None, with a log message, if the stock orchestrator is not installed or does not load."""
        try:
            return cls(processor, max_iterations)
        except ImportError:
            logger.info("trustgraph-flow is not installed: the patterns plan-then-execute and supervisor run as react")
        except Exception as error:
            # Broad because an incompatible orchestrator must not keep the agent from starting.
            logger.error(
                "loading TrustGraph's orchestrator failed, its patterns run as react: %s: %s", type(error).__name__, error
            )
        return None

    async def configure(self, workspace: str, tools: dict[str, str], services: dict[str, str]) -> None:
        """Set the tools of a workspace.  ``tools`` must be valid: the stock loader rejects all of them if one is broken."""
        await self._stock.on_tools_config(workspace, {"tool": tools, "tool-service": services}, 0)

    async def run(
        self,
        message: AgentRequest,
        request: TurnRequest,
        memory: AgentMemory | None,
        respond: Respond,
        forward: Next,
        flow: Any,
    ) -> None:
        """Run one message of a dialogue.  ``message`` is the wire form of ``request``.  ``memory`` None: memory is off.

        Raises: ModelUnavailable (the time limit of a turn, which holds for each message of a dialogue, is over).
        """
        limit_s, started_s = request.settings.turn_timeout_s, time.monotonic()
        message = replace(message, history=steps_of(message.history))  # the chat before the question is in the framing
        try:
            async with asyncio.timeout(limit_s):
                recalled, publish = await self._prepare(message, request, memory, flow)

                def record(answer: str) -> TurnRecord:
                    self._recalls.pop(_dialogue(message, request), None)
                    return TurnRecord(
                        request=request,
                        answer=answer,
                        answered_at=request.asked_at + timedelta(seconds=time.monotonic() - started_s),
                        steps=request.history,
                        succeeded=True,
                        recalled=recalled,
                    )

                await self._handle(message, record_answer(respond, record, publish), forward, flow)
        except TimeoutError:
            raise ModelUnavailable(f"a step of the pattern did not end in {limit_s} s (turn-timeout-s)") from None

    async def _handle(self, request: AgentRequest, respond: Respond, forward: Next, flow: Any) -> None:
        waiting: list[AgentRequest] = []

        async def collect(following: Any) -> None:
            waiting.append(copy_request(following, request))

        await self._stock.agent_request(request, respond, collect, flow)
        # Forward only now: the supervisor counts its sub-agents after sending to them.  In this process they start at once,
        # so one could report before the supervisor expects it.
        for following in waiting:
            await forward(following)

    async def _prepare(
        self, message: AgentRequest, request: TurnRequest, memory: AgentMemory | None, flow: Any
    ) -> tuple[Recalled | None, PublishTurn | None]:
        """Add memories to the first message of a dialogue.  Returns the recall, and what publishes the record."""
        if memory is None:
            return None, None
        begins = not message.history and not request.subagent
        if begins:
            found = await memory.recall(request, flow)
            # The orchestrator copies both fields to its own messages, so together they identify the dialogue.
            message.session_id, message.asked_at = request.session_id, format_time(request.asked_at)
            self._recalls[_dialogue(message, request)] = found
            if len(self._recalls) > MOST_DIALOGUES:
                self._recalls.popitem(last=False)
        recalled = self._recalls.get(_dialogue(message, request))
        switches = recalled.switches if recalled and recalled.switches else await memory.read_switches(request, flow)
        recalled = recalled if switches.read else None
        if begins and recalled is not None:
            message.framing = "\n\n".join(filter(None, (message.framing, memories_text(recalled))))
        return recalled, memory.publish if request.record and switches.write else None


def _dialogue(message: AgentRequest, request: TurnRequest) -> tuple[str, str, str]:
    return request.scope.key, message.session_id, message.asked_at
