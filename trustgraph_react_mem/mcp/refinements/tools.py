"""Group ``refine``: draft, critique and revise.

In server mode a tool returns the text of the flow's model.  In client mode it returns prompts for the client's own model and a
nonce, and ``*_complete`` stores what that model wrote.
"""

from typing import Annotated, Any

from mcp_types import CallToolResult, TextContent
from pydantic import Field

from ...http.access import Access
from ...refine.records import CompanionType
from ..results import answer
from .nonces import MOST_NONCE
from .steps import RESULT, Logged, Step, Wanted, begin, complete

SessionId = Annotated[str, Field(description="Id of the session (UUID), as draft returned it.", max_length=36)]
OldSession = Annotated[str, Field(description="To continue a session. Empty: a new one.", max_length=36)]
Companion = Annotated[
    CompanionType | None, Field(description="Who answers: generic, marketing, bug_triage or strategy. Default: generic.")
]
Sampling = Annotated[
    dict[str, Any] | None,
    Field(
        description="execution_mode (server: the flow's model writes the text, the default; client: your model does), model, "
        "temperature, max_tokens, similarity_threshold (0.90 to 0.99), max_loops (1 to 10), stop_sequences, model_preferences, "
        "metadata. What is left out is as in the step before. Another model begins a new slot."
    ),
]
Nonce = Annotated[str, Field(description="The nonce that came with the prompts.", min_length=1, max_length=MOST_NONCE)]
Produced = Annotated[str, Field(description="What your model wrote, and nothing else.", min_length=1, max_length=32_000)]
Question = Annotated[str, Field(max_length=8_000, description="The question. Empty: the current one of the session.")]
Confirm = Annotated[bool, Field(description="True: replace what this step wrote last, if no later step depends on it.")]
Conversation = Annotated[
    str, Field(max_length=200, description="Of a new session: the conversation that it is forgotten with. Empty: none.")
]
StepAnswer = Annotated[CallToolResult, Step]
LoggedAnswer = Annotated[CallToolResult, Logged]


async def draft(
    access: Access,
    query: Question = "",
    companion_type: Companion = None,
    session_id: OldSession = "",
    sampling: Sampling = None,
    confirm: Confirm = False,
    conversation_id: Conversation = "",
) -> StepAnswer:
    """Write the first draft of an answer that will be criticised and revised. Use it for questions where a careful answer
    matters more than a fast one. A session keeps its drafts, critiques and revisions."""
    wanted = Wanted(
        phase="draft", session_id=session_id, companion_type=companion_type, conversation_id=conversation_id, query=query,
        sampling=sampling or {}, confirm=confirm,
    )  # fmt: skip
    return await _begin(access, wanted)


async def draft_complete(
    access: Access,
    session_id: SessionId,
    draft: Produced,
    nonce: Nonce,
    query: Question = "",
    companion_type: Companion = None,
    sampling: Sampling = None,
    conversation_id: Conversation = "",
) -> LoggedAnswer:
    """Store the draft that your own model wrote from the prompts of `draft`. Give the query, the companion_type, the sampling
    and the conversation_id that you gave to `draft`."""
    wanted = Wanted(
        phase="draft", session_id=session_id, companion_type=companion_type, conversation_id=conversation_id, query=query,
        sampling=sampling or {},
    )  # fmt: skip
    return await _complete(access, wanted, draft, nonce)


async def critique(
    access: Access, session_id: SessionId, companion_type: Companion = None, query: Question = "", sampling: Sampling = None
) -> StepAnswer:
    """Criticise the newest text of a session: its draft, or its last revision. Use it after `draft`, or after `revise`."""
    wanted = Wanted(
        phase="critique", session_id=session_id, companion_type=companion_type, query=query, sampling=sampling or {}
    )
    return await _begin(access, wanted)


async def critique_complete(access: Access, session_id: SessionId, critique: Produced, nonce: Nonce) -> LoggedAnswer:
    """Store the critique that your own model wrote from the prompts of `critique`."""
    return await _complete(access, Wanted(phase="critique", session_id=session_id), critique, nonce)


async def revise(
    access: Access,
    session_id: SessionId,
    companion_type: Companion = None,
    query: Question = "",
    sampling: Sampling = None,
    confirm: Confirm = False,
) -> StepAnswer:
    """Revise the newest text of a session by its last critique. Use it after `critique`."""
    wanted = Wanted(
        phase="revise", session_id=session_id, companion_type=companion_type, query=query, sampling=sampling or {},
        confirm=confirm,
    )  # fmt: skip
    return await _begin(access, wanted)


async def revise_complete(access: Access, session_id: SessionId, revision: Produced, nonce: Nonce) -> LoggedAnswer:
    """Store the revision that your own model wrote from the prompts of `revise`."""
    return await _complete(access, Wanted(phase="revise", session_id=session_id), revision, nonce)


async def _begin(access: Access, wanted: Wanted) -> CallToolResult:
    """Only the fields of the mode."""
    step = await begin(access, wanted)
    result = RESULT[wanted.phase]
    text = f"{getattr(step, result)}\n\nsession_id: {step.session_id}"
    if step.execution_mode == "client":
        text = (
            f"Write the {result} yourself, from these prompts. Then call {wanted.phase}_complete with session_id "
            f"{step.session_id} and nonce {step.nonce}.\n\nSystem:\n{step.system}\n\nUser:\n{step.user}"
        )
    content = [TextContent(type="text", text=text)]
    return CallToolResult(content=content, structured_content=step.model_dump(mode="json", exclude_unset=True))


async def _complete(access: Access, wanted: Wanted, text: str, nonce: str) -> CallToolResult:
    logged = await complete(access, wanted, text, nonce)
    return answer(logged, f"The {RESULT[wanted.phase]} is stored in session {logged.session_id}.")
