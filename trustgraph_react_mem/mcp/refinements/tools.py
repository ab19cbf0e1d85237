"""Group ``refine``: draft, critique and revise, with the names and arguments of Recursive Agents MCP.

In server mode a tool returns the text of the flow's model.  In client mode it returns prompts for the client's own model and a
nonce, and ``*_complete`` stores what that model wrote.
"""

from typing import Annotated, Any

from mcp_types import CallToolResult, TextContent
from pydantic import Field

from ...http.access import Access
from ...refine.records import CompanionType, Phase
from ..results import answer
from .fields import MOST_QUERY, MOST_TEXT, Logged, SamplingFields, Step
from .nonces import MOST_NONCE
from .steps import RESULT, Completed, Wanted, begin, complete

SessionId = Annotated[str, Field(description="Id of the session (UUID), as draft returned it.", max_length=36)]
Companion = Annotated[
    CompanionType | None, Field(description="Who answers: generic, marketing, bug_triage or strategy. Default: generic.")
]
Sampling = Annotated[SamplingFields | None, Field(description="Default: as in the step before.")]
Nonce = Annotated[str, Field(description="The nonce that came with the prompts.", min_length=1, max_length=MOST_NONCE)]
Metadata = Annotated[
    dict[str, Any] | None, Field(description="Of the model that wrote the text, such as its name in `model`.", max_length=32)
]
Produced = Annotated[str, Field(description="What your model wrote, and nothing else.", min_length=1, max_length=MOST_TEXT)]
Question = Annotated[str, Field(max_length=MOST_QUERY, description="The question. Empty: the current one of the session.")]
Current = Annotated[str, Field(max_length=MOST_TEXT, description="May be left out. If given, it must be the current one.")]
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
    session_id: Annotated[str, Field(description="To continue a session. Empty: a new one.", max_length=36)] = "",
    sampling: Sampling = None,
    confirm: Confirm = False,
    conversation_id: Conversation = "",
) -> StepAnswer:
    """Write the first draft of an answer that will be criticised and revised. Use it for questions where a careful answer
    matters more than a fast one. A session keeps its drafts, critiques and revisions."""
    wanted = Wanted(
        phase="draft",
        session_id=session_id,
        companion_type=companion_type,
        conversation_id=conversation_id,
        query=query,
        sampling=sampling,
        confirm=confirm,
    )
    return _answer("draft", await begin(access, wanted))


async def draft_complete(
    access: Access,
    session_id: SessionId,
    draft: Produced,
    nonce: Nonce,
    query: Question = "",
    companion_type: Companion = None,
    sampling: Sampling = None,
    metadata: Metadata = None,
    conversation_id: Conversation = "",
) -> LoggedAnswer:
    """Store the draft that your own model wrote from the prompts of `draft`. Give the query, the companion_type, the sampling
    and the conversation_id that you gave to `draft`."""
    done = Completed(
        phase="draft",
        session_id=session_id,
        companion_type=companion_type,
        conversation_id=conversation_id,
        query=query,
        sampling=sampling,
        text=draft,
        nonce=nonce,
        metadata=metadata or {},
    )
    return await _complete(access, done)


async def critique(
    access: Access, session_id: SessionId, companion_type: Companion = None, query: Question = "", sampling: Sampling = None
) -> StepAnswer:
    """Criticise the newest text of a session: its draft, or its last revision. Use it after `draft`, or after `revise`."""
    wanted = Wanted(phase="critique", session_id=session_id, companion_type=companion_type, query=query, sampling=sampling)
    return _answer("critique", await begin(access, wanted))


async def critique_complete(
    access: Access,
    session_id: SessionId,
    critique: Produced,
    nonce: Nonce,
    query: Question = "",
    draft: Current = "",
    companion_type: Companion = None,
    sampling: Sampling = None,
    metadata: Metadata = None,
) -> LoggedAnswer:
    """Store the critique that your own model wrote from the prompts of `critique`."""
    done = Completed(
        phase="critique",
        session_id=session_id,
        companion_type=companion_type,
        query=query,
        sampling=sampling,
        text=critique,
        nonce=nonce,
        about={"draft": draft},
        metadata=metadata or {},
    )
    return await _complete(access, done)


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
        phase="revise",
        session_id=session_id,
        companion_type=companion_type,
        query=query,
        sampling=sampling,
        confirm=confirm,
    )
    return _answer("revise", await begin(access, wanted))


async def revise_complete(
    access: Access,
    session_id: SessionId,
    revision: Produced,
    nonce: Nonce,
    query: Question = "",
    draft: Current = "",
    critique: Current = "",
    companion_type: Companion = None,
    sampling: Sampling = None,
    metadata: Metadata = None,
) -> LoggedAnswer:
    """Store the revision that your own model wrote from the prompts of `revise`."""
    done = Completed(
        phase="revise",
        session_id=session_id,
        companion_type=companion_type,
        query=query,
        sampling=sampling,
        text=revision,
        nonce=nonce,
        about={"draft": draft, "critique": critique},
        metadata=metadata or {},
    )
    return await _complete(access, done)


async def _complete(access: Access, done: Completed) -> CallToolResult:
    logged = await complete(access, done)
    return answer(logged, f"The {RESULT[done.phase]} is stored in session {logged.session_id}.")


def _answer(phase: Phase, step: Step) -> CallToolResult:
    """Only the fields of the mode."""
    if step.execution_mode == "client":
        text = (
            f"Write the {RESULT[phase]} yourself, from these prompts. Then call {phase}_complete with session_id "
            f"{step.session_id} and nonce {step.nonce}.\n\nSystem:\n{step.system}\n\nUser:\n{step.user}"
        )
    else:
        text = f"{getattr(step, RESULT[phase])}\n\nsession_id: {step.session_id}"
    content = [TextContent(type="text", text=text)]
    return CallToolResult(content=content, structured_content=step.model_dump(mode="json", exclude_unset=True))
