"""Every text field of every request takes every kind of character: the answer is a result or names the caller's mistake.

The fields are read from the wire classes, so a new one is tested without a change here.
"""

import asyncio
import json
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass
from functools import partial
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
import pytest_asyncio
from trustgraph.schema import AgentResponse

from tests.integration.conftest import plain_stack
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.errors import BadRequest, MemoryServiceError
from trustgraph_react_mem.memory import requests
from trustgraph_react_mem.memory.requests import SERVICES, ConversationsRequest, EpisodesRequest, FactsRequest, JobsRequest
from trustgraph_react_mem.schema import AgentRequest, InvocationSummary, Turn
from trustgraph_react_mem.testing.scripted_model import Rule, ScriptedModel

pytestmark = pytest.mark.asyncio(loop_scope="module")

CATEGORIES: dict[str, str] = {}  # name -> its first character beyond ASCII
for code in range(0x80, 0x10000):
    CATEGORIES.setdefault(unicodedata.category(chr(code)), chr(code))
CATEGORIES.pop("Cs")  # half characters have texts of their own
TEXTS = {
    "every category": "a" + "b".join(CATEGORIES[name] for name in sorted(CATEGORIES)) + "c",
    "half a character": "cut \ud83d here",
    "halves turned": "\ude00\ud83d",
    "NUL": "a\0b",
    "last of the plane": "a\uffff\ufdd0\U0010ffff",
    "directions": "\u202eabc\u2066\u200b\ufeff",
    "combining": "e" + "\u0301" * 2000,
    "controls": "\x1b]0;x\x07\x9b2J\x85\u2028",
    "syntax": "\"'`}{)(][ -- ; MATCH (n) DETACH DELETE n // {{x}} %s $p \\",
}
LONG = "word " * 200_000
OPERATIONS: dict[type, dict[str, Any]] = {
    requests.SERVICES[service][0]: dict(known) for service, known in requests.OPERATIONS.items()
}
BLAMELESS = ("engine-unavailable", "memory-error", "agent-error", "model-unavailable", "configuration-error")
Build = Callable[[str], Any]
USER = "fuzz"


def _as_list(build: Build, text: str) -> list[Any]:
    return [build(text)]


def _as_field(record: Any, name: str, build: Build, text: str) -> Any:
    return record(**{name: build(text)})


def builders(hint: Any, path: str) -> Iterator[tuple[str, Build]]:
    """The place of each text in a value of this type, and a function that makes a value with a text there."""
    if isinstance(hint, UnionType):
        hint = next(part for part in get_args(hint) if part is not NoneType)
    if hint is str:
        yield path, lambda text: text
    elif get_origin(hint) is dict:
        yield f"{path} name", lambda text: {text: "value"}
        yield f"{path} value", lambda text: {"name": text}
    elif get_origin(hint) is list:
        for inner, build in builders(get_args(hint)[0], f"{path}[]"):
            yield inner, partial(_as_list, build)
    elif is_dataclass(hint):
        for each in fields(hint):
            for inner, build in builders(get_type_hints(hint)[each.name], f"{path}.{each.name}"):
                yield inner, partial(_as_field, hint, each.name, build)


def places(cls: Any) -> Iterator[tuple[str, str, Build]]:
    """Field, place within it, and builder."""
    for each in fields(cls):
        for path, build in builders(get_type_hints(cls)[each.name], each.name):
            yield each.name, path, build
    if cls is FactsRequest:
        yield "data", "data as JSON", lambda text: json.dumps({"type": "fact", "id": text, "content": text})
    if cls is JobsRequest:
        yield "payload", "payload as JSON", lambda text: json.dumps({"ids": [text], "conversation_id": text, text: text})


BASE: dict[type, dict[str, Any]] = {
    FactsRequest: {
        "id": "x", "content": "likes tea", "source": "c1", "query": "tea", "at": "2030-01-31T09:00:00Z", "rating": 1,
        "level": "conversation", "conversation_id": "c1", "turns": [Turn(id="t", text="x")],
    },
    EpisodesRequest: {"id": "x", "goal": "make tea", "query": "tea", "source": "c1"},
    ConversationsRequest: {"conversation_id": "c1", "invocation": InvocationSummary(query="x", result="y"), "flow": "default"},
    JobsRequest: {"kind": "retain", "payload": "{}", "id": "x", "timeout_s": 0.1},
}  # fmt: skip


def reads(operation: Any, field: str) -> bool:
    """Whether the operation reads this field of its record.  The others are decoded and ignored."""
    named = {each.metadata.get("name", each.name) for each in fields(operation)}
    return field in named or (field in ("id", "ids") and bool(named & {"id", "ids"}))


CASES = [
    (cls, operation, path, field, build)
    for cls, table in OPERATIONS.items()
    for field, path, build in places(cls)
    for operation, typed in table.items()
    if field == "operation" or reads(typed, field) or (field == "data" and operation in ("import", "export"))
]


async def test_the_fields_of_all_messages_are_found() -> None:
    found = {cls.__name__: {path for _, path, _ in places(cls)} for cls in (*OPERATIONS, AgentRequest)}
    assert {"turns[].former[]", "metadata value", "data as JSON", "kinds[]"} <= found["FactsRequest"]
    assert {"invocation.result"} <= found["ConversationsRequest"]
    assert {"question", "history[].content", "history[].arguments name", "memory.memory_types[]"} <= found["AgentRequest"]
    assert len(CATEGORIES) == 29, "all but the surrogates"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EmbeddedStack]:
    model = ScriptedModel(rules=[Rule(when="Final Answer:", answer="Thought: I know.\nFinal Answer: Noted.")])
    async with plain_stack(tmp_path_factory.mktemp("hostile"), model) as stack:
        yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bus(stack: EmbeddedStack) -> AsyncIterator[MemoryBus]:
    async with await MemoryBus.connect(stack.url) as bus:
        for name, (record, response) in SERVICES.items():
            service = await bus._service(name, record, response)
            service._producer = Raw(service._producer)  # type: ignore[assignment]
        agent = await bus._service("agent", AgentRequest, AgentResponse)
        agent._producer = Raw(agent._producer)  # type: ignore[assignment]
        yield bus


class Raw:
    """Sends messages as other clients do: whatever JSON can carry."""

    def __init__(self, producer: Any) -> None:
        self._producer = producer

    async def send(self, message: Any, properties: Mapping[str, str]) -> None:
        key = f"{message.user}/{message.collection}"
        data = json.dumps(asdict(message)).encode()
        await self._producer.send_bytes(data, properties, partition_key=key.encode("ascii", "replace").decode())

    async def close(self) -> None:
        await self._producer.close()


async def fault(bus: MemoryBus, record: Any) -> str:
    """The error that blames anyone but the caller; "" if there is none."""
    try:
        await bus.send(record, 60)
    except BadRequest:
        return ""
    except MemoryServiceError as error:
        return f"{error.wire_type}: {error}"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("cls", OPERATIONS, ids=lambda cls: cls.__name__)
async def test_every_text_of_every_operation_takes_every_text(bus: MemoryBus, cls: type) -> None:
    wrong = {}
    for _, operation, path, field, build in (case for case in CASES if case[0] is cls):
        texts = {**TEXTS, "1 MB": LONG} if path in ("query", "content", "data") else TEXTS
        for name, text in texts.items():
            values = {"user": USER, **BASE[cls], "operation": operation, field: build(text)}
            if said := await fault(bus, cls(**values)):
                wrong[operation, path, name] = said
    assert wrong == {}


QUESTION_FIELDS = [(field, path, build) for field, path, build in places(AgentRequest)]


@pytest.mark.slow
@pytest.mark.parametrize(("field", "path", "build"), QUESTION_FIELDS, ids=[path for _, path, _ in QUESTION_FIELDS])
async def test_every_text_of_a_question_is_answered_or_refused(bus: MemoryBus, field: str, path: str, build: Build) -> None:
    wrong = {}
    for name, text in TEXTS.items():
        values = {"user": USER, "question": "Where is my tea?", field: build(text)}
        async with asyncio.timeout(600):  # the dialogue ends; each of its messages has a time limit of its own
            said = [response async for response in bus.ask(AgentRequest(**values), 60)][-1]
        if said.error and said.error.type in BLAMELESS:
            wrong[name] = f"{said.error.type}: {said.error.message}"
    assert wrong == {}


async def test_nothing_is_left_in_the_store_of_jobs(stack: EmbeddedStack, bus: MemoryBus) -> None:
    """Runs last: all that was published above is done."""
    assert stack.memory is not None
    graph = stack.memory.graph
    for scope in await graph.scopes.scopes("default"):
        idle = JobsRequest(operation="wait-idle", user=scope.user, collection=scope.collection, timeout_s=60)
        assert (await bus.send(idle, 90)).count == 0, scope
    left = await graph.job_store.listing(None, states=("queued", "running", "deferred", "dead"), limit=1000)
    assert [(job.kind, job.state, job.error, job.scope.key) for job in left] == []
