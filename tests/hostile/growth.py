"""Long texts that make careless patterns slow: nobody else waits for them, and they are kept."""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.requests import GetFactStats

from .attack import attack, require
from .machine import Machine

T = TypeVar("T")
LENGTH = 60_000  # characters; what grows with the square takes minutes at this length
STANDS_STILL_S = 8.0  # nobody waits so long for a small request, also on a slow machine
END_S = 60.0

Make = Callable[[int], str]


def repeated(piece: str, before: str = "", after: str = "") -> Make:
    return lambda length: before + piece * ((length - len(before) - len(after)) // len(piece)) + after


SECRETS: Mapping[str, Make] = {
    "password, then spaces": repeated(" ", "the password for", "x"),
    "password, then tabs and lines": repeated("\t\n", "my password is"),
    "many passwords": repeated("password "),
    "token = = =": repeated("=", "api_token"),
    "keys of a service": repeated("xoxb-1-"),
    "sk- sk- sk-": repeated("sk-"),
    "beginnings of web tokens": repeated("eyJ"),
    "web tokens with dots": repeated("eyJhbGciOiJIUzI1NiJ9."),
    "credentials in addresses": repeated("://a:"),
    "user:pass@ without an end": repeated("a:b@", "https://"),
    "beginnings of keys": repeated("-----BEGIN RSA PRIVATE KEY-----\n"),
    "headers without an end": repeated("Authorization: Bearer "),
    "nested braces of JSON": repeated('{"secret": '),
    "open quotes": repeated("\"'`"),
    "seed words": repeated("abandon ability able about "),
}
PERSONAL: Mapping[str, Make] = {
    "mail addresses": repeated("a@b.cc "),
    "dots before an at": repeated("a.", "x", "@"),
    "internet addresses": repeated("1.1.1.1 "),
    "colons of a long address": repeated("::ffff:"),
    "digits without an end": repeated("4"),
    "digits and dashes": repeated("4-"),
    "telephone numbers": repeated("+49 30 12 "),
    "open parentheses in a number": repeated("(0"),
    "bank accounts": repeated("DE44 "),
    "dates of birth": repeated("born on 1.1."),
    "streets": repeated("Main Street 1 "),
}
FORMAT: Mapping[str, Make] = {
    "open brackets": repeated("["),
    "citations": repeated("[0, "),
    "closed citations": repeated("[0]"),
    "open braces": repeated("{"),
    "thoughts": repeated("Thought: "),
    "final answers": repeated("Final Answer: "),
    "actions": repeated("Action: x\nArgs: {"),
    "think blocks": repeated("<think>"),
    "closed think blocks": repeated("<think></think>"),
    "code fences": repeated("```json\n"),
    "backslashes": repeated("\\", '{"a": "'),
    "stars": repeated("*"),
}


async def _longest_wait(machine: Machine, work: Awaitable[T]) -> tuple[float, T]:
    """The longest time that a small request of another user took meanwhile, and the result of the work."""
    loop = asyncio.get_running_loop()
    waits = [0.0]

    async def ask_on() -> None:
        while True:
            began = loop.time()
            with contextlib.suppress(MemoryServiceError):
                await machine.call(GetFactStats(user="bystander"), timeout_s=END_S)
            waits.append(loop.time() - began)
            await asyncio.sleep(0.2)

    asking = asyncio.create_task(ask_on())
    try:
        result = await work
        await asyncio.sleep(0.3)
        return max(waits), result
    finally:
        asking.cancel()


async def _withstood(machine: Machine, texts: Mapping[str, Make], length: int = LENGTH) -> None:
    """Each text is told by a person of its own, all are kept, and nobody else waits."""

    async def told(make: Make) -> bool:
        user = machine.person("writer")
        try:
            trace = await machine.ask(make(length), user, timeout_s=END_S)
        except TimeoutError:
            return False
        if not trace.answer:
            return False
        return not await machine.unfinished(user, END_S)

    async def all_told() -> list[bool]:
        return await asyncio.gather(*(told(make) for make in texts.values()))

    longest, ended = await _longest_wait(machine, all_told())
    late = [name for name, done in zip(texts, ended, strict=True) if not done]
    require(not late, f"not answered and recorded within {END_S:g} s: {', '.join(late)}")
    require(longest < STANDS_STILL_S, f"another user's small request took {longest:.1f} s meanwhile")


@attack(on="parser and citations, in questions", holds="nobody waits for a hostile text, and its turn is done", limit_s=150)
async def texts_hostile_to_the_format(machine: Machine) -> None:
    await _withstood(machine, FORMAT)


@attack(on="names of a request", holds="a name of a megabyte is refused at once", limit_s=60)
async def names_without_end(machine: Machine) -> None:
    for field in ("conversation_id", "user", "collection", "timezone", "asked_at", "speaker", "key", "source", "id"):
        record = {
            "operation": "store",
            "user": machine.person(),
            "collection": "default",
            "content": "umbrella",
            field: "x-" * 500_000,
        }
        longest, reply = await _longest_wait(machine, machine.foreign.request("agent-facts", record, timeout_s=END_S))
        kind = (reply["error"] or {}).get("type", "")
        require(kind in ("", "bad-request", "too-large"), f"{field}: {kind}")
        require(longest < STANDS_STILL_S, f"{field}: another user's small request took {longest:.1f} s")
    await machine.still_records()


@attack(
    on="start of the stack", holds="it starts again with a hostile text waiting, and takes up its work", own=True, limit_s=150
)
async def hostile_text_waiting_at_the_start(machine: Machine) -> None:
    await machine.up()
    for number, name in enumerate(("password, then spaces", "beginnings of keys", "dots before an at")):
        text = {**SECRETS, **PERSONAL}[name](LENGTH)
        machine.direct(rules=[{"when": "Question: ", "answer": "Final Answer: noted [NO_CITE]"}])
        trace = await machine.ask(text, f"writer{number}")
        require(trace.answer, f"no answer: {trace.error}")
    await machine.kill()
    await machine.up()
    for number in range(3):
        require(not await machine.unfinished(f"writer{number}", END_S), "the jobs that waited never end")
    await machine.still_records()


@attack(
    on="broker", holds="stopped for ten seconds it loses and doubles nothing, and all goes on after it", own=True, limit_s=120
)
async def broker_that_stands_still(machine: Machine) -> None:
    await machine.up()
    await machine.tell("ana", "umbrella 0 is in the hall")
    machine.signal_broker(signal.SIGSTOP)
    asked = [asyncio.create_task(machine.ask(f"umbrella {n} is in the hall", "ana", timeout_s=45)) for n in range(1, 4)]
    await asyncio.sleep(10)
    machine.signal_broker(signal.SIGCONT)
    traces = await asyncio.gather(*asked, return_exceptions=True)
    await machine.still_records()
    require(not await machine.unfinished("ana", 45), "jobs never end")
    contents = [fact.content for fact in await machine.facts("ana", kinds=["turn"])]
    for number, trace in enumerate(traces, start=1):
        count = sum(each.startswith(f"umbrella {number} ") for each in contents)
        acknowledged = not isinstance(trace, BaseException) and trace.cited.get("recorded") is True
        require(count <= 1 and count >= acknowledged, f"turn {number}: kept {count} times, acknowledged {acknowledged}")
