"""Group ``refine``: draft, critique and revise.  A tool stores the text that it gets, or one that the flow's model writes."""

from typing import Annotated, Any

from mcp_types import CallToolResult, TextContent
from pydantic import Field

from ...http.access import Access
from ...refine.records import CompanionType, Phase
from .steps import RESULT, Step, take_step

SessionId = Annotated[str, Field(description="Id of the session (UUID), as draft returned it.", max_length=36)]
OldSession = Annotated[str, Field(description="To continue a session. Empty: a new one.", max_length=36)]
Text = Annotated[str, Field(description="What you wrote. Empty: the flow's model writes it.", max_length=32_000)]
Companion = Annotated[
    CompanionType | None, Field(description="Who answers: generic, marketing, bug_triage or strategy. Default: generic.")
]
Sampling = Annotated[
    dict[str, Any] | None,
    Field(
        description="model, temperature, max_tokens, similarity_threshold (0.90 to 0.99), max_loops (1 to 10), stop_sequences, "
        "model_preferences, metadata. What is left out is as in the step before. Another model begins a new slot."
    ),
]
Question = Annotated[str, Field(max_length=8_000, description="The question. Empty: the current one of the session.")]
Confirm = Annotated[bool, Field(description="True: replace what this step wrote last, if no later step depends on it.")]
Conversation = Annotated[
    str, Field(max_length=200, description="Of a new session: the conversation that it is forgotten with. Empty: none.")
]
StepAnswer = Annotated[CallToolResult, Step]


async def draft(
    access: Access,
    query: Question = "",
    text: Text = "",
    companion_type: Companion = None,
    session_id: OldSession = "",
    sampling: Sampling = None,
    confirm: Confirm = False,
    conversation_id: Conversation = "",
) -> StepAnswer:
    """The first draft of an answer that will be criticised and revised. Use it for questions where a careful answer
    matters more than a fast one. A session keeps its drafts, critiques and revisions."""
    more = {"query": query, "companion_type": companion_type, "conversation_id": conversation_id}
    return await _answer(access, "draft", session_id, text, sampling, confirm, **more)


async def critique(
    access: Access,
    session_id: SessionId,
    text: Text = "",
    companion_type: Companion = None,
    query: Question = "",
    sampling: Sampling = None,
) -> StepAnswer:
    """A critique of the newest text of a session: its draft, or its last revision. Use it after `draft`, or after `revise`."""
    return await _answer(access, "critique", session_id, text, sampling, query=query, companion_type=companion_type)


async def revise(
    access: Access,
    session_id: SessionId,
    text: Text = "",
    companion_type: Companion = None,
    query: Question = "",
    sampling: Sampling = None,
    confirm: Confirm = False,
) -> StepAnswer:
    """A revision of the newest text of a session by its last critique. Use it after `critique`."""
    return await _answer(access, "revise", session_id, text, sampling, confirm, query=query, companion_type=companion_type)


async def _answer(access: Access, phase: Phase, *given: Any, **fields: Any) -> CallToolResult:
    step = await take_step(access, phase, *given, **fields)
    text = f"{getattr(step, RESULT[phase])}\n\nsession_id: {step.session_id}"
    structured = step.model_dump(mode="json", exclude_unset=True)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)
