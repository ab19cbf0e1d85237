"""`ask` and `chat`.

Ctrl-C while an answer arrives stops showing it, and the chat goes on: the agent completes the answer in the background and
stores the exchange, as it does for every client that stops listening.  Ctrl-C at the prompt leaves.
"""

import asyncio
import contextlib
import signal
import sys
import time
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import typer

from ..bus.external_client import MemoryBus
from ..errors import BadRequest, MemoryServiceError
from ..memory.requests import EndConversation, ListFacts, RetrieveFacts, WaitUntilIdle
from ..memory.text.printable import is_blank
from ..schema import AgentRequest
from ..turn_trace import TracePiece, TurnTrace
from .application import app
from .connection import call, connect, prove
from .console import escape
from .options import Session, command, exit_code_of
from .views import TurnView, format_memory, format_timings, local_zone, show_recalled

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


STOPPED = "stopped: the agent completes this answer in the background and stores the exchange (Ctrl-C again leaves)"

CHAT_HELP = """\
/memories [WORDS]  list memories, or search them for WORDS
/why               explain the last answer: recalled memories, scores, citations
/end               end this conversation and start a new one; memories are kept
/help              show this list
/quit              leave (or press Ctrl-D); Ctrl-C stops an answer"""


@command(app, "chat")
async def chat(
    session: Session,
    conversation: ConversationOption = "",
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show thoughts and recalled memories.")] = False,
    timezone: TimezoneOption = "",
) -> int | None:
    """Chat with the agent. /help lists the commands.

    Reads lines from standard input if it is not a terminal. The exit code is then that of the first line that failed.
    """
    # Asked now: at its end a pipe is closed.
    interactive = sys.stdin.isatty() and session.screen.out.is_terminal and not session.options.json_output
    failed = 0  # exit code of the first line of a script that failed
    async with connect(session, model=True) as bus:
        talk = Chat(bus, session, conversation, verbose=verbose, timezone=timezone)
        session.screen.say("[dim]/help lists the commands, Ctrl-D leaves[/dim]")
        async for line in _read_lines():
            if line.strip() in ("/quit", "/exit"):
                break
            try:
                handled = talk.handle(line.strip())
                if not interactive:  # a script is interrupted as a whole
                    failed = await handled or failed
                elif not await _until_interrupted(handled):
                    session.screen.say()
                    session.screen.note(STOPPED)
            except MemoryServiceError as error:
                session.screen.problem(str(error))
                failed = failed or exit_code_of(error.wire_type)
        await wait_until_stored(bus, session)
    return None if interactive else failed


class Chat:
    """One session: its conversation and the last turn."""

    def __init__(self, bus: MemoryBus, session: Session, conversation: str, *, verbose: bool, timezone: str) -> None:
        self._bus, self._session, self._screen = bus, session, session.screen
        self._conversation = conversation or new_conversation()
        self._continued = bool(conversation)
        self._verbose, self._timezone = verbose, timezone
        self._last: TurnTrace | None = None

    async def handle(self, line: str) -> int:
        """Returns the exit code of an answer; 0 for commands.  Raises: MemoryServiceError."""
        name, _, rest = line.partition(" ")
        commands = {"/memories": self._memories, "/why": self._why, "/end": self._end, "/help": self._help}
        if name in commands:
            await commands[name](rest.strip())
        elif name.startswith("/"):
            raise BadRequest(f"unknown command {name!r}: /help lists the commands")
        elif name:
            return await self._ask(line)
        return 0

    async def _help(self, _: str) -> None:
        self._screen.explain(CHAT_HELP)
        self._screen.data({"help": CHAT_HELP})

    async def _ask(self, question: str) -> int:
        view = TurnView(self._screen, verbose=self._verbose)
        self._continued = True
        self._last = await ask_agent(
            self._bus,
            self._session,
            question,
            conversation_id=self._conversation,
            show=view.show,
            speaker=self._session.speaker,
            timezone=self._timezone,
        )
        self._screen.data(self._last.as_json())
        return exit_code_of(self._last.error_type) if self._last.error else 0

    async def _memories(self, words: str) -> None:
        request = RetrieveFacts(query=words, top_k=10) if words else ListFacts(limit=20)
        response = await call(self._session, self._bus, request)
        rows = [[fact.id, format_memory(vars(fact))] for fact in response.facts]
        self._screen.table("memories", ["id", "memory"], rows)
        self._screen.data({"memories": response.facts})

    async def _why(self, _: str) -> None:
        if self._last is None:
            raise BadRequest("no answer of this chat is complete yet: ask a question, then use /why")
        show_recalled(self._screen, self._last)
        self._screen.say(f"[dim]* cited by the answer · {escape(format_timings(self._last.timings_ms()))}[/dim]")
        self._screen.data(self._last.as_json())

    async def _end(self, _: str) -> None:
        if not self._continued:
            raise BadRequest("this conversation is empty: there is nothing to end")
        await wait_until_stored(self._bus, self._session)  # a conversation exists once its first turn is stored
        await call(self._session, self._bus, EndConversation(conversation_id=self._conversation))
        ended, self._conversation, self._continued = self._conversation, new_conversation(), False
        self._screen.say(f"[dim]conversation {ended} ended, {self._conversation} started[/dim]")
        self._screen.data({"ended": ended, "began": self._conversation})


async def _until_interrupted(work: Coroutine[Any, Any, int]) -> bool:
    """Run ``work`` until it ends or Ctrl-C stops it.  Returns whether it ended."""
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
    before = signal.getsignal(signal.SIGINT)
    loop.add_signal_handler(signal.SIGINT, task.cancel)
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:  # SIGTERM: the chat itself ends
        task.cancel()
        raise
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, before)
    if task.cancelled():
        return False
    task.result()
    return True


async def _read_lines() -> AsyncIterator[str]:
    """Lines typed at a prompt, or read from a pipe.  While one is silent, the event loop runs an embedded stack."""
    if sys.stdin.isatty():
        from prompt_toolkit import PromptSession  # only here: it takes a moment to load

        session = PromptSession[str]()
        with contextlib.suppress(EOFError, KeyboardInterrupt):
            while True:
                yield await session.prompt_async("you     ")
        return
    reader = ThreadPoolExecutor(1)  # nothing waits for its thread: the process ends with os._exit
    while line := await asyncio.get_running_loop().run_in_executor(reader, sys.stdin.buffer.readline):
        yield line.decode("utf-8", errors="replace")
