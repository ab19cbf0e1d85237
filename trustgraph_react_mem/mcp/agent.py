"""Group ``agent``: the flow's agent answers from memory."""

from typing import Annotated

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from ..errors import BadRequest, EngineUnavailable
from ..http.access import Access
from ..schema import AgentRequest, MemoryOptions
from ..turn_trace import TurnTrace
from .results import answer


class AgentAnswer(BaseModel):
    """``citations``: ids of the memories that the answer rests on."""

    answer: str
    citations: list[str]
    conversation_id: str = ""


Answered = Annotated[CallToolResult, AgentAnswer]


async def ask_agent(
    access: Access,
    question: Annotated[str, Field(description="A complete question.", min_length=1, max_length=8000)],
    conversation_id: Annotated[str, Field(description="To continue a conversation.", max_length=200)] = "",
) -> Answered:
    """Let the memory's own agent answer a question from everything it remembers, with citations. Use it for questions that need
    several memories put together; for a look-up use the search, which is faster."""
    if not question.strip():
        raise BadRequest("the question is empty: write a question")
    trace = TurnTrace(question=question, conversation_id=conversation_id)
    # A model wrote the question, so nothing is learned from it.
    request = AgentRequest(question=question, conversation_id=conversation_id, memory=MemoryOptions(auto_store=False))
    async for message in access.ask(request):
        trace.feed(message)
    if trace.error:
        raise EngineUnavailable(f"the agent did not answer: {trace.error_type or 'error'}: {trace.error}")
    found = AgentAnswer(answer=trace.answer, citations=trace.cited_ids, conversation_id=conversation_id)
    return answer(found, trace.answer + (f"\nmemories: {', '.join(found.citations)}" if found.citations else ""))
