"""Answers of a scripted model to ``memory-understand``, and what became of them."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from tests.integration.jobs_support import ANN, Memory
from trustgraph_react_mem.memory.ports import JsonValue
from trustgraph_react_mem.memory.records import FACT_STATUSES, Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.settings import AgentMemSettings

EACH = AgentMemSettings(extract_every_turns=1, enable_prospective_reflection=False)
PROMPT = "memory-understand"

Variables = Mapping[str, JsonValue]
Script = Callable[[Variables], JsonValue]


def item(text: str = "", quote: str = "", **more: Any) -> dict[str, Any]:
    """An item as the schema has it, with a name for what differs."""
    fields: dict[str, Any] = {"op": "add", "old": [], "keep": "", "kind": "state", "when": "", "from": "", "to": ""}
    return fields | {"text": text, "line": 0, "quote": quote, "context": None, "weight": 2, "topic": "home"} | more


def items(*found: dict[str, Any]) -> dict[str, Any]:
    return {"items": list(found), "episode": None}


def naming(shown_text: str, /, **fields: Any) -> Script:
    """An answer whose ``old`` is the entry with this text, by the name that the prompt gives it."""

    def answer(variables: Variables) -> JsonValue:
        shown = [*cast(list[Any], variables["rules"]), *cast(list[Any], variables["entries"])]
        names = [entry["name"] for entry in shown if shown_text in entry["text"]]
        return items(item(**{"op": "replace", "old": names, **fields}))

    return answer


LIVES = items(item("Ann lives in Oslo", "I live in Oslo"))


async def told(
    memory: Memory, said: str, answer: Any, *, conversation: str = "c1", scope: Scope = ANN, reply: str = "Noted.", **more: Any
) -> str:
    """Say it, let the model answer, and return the summary of the job."""
    memory.model.answers[PROMPT] = answer
    await memory.say(said, reply, conversation=conversation, scope=scope, **more)
    await memory.settled(scope)
    done = [entry for entry in await memory.worker.admin.listing(scope) if entry.kind == "understand"]
    newest = max(done, key=lambda entry: entry.created_at)
    assert newest.state == "done", newest.error
    return newest.summary


async def texts(memory: Memory, scope: Scope = ANN, **filters: Any) -> list[str]:
    return [fact.content for fact in await memory.learned(scope, **filters)]


async def one(memory: Memory, text: str, scope: Scope = ANN) -> Fact:
    [found] = [fact for fact in await memory.learned(scope, statuses=FACT_STATUSES) if fact.content == text]
    return found
