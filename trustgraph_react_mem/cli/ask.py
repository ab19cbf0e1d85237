"""`ask`."""

import sys
from typing import Annotated

import typer

from ..bus.external_client import MemoryBus
from ..errors import BadRequest, MemoryServiceError
from ..memory.requests import WaitUntilIdle
from .application import app
from .ask_agent import ask_agent, new_conversation
from .connection import connect
from .options import Session, command, exit_code_of
from .owner.proofs import speaker_of
from .views.turn import TurnView

RECORD_WAIT_S = 15.0

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
    refine: Annotated[
        int | None,
        typer.Option(
            "--refine", min=0, max=3, help="Check the answer and revise it at most N times. Default: the flow's setting."
        ),
    ] = None,
) -> int | None:
    """Ask one question. The agent recalls earlier conversations."""
    text = sys.stdin.read() if question == "-" else question
    if not text.strip():
        raise BadRequest("the question is empty: write what you want to know, as in: react-mem ask 'What do I like?'")
    async with connect(session, model=True) as bus:
        view = TurnView(session.screen, verbose=verbose)
        trace = await ask_agent(
            bus,
            session,
            text,
            conversation_id=conversation or new_conversation(),
            show=view.show,
            speaker=speaker_of(session),
            end_of_conversation=end,
            enable_memory=None if memory else False,
            timezone=timezone,
            refine=refine,
        )
        await wait_until_stored(bus, session)
    session.screen.data(trace.as_json())
    return exit_code_of(trace.error_type) if trace.error else 0


async def wait_until_stored(bus: MemoryBus, session: Session) -> None:
    """Wait until the turn is stored, so that the next command finds it.  Jobs that call a model continue later."""
    request = WaitUntilIdle(kind="record", timeout_s=RECORD_WAIT_S, **session.scope_fields)
    try:
        await bus.call(request)
    except MemoryServiceError as late:
        session.screen.note(f"the turn is queued but not stored yet: {late}")
