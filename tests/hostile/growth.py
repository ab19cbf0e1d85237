"""Long texts that make careless patterns slow: nobody else waits for them, and they are kept."""

import asyncio
import contextlib
import json
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
WORDS: Mapping[str, Make] = {
    "may may may": repeated("may "),
    "next last next": repeated("next last "),
    "dates that never end": repeated("1/1/"),
    "between and between": repeated("between 3 and "),
    "names": repeated("Ana "),
    "names with and": repeated("Ana and Bob's "),
    "question marks": repeated("? "),
    "always answer": repeated("always answer in "),
    "call me": repeated("call me "),
    "not not not": repeated("not "),
    "one word": repeated("a"),
    "Japanese without a space": repeated("今日は"),
    "German compounds": repeated("donaudampfschiff"),
    "full stops": repeated(". "),
    "number words": repeated("twenty one hundred "),
    "combining marks": repeated("\u0301", "a"),
    "joiners": repeated("\u200d", "a", "b"),
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


@attack(on="screening of secrets, in questions", holds="nobody waits for a hostile text, and its turn is done", limit_s=150)
async def texts_hostile_to_secret_patterns(machine: Machine) -> None:
    await _withstood(machine, SECRETS)


@attack(
    on="screening of personal data, in questions", holds="nobody waits for a hostile text, and its turn is done", limit_s=150
)
async def texts_hostile_to_personal_patterns(machine: Machine) -> None:
    await _withstood(machine, PERSONAL)


@attack(on="times, names, instructions, languages", holds="nobody waits for a hostile text, and its turn is done", limit_s=150)
async def texts_hostile_to_readers_of_words(machine: Machine) -> None:
    await _withstood(machine, WORDS)


@attack(on="parser and citations, in questions", holds="nobody waits for a hostile text, and its turn is done", limit_s=150)
async def texts_hostile_to_the_format(machine: Machine) -> None:
    await _withstood(machine, FORMAT)


@attack(on="parser and citations, in answers", holds="whatever the model writes, nobody waits and turns are done", limit_s=150)
async def answers_hostile_to_the_format(machine: Machine) -> None:
    texts = {**FORMAT, **{name: SECRETS[name] for name in list(SECRETS)[:4]}}
    machine.direct(
        rules=[
            {"when": f"Question: hostile answer {number}$", "answer": f"Final Answer: {make(LENGTH // 2)}", "chunks": 50}
            for number, make in enumerate(texts.values())
        ]
    )

    async def answered(number: int) -> bool:
        user = machine.person("writer")
        try:
            trace = await machine.ask(f"hostile answer {number}", user, timeout_s=END_S)
        except TimeoutError:
            return False
        return bool(trace.answer or trace.error) and not await machine.unfinished(user, END_S)

    async def all_answered() -> list[bool]:
        return await asyncio.gather(*(answered(number) for number in range(len(texts))))

    longest, ended = await _longest_wait(machine, all_answered())
    late = [name for name, done in zip(texts, ended, strict=True) if not done]
    machine.direct(rules=[])
    require(not late, f"not done within {END_S:g} s: {', '.join(late)}")
    require(longest < STANDS_STILL_S, f"another user's small request took {longest:.1f} s meanwhile")


@attack(on="facts service", holds="a query of any length is answered or refused at once, and nobody waits", limit_s=120)
async def queries_without_end(machine: Machine) -> None:
    user = machine.person()
    await machine.store(user, "I keep the umbrella in the hall")
    for service, name in (
        ("agent-facts", "may "),
        ("agent-episodes", "umbrella "),
        ("agent-facts", "Ana and "),
        ("agent-facts", "5.5."),
    ):
        record = {"operation": "retrieve", "user": user, "collection": "default", "query": name * (4_000_000 // len(name))}
        longest, reply = await _longest_wait(machine, machine.foreign.request(service, record, timeout_s=END_S))
        kind = (reply["error"] or {}).get("type", "")
        require(kind in ("", "bad-request", "too-large"), f"{service}: {kind}")
        require(longest < STANDS_STILL_S, f"another user's small request took {longest:.1f} s beside a query of 4 MB")


@attack(on="store and import of facts", holds="hostile texts are stored or refused at once, and nobody waits", limit_s=150)
async def stored_texts_hostile_to_patterns(machine: Machine) -> None:
    user = machine.person()
    texts = [make(LENGTH) for group in (SECRETS, PERSONAL, WORDS) for make in list(group.values())[::2]]

    async def store(text: str) -> str:
        record = {
            "operation": "store",
            "user": user,
            "collection": "default",
            "content": text,
            "metadata": {"note": text[:9000]},
        }
        reply = await machine.foreign.request("agent-facts", record, timeout_s=END_S)
        return str((reply["error"] or {}).get("type", ""))

    async def all_stored() -> list[str]:
        return await asyncio.gather(*(store(text) for text in texts))

    longest, kinds = await _longest_wait(machine, all_stored())
    require(set(kinds) <= {"", "bad-request", "too-large"}, f"errors {set(kinds)}")
    require(longest < STANDS_STILL_S, f"another user's small request took {longest:.1f} s meanwhile")


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


@attack(on="transcripts", holds="a dialogue of hostile texts is imported, and nobody waits", limit_s=120)
async def imports_hostile_to_patterns(machine: Machine) -> None:
    user = machine.person()
    texts = [make(20_000) for group in (SECRETS, PERSONAL, WORDS) for make in group.values()]
    file = machine.home / f"{user}-chat.jsonl"
    file.write_text("\n".join(json.dumps({"role": "user", "content": text}) for text in texts), "utf-8")
    longest, result = await _longest_wait(machine, machine.command(user).run("import", "chatml", str(file)))
    require(longest < STANDS_STILL_S, f"another user's small request took {longest:.1f} s meanwhile")
    require(result.value["turns"] == len(texts), f"{result.value['turns']} of {len(texts)} turns were read")
