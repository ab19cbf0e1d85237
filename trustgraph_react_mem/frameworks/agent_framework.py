"""Microsoft Agent Framework: a context provider that recalls and learns, and a provider of stored history.

Source: agent-framework-core 1.23, ``ContextProvider`` and ``HistoryProvider``.
"""

from collections.abc import Sequence
from typing import Any

from ..extras import missing_extra
from ..manager import MemoryManager
from .history import History, Said
from .recalled import recall_text

try:
    from agent_framework import AgentSession, ContextProvider, HistoryProvider, Message, SessionContext, SupportsAgentRun
except ImportError as error:
    raise missing_extra("memory for Microsoft Agent Framework", "agent-framework") from error

KIND = "agent-framework"
SPOKEN = ("user", "assistant")


class MemoryContextProvider(ContextProvider):
    """Recalls memories before each run, and learns from the exchange after it.

    Arguments:
        memory: whose memory it is.  The caller closes it, after the agent was used.
        limit: most memories that a run is shown.
        learn: False if a ``MemoryHistoryProvider`` of the same agent learns already.

    Memories are a message of the user's side, never instructions, because they hold what people and documents said.
    """

    def __init__(self, memory: MemoryManager, *, source_id: str = "react-mem", limit: int = 5, learn: bool = True) -> None:
        super().__init__(source_id)
        self._memory = memory
        self._limit = limit
        self._learns = learn

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        asked = "\n".join(message.text for message in context.input_messages if message.role == "user")
        recalled = await recall_text(self._memory, asked, self._limit)
        if recalled:
            context.extend_messages(self, [Message("user", [recalled])])

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        if not self._learns:
            return
        answered = context.response.messages if context.response else []
        said = [
            {"role": message.role, "content": message.text, **({"id": message.message_id} if message.message_id else {})}
            for message in [*context.input_messages, *answered]
            if message.role in SPOKEN and message.text.strip()
        ]
        if said:
            await self._memory.add(said, conversation=context.session_id or "")


class MemoryHistoryProvider(HistoryProvider):
    """Keeps the messages of each session in memory, and learns from what both sides said.

    Arguments:
        memory: whose memory it is.  The caller closes it, after the agent was used.
        options: of ``HistoryProvider``: ``load_messages``, ``store_inputs``, ``store_outputs`` and others.
    """

    def __init__(self, memory: MemoryManager, *, source_id: str = "react-mem-history", **options: Any) -> None:
        super().__init__(source_id, **options)
        self._memory = memory

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        kept = await History(self._memory, KIND, session_id).read() if session_id else []
        return [Message.from_dict(message) for message in kept]

    async def save_messages(
        self, session_id: str | None, messages: Sequence[Message], *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        if session_id:
            await History(self._memory, KIND, session_id).append([_to_said(message) for message in messages])


def _to_said(message: Message) -> Said:
    spoken = message.role in SPOKEN
    return Said(message=message.to_dict(), role=str(message.role), text=message.text if spoken else "")
