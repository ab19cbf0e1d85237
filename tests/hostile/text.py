"""Ill-formed and odd text, through every field that takes text."""

import asyncio
import dataclasses
import json
import sys
import unicodedata
from collections.abc import Iterator
from typing import Any

from trustgraph_react_mem.memory.requests import SERVICES, conversations, episodes, facts, jobs

from .attack import attack, require
from .machine import Machine

FAMILY = "👩‍👩‍👧‍👦🏴‍☠️🧑🏽‍🚀🇳🇴"
BY_CALLER = {"", "bad-request", "missing-scope", "not-found", "too-large", "configuration-error", "conflict", "not-permitted"}


def cuts(text: str) -> Iterator[str]:
    """What JavaScript's slice() leaves of a text, at each place that splits a character."""
    units = text.encode("utf-16-le")
    for end in range(2, len(units), 2):
        cut = units[:end].decode("utf-16-le", "surrogatepass")
        if "\ud800" <= cut[-1] <= "\udfff":
            yield cut


async def _survives(machine: Machine, user: str, **fields: Any) -> None:
    """A turn with odd text is answered, and it and a later turn of the same person are kept."""
    question = fields.pop("question", "I keep the odd umbrella in the hall")
    trace = await machine.ask(question, user, **fields)
    require(trace.answer or trace.error_type in BY_CALLER - {""}, f"no answer, but {trace.error_type}: {trace.error}")
    scope = {"collection": fields["collection"]} if "collection" in fields and not trace.error else {}
    await machine.tell(user, f"I keep the plain umbrella of {user} in the hall", **scope)
    left = await machine.unfinished(user, **scope)
    require(not left, f"{left} jobs of this person never end")
    if trace.cited.get("recorded") is True:
        kept = [fact.content for fact in await machine.facts(user, **scope)]
        require(sum("umbrella" in each for each in kept) > 1, f"the turn was called recorded, but is not kept: {kept}")


@attack(on="question", holds="a turn with a cut emoji is kept, and so is every later one")
async def cut_emoji_in_a_question(machine: Machine) -> None:
    await _survives(machine, machine.person(), question="I keep the odd umbrella \ud83d in the hall")


@attack(on="question", holds="however emoji are cut, turns are kept")
async def emoji_cut_at_every_place(machine: Machine) -> None:
    user = machine.person()
    for number, cut in enumerate(cuts(FAMILY)):
        trace = await machine.ask(f"umbrella {number} is {cut}", user)
        require(trace.cited.get("recorded") is True, f"the cut {cut.encode('utf-16-be', 'surrogatepass').hex()}: not recorded")
    count = number + 1
    left = await machine.unfinished(user)
    kept = [fact for fact in await machine.facts(user, kinds=["turn"]) if fact.content.startswith("umbrella ")]
    require(not left and len(kept) == count, f"{len(kept)} of {count} turns kept, {left} jobs open")


@attack(on="question", holds="reversed, doubled, leading and trailing surrogates stop nothing")
async def surrogates_in_any_order(machine: Machine) -> None:
    for odd in (
        "\udc00\ud800 umbrella",
        "umbrella \udbff",
        "\udfff umbrella",
        "\ud800\ud800\ud800 umbrella",
        "umbrella \udcff\x00",
    ):
        await _survives(machine, machine.person(), question=odd)


@attack(on="write places of the worker", holds="20 collections with cut emoji keep nobody else from being recorded")
async def cut_emoji_in_many_collections(machine: Machine) -> None:
    user = machine.person()
    asked = (
        machine.ask("hello \ud83d world", user, collection=f"c{number}", conversation_id=f"c{number}") for number in range(20)
    )
    await asyncio.gather(*asked)
    await machine.still_records()


@attack(on="names of the request", holds="a surrogate in any other field is replaced or refused, and nothing stops")
async def cut_emoji_in_names_of_a_request(machine: Machine) -> None:
    for field in ("conversation_id", "speaker", "asked_at", "timezone", "group", "session_id", "collection", "user"):
        await _survives(
            machine, machine.person(), **{field: f"x{machine.person()}\ud83d"} if field != "user" else {"speaker": "\udc11"}
        )
    trace = await machine.ask("who am I", "ana\ud800")
    require(
        trace.answer or trace.error_type in BY_CALLER - {""}, f"a user named with a surrogate: {trace.error_type} {trace.error}"
    )


@attack(on="history of a chat", holds="surrogates in earlier messages stop nothing")
async def cut_emoji_in_the_history(machine: Machine) -> None:
    history = [{"role": "user", "content": "hi \ud83d"}, {"role": "assistant", "content": "\ude00 hello"}]
    await _survives(machine, machine.person(), history=history)


@attack(on="output of the model", holds="a cut emoji in an answer, and in a tool's arguments, stops nothing")
async def cut_emoji_from_the_model(machine: Machine) -> None:
    machine.direct(
        rules=[
            {"when": "Question: .*cut answer.*", "answer": "Thought: ok\nFinal Answer: umbrella \ud83d [NO_CITE]"},
            {"when": "Observation: ", "answer": "Thought: done\nFinal Answer: done \ud83d [NO_CITE]"},
            {"when": "cut argument", "answer": 'Thought: \ud83d\nAction: retrieve-facts\nArgs: {"query": "umbrella \\ud83d"}'},
        ]
    )
    user = machine.person()
    await _survives(machine, user, question="umbrella with a cut answer")
    await _survives(machine, user, question="umbrella with a cut argument")


@attack(on="facts service", holds="surrogates in stored facts are replaced or refused as the caller's fault")
async def cut_emoji_in_stored_facts(machine: Machine) -> None:
    user = machine.person()
    for field in ("content", "id", "source", "key", "condition", "action", "metadata", "conversation_id"):
        value = {"note\ud83d": "\ud83d"} if field == "metadata" else "umbrella \ud83d"
        record = {"operation": "store", "user": user, "collection": "default", "content": f"umbrella for {field}", field: value}
        reply = await machine.foreign.request("agent-facts", record)
        kind = (reply["error"] or {}).get("type", "")
        require(kind in BY_CALLER, f"a surrogate in {field}: {kind} {reply['error']}")
    turns = [{"id": "D1:\ud83d", "speaker": "A\udc00", "role": "user", "text": "umbrella \ud83d", "session": "\ud83d"}]
    reply = await machine.foreign.request(
        "agent-facts", {"operation": "import", "user": user, "collection": "default", "source": "s\ud83d", "turns": turns}
    )
    kind = (reply["error"] or {}).get("type", "")
    require(kind in BY_CALLER, f"surrogates in imported turns: {kind} {reply['error']}")
    await _survives(machine, user)


@attack(on="payloads of jobs", holds="surrogates in a submitted job end it, not the jobs behind it")
async def cut_emoji_in_a_submitted_job(machine: Machine) -> None:
    user = machine.person()
    await machine.tell(user, "I keep the first umbrella in the hall")
    for kind, payload in (
        ("understand", '{"conversation_id": "talk-\\ud83d"}'),
        ("consolidate", '{"reason": "\\udfff"}'),
        ("forget", '{"level": "conversation", "conversation_id": "\\ud83d"}'),
    ):
        record = {
            "operation": "submit",
            "user": user,
            "collection": "default",
            "kind": kind,
            "payload": payload,
            "timeout_s": 5,
        }
        await machine.foreign.request("agent-memory-jobs", record)
    await _survives(machine, user)
    require(not await machine.unfinished(user, 60, kind=""), "the submitted jobs never end")


OPERATIONS = {"agent-facts": facts, "agent-episodes": episodes, "agent-conversations": conversations, "agent-memory-jobs": jobs}


BY_CHARACTER = frozenset({"store", "update", "retrieve", "end"})


def every_category() -> list[str]:
    """A character of each general category, and some that programs often treat wrongly."""
    found: dict[str, str] = {}
    for code in range(sys.maxunicode + 1):
        found.setdefault(unicodedata.category(chr(code)), chr(code))
    return [
        *found.values(),
        "\ufffe",
        "\uffff",
        "\U0010ffff",
        "\u202e",
        "\u2028",
        "\u200d",
        "\x85",
        "\x9b",
        "é",
        "e\u0301",
        "\ufeff",
    ]


@attack(
    on="every text field of every request",
    holds="a character of each Unicode category leaves all services and the queue alive",
    limit_s=150,
)
async def every_unicode_category_in_every_field(machine: Machine) -> None:
    user = machine.person()
    odd = every_category()
    texts = ["a" + "a".join(each for each in odd if not "\ud800" <= each <= "\udfff"), *(f"x{each}y" for each in odd)]
    records: list[tuple[str, dict[str, Any]]] = []
    for service, (record, _) in SERVICES.items():
        for operation in sorted({each.operation for each in OPERATIONS[service].OPERATIONS.values()}):
            plain = {"operation": operation, "user": user, "collection": "default"}
            for field in dataclasses.fields(record):
                if field.type not in ("str", str) or field.name in ("operation", "level"):
                    continue
                # all characters at once in each field; one at a time in the fields that are stored or searched
                one_by_one = field.name in ("content", "goal", "conversation_id") and operation in BY_CHARACTER
                several = texts if one_by_one else texts[:1]
                records += [(service, {**plain, "timeout_s": 1.0, field.name: text}) for text in several]
    wrong: list[str] = []
    gate = asyncio.Semaphore(16)

    async def send(service: str, record: dict[str, Any]) -> None:
        async with gate:
            try:
                reply = await machine.foreign.request(service, record, timeout_s=30)
            except TimeoutError:
                wrong.append(f"{service} {record['operation']}: no reply to {json.dumps(record)[:120]}")
                return
        kind = (reply["error"] or {}).get("type", "")
        if kind not in BY_CALLER:
            wrong.append(f"{service} {record['operation']}: {kind} for {json.dumps(record)[:160]}")

    await asyncio.gather(*(send(*each) for each in records))
    require(not wrong, f"{len(wrong)} of {len(records)}: {wrong[:2]}")
    await _survives(machine, user)


@attack(on="agent", holds="questions of one character of each Unicode category are answered, and kept in order")
async def every_unicode_category_in_a_question(machine: Machine) -> None:
    user = machine.person()
    asked = [f"umbrella {number} {each} end" for number, each in enumerate(every_category())]
    traces = await asyncio.gather(*(machine.ask(each, user) for each in asked))
    require(all(trace.answer for trace in traces), "some questions were not answered")
    require(not await machine.unfinished(user, 60), "jobs of this person never end")
    kept = [fact for fact in await machine.facts(user, kinds=["turn"]) if fact.content.startswith("umbrella ")]
    require(len(kept) == len(asked), f"of {len(asked)}, {len(kept)} are kept")


@attack(on="question", holds="NUL, U+FFFF, bidi marks, thousands of combining marks are kept")
async def odd_but_legal_texts(machine: Machine) -> None:
    for odd in (
        "umbrella \x00 nul",
        "umbrella \uffff end",
        "umbrella \u202eabc\u202c",
        "umbrella u" + "\u0301\u0489" * 5000,
        "umbrella 🏳️" + "\u200d" * 3000,
    ):
        user = machine.person()
        await _survives(machine, user, question=odd)


@attack(on="scope names", holds="control, bidi and zero-width characters in a name are refused")
async def invisible_characters_in_a_name(machine: Machine) -> None:
    for odd in (
        "ana\x85",
        "ana\x9b31m",
        "ana\u202e",
        "\u2066ana\u2069",
        "ana\u200b",
        "a\u00adna",
        "ana\ufeff",
        "ana\u2028",
        "ana\x00",
        "an\na",
        "\u200dana",
        "x" * 201,
    ):
        for service in SERVICES:
            record = {"operation": "stats", "user": odd, "collection": "default"}
            reply = await machine.foreign.request(service, record)
            kind = (reply["error"] or {}).get("type", "")
            require(kind == "bad-request", f"the user {odd[:12]!r} is taken by {service} ({kind or 'no error'})")
        trace = await machine.ask("who am I", odd)
        require(
            trace.error_type == "bad-request",
            f"the user {odd[:12]!r} is taken by the agent ({trace.error_type or trace.answer})",
        )


@attack(
    on="scope names", holds="joiners inside words of Persian, Hindi and emoji names stay, and names that differ in them differ"
)
async def joiners_in_a_name(machine: Machine) -> None:
    for name in ("می‌خواهم", "क्‍ष", "👩‍🚀"):
        await machine.tell(name, f"I keep the umbrella of {len(name)} letters here")
    require(not await machine.facts("میخواهم"), "a name without its joiner reads the memory of the name with it")


@attack(on="scope names", holds="composed and decomposed forms of one name are one memory, erased together")
async def composed_and_decomposed_names(machine: Machine) -> None:
    composed, decomposed = "José Ångström", "Jose\u0301 A\u030angstro\u0308m"
    await machine.tell(decomposed, "I keep the umbrella in the hall")
    require(
        await machine.finds(composed, "umbrella", 5),
        "what was told under the decomposed name is not found under the composed one",
    )
    await machine.forget(composed, level="user")
    require(not await machine.facts(decomposed), "erasing the composed name leaves the memory of the decomposed one")


@attack(on="types of fields", holds="numbers, lists, NaN and far dates in place of text are bad requests")
async def wrong_types_in_requests(machine: Machine) -> None:
    user = machine.person()
    cases: list[tuple[str, dict[str, Any]]] = [
        ("agent-facts", {"operation": "retrieve", "query": "x", "top_k": "five"}),
        ("agent-facts", {"operation": "retrieve", "query": "x", "rules": [1]}),
        ("agent-facts", {"operation": "retrieve", "query": ["x"]}),
        ("agent-facts", {"operation": "retrieve", "query": {"$ne": 1}}),
        ("agent-facts", {"operation": "retrieve", "query": "x", "asked_at": "9999-12-31T23:59:59-14:00"}),
        ("agent-facts", {"operation": "retrieve", "query": "x", "embedding": ["a"]}),
        ("agent-facts", {"operation": "store", "content": 7}),
        ("agent-facts", {"operation": "store", "content": "x", "metadata": [1]}),
        ("agent-facts", {"operation": "store", "content": "x", "importance": "high"}),
        ("agent-facts", {"operation": "rollback", "at": "0001-01-01T00:00:00+14:00"}),
        ("agent-facts", {"operation": ["store"], "content": "x"}),
        ("agent-facts", {"operation": "list", "limit": 1e300}),
        ("agent-episodes", {"operation": "store", "goal": {"a": 1}}),
        ("agent-episodes", {"operation": "retrieve", "query": "x", "top_k": [3]}),
        ("agent-conversations", {"operation": "get", "conversation_id": 5}),
        ("agent-conversations", {"operation": "update", "conversation_id": "c", "invocation": "text"}),
        ("agent-memory-jobs", {"operation": "wait-idle", "timeout_s": float("nan")}),
        ("agent-memory-jobs", {"operation": "wait-idle", "timeout_s": "soon"}),
        ("agent-memory-jobs", {"operation": "submit", "kind": ["forget"]}),
        ("agent-memory-jobs", {"operation": "list", "limit": "all"}),
    ]
    for service, fields in cases:
        reply = await machine.foreign.request(service, {"user": user, "collection": "default", **fields}, timeout_s=10)
        kind = (reply["error"] or {}).get("type", "")
        require(kind in ("bad-request", "missing-scope", "not-found"), f"{fields}: {kind or 'taken'}")
    await machine.still_records()


@attack(on="imports", holds="deeply nested JSON is refused in a sentence; U+2028 in a text splits no line")
async def odd_import_files(machine: Machine) -> None:
    ana = machine.command(machine.person())
    deep = machine.home / "deep.json"
    deep.write_text('[{"role": "user", "content": ' + "[" * 100_000 + "]" * 100_000 + "}]")
    result = await ana.attempt("import", "chatml", str(deep))
    said = result.err + result.out
    require(result.code in (2, 3) and "Traceback" not in said and "Recursion" not in said, f"exit {result.code}: {said[-200:]}")
    lines = machine.home / "lines.jsonl"
    lines.write_text(
        "\n".join(
            json.dumps({"role": "user", "content": f"umbrella {n}\u2028next\x85line"}, ensure_ascii=False) for n in range(3)
        ),
        "utf-8",
    )
    value = (await ana.run("import", "chatml", str(lines))).value
    require(value["stored"] == 3, f"of 3 messages with line separators, {value['stored']} were stored")


@attack(on="imports", holds="an export that holds surrogates comes in and goes out, with nothing lost")
async def surrogates_in_an_export(machine: Machine) -> None:
    user = machine.person()
    await machine.foreign.request(
        "agent-facts", {"operation": "store", "user": user, "collection": "default", "content": "umbrella \ud83d one"}
    )
    await machine.store(user, "umbrella two")
    file = machine.home / f"{user}.jsonl"
    await machine.command(user).run("export", str(file))
    other = machine.person()
    await machine.command(other).run("import", "memory", str(file))
    require(len(await machine.facts(user)) == len(await machine.facts(other)) > 0, "the import holds another number of facts")


@attack(on="question", holds="a text of one megabyte is answered or refused as too large, and stops nothing", limit_s=60)
async def a_megabyte_of_text(machine: Machine) -> None:
    user = machine.person()
    trace = await machine.ask("umbrella " + "wörter " * 140_000, user)
    require(trace.answer or trace.error_type in BY_CALLER, f"{trace.error_type}: {trace.error}")
    reply = await machine.foreign.request(
        "agent-facts", {"operation": "store", "user": user, "collection": "default", "content": "🙂" * 250_000}
    )
    require((reply["error"] or {}).get("type", "") in BY_CALLER, str(reply["error"]))
    await machine.tell(user, "I keep the umbrella in the hall")
