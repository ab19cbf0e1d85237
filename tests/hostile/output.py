"""What memory text may do to a terminal and to logs: nothing."""

import asyncio
import signal
from typing import Any

from tests.e2e.command import ReactMem
from trustgraph_react_mem.memory.requests import StoreEpisode, StoreFact

from .attack import attack, require
from .machine import Machine

HOSTILE = (
    "umbrella \x1b]0;owned\x07 title \x1b[35;7mred\x1b[0m \x9b31m eight \x1b]52;c;ZXZpbA==\x07 clip \u202eabc\u202c bidi "
    "\u2066x\u2069 \x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\ \x08\x08 back \x7f del \x85 nel \u200b zero \ufeff bom "
    "\r return \U000e0041 tag"
)
"""Colours and cursor moves of the program itself; none can come from a memory, whose escapes are gone."""


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
