"""Ill-formed and odd text, through every field that takes text."""

import json
from typing import Any

from trustgraph_react_mem.memory.requests import SERVICES, conversations, episodes, facts, jobs

from .attack import attack, require
from .machine import Machine

BY_CALLER = {"", "bad-request", "missing-scope", "not-found", "too-large", "configuration-error", "conflict", "not-permitted"}


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


OPERATIONS = {"agent-facts": facts, "agent-episodes": episodes, "agent-conversations": conversations, "agent-memory-jobs": jobs}


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
