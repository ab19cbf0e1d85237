"""`ask`, and asking the agent over the bus."""

import sys
import time
import uuid
from collections.abc import Callable
from typing import Annotated

import typer

from ..bus.external_client import MemoryBus
from ..errors import BadRequest, MemoryServiceError
from ..memory.requests import WaitUntilIdle
from ..memory.text.printable import is_blank
from ..schema import AgentRequest
from ..turn_trace import TracePiece, TurnTrace
from .application import app
from .connection import call, connect, prove
from .options import Session, command, exit_code_of
from .times import local_zone
from .views import TurnView

RECORD_WAIT_S = 15.0
TURN_TIMEOUT_S = 600.0
Show = Callable[[TracePiece, TurnTrace], None]

ConversationOption = Annotated[str, typer.Option("--conversation", help="Continue this conversation. Default: a new one.")]

TimezoneOption = Annotated[
    str, typer.Option("--timezone", help="Your time zone, such as Europe/Berlin or +02:00. Default: that of this machine.")
]


@command(app, "ask")
async def ask(
    session: Session,
    question: Annotated[str, typer.Argument(help="Question. '-' reads it from standard input.")],
    conversation: ConversationOption = "",
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show thoughts and recalled memories.")] = False,
    memory: Annotated[bool, typer.Option("--memory/--no-memory", help="Recall memories and learn from the turn.")] = True,
    end: Annotated[bool, typer.Option("--end", help="End the conversation after this question.")] = False,
    timezone: TimezoneOption = "",
) -> int | None:
    """Ask one question. The agent recalls earlier conversations."""
    text = sys.stdin.read() if question == "-" else question
    if is_blank(text):
        raise BadRequest("the question is empty: write what you want to know, as in: react-mem ask 'What do I like?'")
    async with connect(session, model=True) as bus:
        view = TurnView(session.screen, verbose=verbose)
        trace = await ask_agent(
            bus,
            session,
            text,
            conversation_id=conversation or new_conversation(),
            show=view.show,
            speaker=session.speaker,
            end_of_conversation=end,
            enable_memory=None if memory else False,
            timezone=timezone,
        )
        await wait_until_stored(bus, session)
    session.screen.data(trace.as_json())
    return exit_code_of(trace.error_type) if trace.error else 0


async def wait_until_stored(bus: MemoryBus, session: Session) -> None:
    """Wait until the turn is stored, so that the next command finds it.  Jobs that call a model continue later."""
    try:
        await call(session, bus, WaitUntilIdle(kind="record", timeout_s=RECORD_WAIT_S))
    except MemoryServiceError as late:
        session.screen.note(f"the turn is queued but not stored yet: {late}")


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
) -> TurnTrace:
    """Run one turn.  ``show`` receives every piece as it arrives."""
    if is_blank(question):
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
        **session.scope_fields,
    )
    began = time.monotonic()
    async for message in bus.ask(request, timeout_s=TURN_TIMEOUT_S):
        trace.seconds = time.monotonic() - began
        for piece in trace.feed(message):
            show(piece, trace)
    return trace
