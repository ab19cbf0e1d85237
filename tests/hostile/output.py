"""What memory text may do to a terminal and to logs: nothing."""

import asyncio
import os
import pty
import re
import signal
import subprocess
from typing import Any

from tests.e2e.command import COMMAND, ReactMem
from trustgraph_react_mem.memory.requests import StoreEpisode, StoreFact, SubmitJob

from .attack import attack, require
from .machine import Machine, eventually

HOSTILE = (
    "umbrella \x1b]0;owned\x07 title \x1b[35;7mred\x1b[0m \x9b31m eight \x1b]52;c;ZXZpbA==\x07 clip \u202eabc\u202c bidi "
    "\u2066x\u2069 \x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\ \x08\x08 back \x7f del \x85 nel \u200b zero \ufeff bom "
    "\r return \U000e0041 tag"
)
OURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-B0]|\x1b[=>78]")
"""Colours and cursor moves of the program itself; none can come from a memory, whose escapes are gone."""
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\ufeff\U000e0000-\U000e007f]"
)


def _on_a_terminal(command: ReactMem, *arguments: str) -> str:
    """What the command writes to a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [str(COMMAND), *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=command.environment | {"TERM": "xterm-256color"},
        close_fds=True,
    )
    os.close(slave)
    written = b""
    while True:
        try:
            piece = os.read(master, 65_536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        written += piece
    process.wait(60)
    os.close(master)
    return written.decode("utf-8", "backslashreplace")


def _harm(text: str) -> str:
    """What of a hostile text reached the terminal; "" if nothing did."""
    for sequence in ("\x1b]", "\x1b[35;7m", "\x9b", "\x1bP"):
        if sequence in text:
            return repr(sequence)
    found = FORBIDDEN.search(OURS.sub("", text).replace("\r\n", "\n"))
    return repr(found.group()) if found else ""


async def _planted(machine: Machine) -> tuple[str, ReactMem, str]:
    user = machine.person()
    fact = (
        await machine.call(StoreFact(user=user, content=HOSTILE, source=f"talk-{user}", metadata={"note": HOSTILE}))
    ).fact_id
    await machine.call(StoreEpisode(user=user, goal=HOSTILE, steps=[HOSTILE], outcome=HOSTILE, lessons=HOSTILE))
    machine.direct(rules=[{"when": "Question: umbrella", "answer": f"Final Answer: {HOSTILE} [NO_CITE]"}])
    await machine.ask(HOSTILE, user, speaker="Bob\x1b]0;x\x07\u202e")
    require(not await machine.unfinished(user, 20), "the hostile turn is not recorded")
    return user, ReactMem(machine.home, user), fact


@attack(on="terminal", holds="no control, OSC or bidi character of a memory reaches it, from any command", limit_s=150)
async def memories_on_a_terminal(machine: Machine) -> None:
    user, command, fact = await _planted(machine)
    commands: list[list[str]] = [
        ["memories", "list"],
        ["memories", "search", "umbrella"],
        ["memories", "show", fact],
        ["memories", "list", "--kind", "episode"],
        ["history", fact],
        ["conversations", f"talk-{user}"],
        ["ask", "umbrella?", "--conversation", f"talk-{user}"],
        ["why"],
    ]
    for arguments in commands:
        text = await asyncio.to_thread(_on_a_terminal, command, *arguments)
        require(
            "umbrella" in text or arguments[0] in ("why", "conversations"),
            f"the control fails: {arguments} shows nothing of it: {text[-200:]!r}",
        )
        require(not _harm(text), f"`react-mem {' '.join(arguments[:2])}` sends {_harm(text)} to the terminal")


@attack(on="error messages", holds="a hostile id or name in an error reaches the terminal harmlessly", limit_s=90)
async def errors_on_a_terminal(machine: Machine) -> None:
    user, command, _ = await _planted(machine)
    odd = "x\x1b]0;owned\x07\u202e\x9b31m"
    for arguments in (
        ["memories", "show", odd],
        ["jobs", "show", odd],
        ["history", odd],
        ["memories", "list", "--collection", odd],
    ):
        text = await asyncio.to_thread(_on_a_terminal, command, *arguments)
        require(
            text and not _harm(text), f"`react-mem {' '.join(arguments[:2])}` sends {_harm(text) or 'nothing'} to the terminal"
        )
    assert user


@attack(on="log", holds="what fails is named in the message itself: embeddings, model, job and its kind", own=True, limit_s=120)
async def causes_in_the_log(machine: Machine) -> None:
    await machine.up()
    machine.direct(embedder_refuses=["zyxforbidden"], background_refuses=["zyxforbidden"])
    await machine.ask("I keep the zyxforbidden umbrella", "ana")
    await machine.unfinished("ana")  # before that there is nothing to learn from
    await machine.call(SubmitJob(user="ana", kind="understand", payload='{"conversation_id": "talk-ana"}'))

    def lines() -> list[str]:
        return [line for line in machine.log.splitlines() if re.search(r"WARNING|ERROR", line)]

    async def failed() -> bool:
        return any("understand" in line for line in lines())

    await eventually(failed, 40, 1)
    require(any("embedding" in line for line in lines()), f"no line names the embeddings service: {lines()[-2:]}")
    require(any("understand" in line for line in lines()), f"no line names the kind of the job that failed: {lines()[-2:]}")
    require("zyxforbidden" not in machine.log, "the person's words are in the log")


@attack(
    on="log",
    holds="a broker that is killed is named, and the log has no line breaks or escapes of a client",
    own=True,
    limit_s=120,
)
async def log_lines_of_clients(machine: Machine) -> None:
    await machine.up()
    odd = "x\nERROR:root:forged line\x1b[31m\u202e"
    for service in ("agent-facts", "agent-conversations", "agent-memory-jobs"):
        fields: dict[str, Any] = {
            "operation": odd,
            "user": odd,
            "collection": odd,
            "id": odd,
            "conversation_id": odd,
            "kind": odd,
        }
        await machine.foreign.request(service, fields)
        await machine.foreign.request(service, {**fields, "operation": "get", "user": "ana", "collection": "default"})
    await machine.ask("hello", "ana", conversation_id=odd, speaker=odd, timezone=odd, asked_at=odd)
    machine.signal_broker(signal.SIGKILL)
    await asyncio.sleep(3)
    require("broker" in machine.log, "the end of the broker is not in the log")
    require("\nERROR:root:forged" not in machine.log, "a client wrote a line of the log")
    require("\x1b[31m" not in machine.log and "\u202e" not in machine.log, "a client's escapes are in the log")
