"""Ill-formed and odd text, through every field that takes text."""

from typing import Any

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
