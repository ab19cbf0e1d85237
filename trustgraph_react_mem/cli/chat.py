"""`chat`.

Ctrl-C while an answer arrives stops showing it, and the chat goes on: the agent completes the answer in the background and
stores the exchange, as it does for every client that stops listening.  Ctrl-C at the prompt leaves.
"""

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import typer

from ..bus.external_client import MemoryBus
from ..errors import BadRequest, MemoryServiceError
from ..memory.requests import EndConversation, ListFacts, RetrieveFacts
from ..schema import Fact
from ..turn_trace import TurnTrace
from .application import app
from .ask import ConversationOption, TimezoneOption, ask_agent, new_conversation, wait_until_stored
from .changes import erase
from .connection import call, connect
from .console import escape, shorten
from .options import Session, ask, command, exit_code_of
from .views import TurnView, format_memory, format_timings, show_recalled, show_receipt

LONGEST_QUOTE = 200  # characters of a memory in a question
STOPPED = "stopped: the agent completes this answer in the background and stores the exchange (Ctrl-C again leaves)"

CHAT_HELP = """\
/memories [WORDS]  list memories, or search them for WORDS
/why               explain the last answer: recalled memories, scores, citations
/forget NUMBER     erase a memory of that list for good, after a question (without a terminal: /forget NUMBER yes)
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
        talk = Chat(bus, session, conversation, verbose=verbose, interactive=interactive, timezone=timezone)
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
    """One session: its conversation, the last turn, the last list of memories."""

    def __init__(
        self, bus: MemoryBus, session: Session, conversation: str, *, verbose: bool, interactive: bool, timezone: str
    ) -> None:
        self._bus, self._session, self._screen = bus, session, session.screen
        self._conversation = conversation or new_conversation()
        self._continued = bool(conversation)
        self._verbose, self._interactive, self._timezone = verbose, interactive, timezone
        self._last: TurnTrace | None = None
        self._listed: list[Fact] = []

    async def handle(self, line: str) -> int:
        """Returns the exit code of an answer; 0 for commands.  Raises: MemoryServiceError."""
        name, _, rest = line.partition(" ")
        match name:
            case "":
                pass
            case "/memories":
                await self._memories(rest.strip())
            case "/why":
                self._why()
            case "/forget":
                await self._forget(rest.strip())
            case "/end":
                await self._end()
            case "/help":
                self._screen.explain(CHAT_HELP)
                self._screen.data({"help": CHAT_HELP})
            case _ if name.startswith("/"):
                raise BadRequest(f"unknown command {name!r}: /help lists the commands")
            case _:
                return await self._ask(line)
        return 0

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
        self._listed = response.facts
        rows = [[str(number), format_memory(vars(fact))] for number, fact in enumerate(self._listed)]
        self._screen.table("memories", ["number", "memory"], rows)
        self._screen.data({"memories": self._listed})

    def _why(self) -> None:
        if self._last is None:
            raise BadRequest("no answer of this chat is complete yet: ask a question, then use /why")
        show_recalled(self._screen, self._last)
        self._screen.say(f"[dim]* cited by the answer · {escape(format_timings(self._last.timings_ms()))}[/dim]")
        self._screen.data(self._last.as_json())

    async def _forget(self, words: str) -> None:
        number, _, agreed = words.partition(" ")
        if not number.isdecimal() or len(number) > 9 or int(number) >= len(self._listed):
            raise BadRequest(f"{f'/forget {number}'.strip()}: give the number of a memory of the last /memories list")
        chosen = self._listed[int(number)]
        if agreed != "yes" and not self._interactive:
            raise BadRequest(f"/forget erases for good and cannot ask without a terminal: repeat as /forget {number} yes")
        if agreed != "yes" and not ask(f"Erase {shorten(chosen.content, LONGEST_QUOTE)!r} for good?"):
            self._screen.note("nothing was changed")
            return
        _, receipt = await erase(self._bus, self._session, "record", chosen.id)
        show_receipt(self._screen, receipt)
        self._screen.data({"id": chosen.id, "receipt": receipt})

    async def _end(self) -> None:
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
