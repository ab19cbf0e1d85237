"""`ask` and `chat`."""

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator
from typing import Annotated

import typer

from ..bus.external_client import MemoryBus
from ..errors import BadRequest, MemoryServiceError
from ..memory.requests import EndConversation, ForgetFacts, ListFacts, RetrieveFacts, WaitUntilIdle
from .application import app
from .ask_agent import ask_agent, new_conversation
from .connection import connect
from .console import escape
from .memories import require_readable
from .options import Session, command, exit_code_of
from .views.trace import TurnTrace
from .views.turn import TurnView, format_memory, format_timings, show_recalled

RECORD_WAIT_S = 15.0
LONGEST_LINE = 16 * 2**20

CHAT_HELP = """\
/memories [WORDS]  list memories, or search them for WORDS
/why               explain the last answer: recalled memories, scores, citations
/forget NUMBER     erase a memory of the last /memories list
/end               end this conversation and start a new one; memories are kept
/help              show this list
/quit              leave (or press Ctrl-D)"""

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
            speaker=session.options.user,
            end_of_conversation=end,
            enable_memory=None if memory else False,
            timezone=timezone,
        )
        await _wait_until_stored(bus, session)
    session.screen.data(trace.as_json())
    return exit_code_of(trace.error_type) if trace.error else 0


async def _wait_until_stored(bus: MemoryBus, session: Session) -> None:
    """Wait until the turn is stored, so that the next command finds it.  Jobs that call a model continue later."""
    request = WaitUntilIdle(kind="record", timeout_s=RECORD_WAIT_S, **session.scope_fields)
    try:
        await bus.call(request)
    except MemoryServiceError as late:
        session.screen.note(f"the turn is queued but not stored yet: {late}")


@command(app, "chat")
async def chat(
    session: Session,
    conversation: ConversationOption = "",
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show thoughts and recalled memories.")] = False,
    timezone: TimezoneOption = "",
) -> int | None:
    """Chat with the agent. /help lists the commands. Reads lines from standard input if it is not a terminal."""
    async with connect(session, model=True) as bus:
        talk = Chat(
            bus, session, conversation or new_conversation(), continued=bool(conversation), verbose=verbose, timezone=timezone
        )
        session.screen.say("[dim]/help lists the commands, Ctrl-D leaves[/dim]")
        async for line in _read_lines():
            if line.strip() in ("/quit", "/exit"):
                break
            try:
                await talk.handle(line.strip())
            except MemoryServiceError as error:
                session.screen.problem(str(error))
        await _wait_until_stored(bus, session)
    return None


class Chat:
    """The state of one interactive session: its conversation, the last turn, the last list of memories."""

    def __init__(
        self, bus: MemoryBus, session: Session, conversation_id: str, *, continued: bool, verbose: bool, timezone: str = ""
    ) -> None:
        self._bus = bus
        self._session = session
        self._screen = session.screen
        self._conversation_id = conversation_id
        self._verbose = verbose
        self._timezone = timezone
        self._has_turns = continued
        self._last: TurnTrace | None = None
        self._listed: list[str] = []

    async def handle(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        if not line:
            return
        if not name.startswith("/"):
            await self._ask(line)
        elif name == "/memories":
            await self._memories(rest.strip())
        elif name == "/why":
            self._why()
        elif name == "/forget":
            await self._forget(rest.strip())
        elif name == "/end":
            await self._end()
        elif name == "/help":
            self._screen.say(escape(CHAT_HELP))
            self._screen.data({"help": CHAT_HELP})
        else:
            raise BadRequest(f"unknown command {name!r}: /help lists the commands")

    async def _ask(self, question: str) -> None:
        view = TurnView(self._screen, verbose=self._verbose)
        self._has_turns = True
        self._last = await ask_agent(
            self._bus,
            self._session,
            question,
            conversation_id=self._conversation_id,
            show=view.show,
            speaker=self._session.options.user,
            timezone=self._timezone,
        )
        self._screen.data(self._last.as_json())

    async def _memories(self, words: str) -> None:
        where = self._session.scope_fields
        response = await self._bus.call(
            RetrieveFacts(query=words, top_k=10, **where) if words else ListFacts(limit=20, **where)
        )
        require_readable(response)
        facts = response.facts
        self._listed = [fact.id for fact in facts]
        rows = [[str(number), format_memory(vars(fact))] for number, fact in enumerate(facts)]
        self._screen.table("memories", ["number", "memory"], rows)
        self._screen.data({"memories": facts})

    def _why(self) -> None:
        if self._last is None:
            raise BadRequest("no question was asked yet: ask one, then use /why")
        show_recalled(self._screen, self._last)
        self._screen.say(f"[dim]* cited by the answer · {escape(format_timings(self._last.timings_ms()))}[/dim]")
        self._screen.data(self._last.as_json())

    async def _forget(self, number: str) -> None:
        if not number.isdigit() or int(number) >= len(self._listed):
            raise BadRequest(f"{f'/forget {number}'.strip()}: give the number of a memory of the last /memories list")
        record_id = self._listed[int(number)]
        response = await self._bus.call(ForgetFacts(ids=[record_id], **self._session.scope_fields))
        self._screen.say(f"forgotten: {response.count}")
        self._screen.data({"forgotten": response.count, "id": record_id})

    async def _end(self) -> None:
        if not self._has_turns:
            raise BadRequest("this conversation is empty: there is nothing to end")
        await _wait_until_stored(self._bus, self._session)  # a conversation exists once its first turn is stored
        request = EndConversation(conversation_id=self._conversation_id, **self._session.scope_fields)
        await self._bus.call(request)
        ended, self._conversation_id, self._has_turns = self._conversation_id, new_conversation(), False
        self._screen.say(f"[dim]conversation {ended} ended, {self._conversation_id} started[/dim]")
        self._screen.data({"ended": ended, "began": self._conversation_id})


async def _read_lines() -> AsyncIterator[str]:
    """Lines typed at a prompt with editing and history, or read from a pipe."""
    if not sys.stdin.isatty():
        async for line in _read_pipe():
            yield line
        return
    from prompt_toolkit import PromptSession  # only here: it takes a moment to load

    prompt: PromptSession[str] = PromptSession()
    while True:
        try:
            yield await prompt.prompt_async("you     ")
        except (EOFError, KeyboardInterrupt):
            return


async def _read_pipe() -> AsyncIterator[str]:
    """Does not block the event loop: an embedded stack may be running in it while the pipe is silent."""
    mode = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):  # files and /dev/null cannot be polled
        for line in sys.stdin:
            yield line
        return
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line_bytes := await reader.readline():
        yield line_bytes.decode("utf-8", errors="replace")
