"""OpenAI Agents SDK: a ``Session`` that memory learns from, and instructions with what it recalls.

Source: openai-agents 0.24, ``agents.memory.session``.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from ..extras import missing_extra
from ..manager import MemoryManager
from .history import History, Said
from .recalled import recall_text

try:
    from agents import Agent, RunContextWrapper, TResponseInputItem
    from agents.memory import SessionABC, SessionSettings
except ImportError as error:
    raise missing_extra("the session for the OpenAI Agents SDK", "openai-agents") from error

KIND = "openai-agents"
SPOKEN = ("user", "assistant")


class MemorySession(SessionABC):
    """The history of one conversation.  Items are returned as they were added; memory learns from the texts of both sides.

    Arguments:
        session_id: the conversation.  Memory knows it by this name, too.
        memory: whose memory it is.  The caller closes it, after the session was used.

    ``clear_session`` erases the items and keeps what memory learned.  Errors are those of ``trustgraph_react_mem.errors``.
    """

    def __init__(self, session_id: str, memory: MemoryManager, session_settings: SessionSettings | None = None) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._history = History(memory, KIND, session_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The newest ``limit`` items (default: that of the settings; without one, all), oldest first."""
        most = limit if limit is not None else self.session_settings.limit if self.session_settings else None
        items = cast("list[TResponseInputItem]", await self._history.read())
        if most is None or most < 0:
            return items
        return items[-most:] if most else []

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        await self._history.append([_to_said(item) for item in items])

    async def pop_item(self) -> TResponseInputItem | None:
        return cast("TResponseInputItem | None", await self._history.pop())

    async def clear_session(self) -> None:
        await self._history.clear()


def with_memory(
    memory: MemoryManager, instructions: str, *, limit: int = 5
) -> Callable[[RunContextWrapper[Any], Agent[Any]], Awaitable[str]]:
    """Instructions of an agent, followed by the memories for the user's newest message: ``Agent(instructions=...)``."""

    async def instruct(context: RunContextWrapper[Any], agent: Agent[Any]) -> str:
        shown = [_text_of(item) for item in context.turn_input if _role_of(item) in SPOKEN]
        asked = [_text_of(item) for item in context.turn_input if _role_of(item) == "user"]
        recalled = await recall_text(memory, asked[-1], limit, shown=shown) if asked else ""
        return f"{instructions}\n\n{recalled}" if recalled else instructions

    return instruct


def _to_said(item: Mapping[str, Any]) -> Said:
    role = _role_of(item)
    return Said(message=item, role=role, text=_text_of(item)) if role in SPOKEN else Said(message=item)


def _role_of(item: Mapping[str, Any]) -> str:
    """ "" of everything but messages: calls of tools, their results, reasoning."""
    return str(item.get("role") or "") if item.get("type", "message") == "message" else ""


def _text_of(item: Mapping[str, Any]) -> str:
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts: Sequence[Any] = content if isinstance(content, Sequence) else ()
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str))
