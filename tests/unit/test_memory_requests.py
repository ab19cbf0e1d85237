"""Typed requests and the wire records that they travel as."""

import json
from dataclasses import MISSING, fields
from typing import Any

import pytest

from trustgraph_react_mem.bus import wire
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.memory import requests
from trustgraph_react_mem.memory.requests import (
    ConversationsRequest,
    EpisodesRequest,
    ExportFacts,
    FactsRequest,
    GetFacts,
    ImportLines,
    ImportTurns,
    JobsRequest,
    Request,
    StoreFact,
    SwitchMemory,
    UndoChange,
    WaitUntilIdle,
    decode,
    encode,
)
from trustgraph_react_mem.memory.requests.base import _ranges
from trustgraph_react_mem.schema import InvocationSummary, RefinementEvent, Turn

TABLES: dict[type, dict[str, Any]] = {
    requests.SERVICES[service][0]: dict(known) for service, known in requests.OPERATIONS.items()
}
CLASSES = [cls for table in TABLES.values() for cls in table.values()] + [ImportLines]
REQUIRED: dict[str, Any] = {
    "id": "x",
    "ids": ["x", "y"],
    "content": "x",
    "source": "c1",
    "turns": [Turn(text="x")],
    "lines": "{}\n",
    "level": "user",
    "at": "2026-01-31T09:00:00Z",
    "rating": 1,
    "goal": "x",
    "conversation_id": "c1",
    "invocation": InvocationSummary(query="x"),
    "event": RefinementEvent(id="x", conversation_id="c1"),
    "session_id": "x",
    "kind": "reward",
}


def a(cls: Any) -> Any:
    """With what it needs, and nothing else."""
    needed = [each.name for each in fields(cls) if each.default is MISSING and each.default_factory is MISSING]
    return cls(**{name: REQUIRED[name] for name in needed})


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_request_comes_back_from_the_wire_as_it_was(cls: Any) -> None:
    request = a(cls)
    record = wire.decode(wire.encode(encode(request)), request.record)
    assert type(record) is request.record
    assert record.operation == cls.operation
    assert wire.encode(encode(decode(record))) == wire.encode(encode(request))
    assert type(decode(record)) is cls


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_what_a_request_leaves_out_is_what_an_older_client_left_out(cls: Any) -> None:
    """A default of a request that differs from the record's would change what a record without the field means."""
    request = a(cls)
    given = {each.name for each in fields(cls) if each.default is MISSING and each.default_factory is MISSING}
    sparse = encode(request)
    blank = request.record()
    taken = {each.metadata.get("name", each.name) for each in fields(cls) if each.name in given}
    for each in fields(blank):
        if each.name not in taken | {"operation"}:
            assert getattr(sparse, each.name) == getattr(blank, each.name), each.name


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_value_outside_of_its_range_is_refused_by_name(cls: Any) -> None:
    given = {each.name: getattr(a(cls), each.name) for each in fields(cls)}
    for name, (kind, least, most) in _ranges(cls).items():
        for value in (least, most):
            assert getattr(cls(**{**given, name: kind(value)}), name) == value
        for wrong in (least - 1, most + 1, "5", True):
            with pytest.raises(BadRequest, match=f"{name} {wrong!r} must be between {least} and {most}"):
                cls(**{**given, name: wrong})


def test_fields_that_an_operation_does_not_take_are_refused_by_type() -> None:
    with pytest.raises(TypeError, match="rating"):
        GetFacts(ids=["x"], rating=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="ids"):
        GetFacts()  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("record", "request_"),
    [
        (FactsRequest(operation="get", id="a", ids=["b", "a", ""]), GetFacts(ids=["a", "b"])),
        (FactsRequest(operation="undo", ids=["a"]), UndoChange(id="a")),
        (FactsRequest(operation="import", source="c", turns=[Turn(text="x")]), ImportTurns(source="c", turns=[Turn(text="x")])),
        (FactsRequest(operation="import", source="c", data="{}"), ImportLines(lines="{}")),
        (FactsRequest(operation="export", data="next page"), ExportFacts(cursor="next page")),
        (FactsRequest(operation="switch", read=False), SwitchMemory(read=False)),
        (FactsRequest(operation="store", content="x", data="ignored"), StoreFact(content="x")),
    ],
    ids=lambda value: "" if isinstance(value, Request) else value.operation,
)
def test_a_record_means_one_request(record: Any, request_: Any) -> None:
    assert decode(record) == request_


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (FactsRequest(operation="dance"), "agent-facts has no operation 'dance': one of retrieve, get"),
        (FactsRequest(operation="get"), "get needs an id, or ids"),
        (FactsRequest(operation="update", ids=["a", "b"]), "update takes one id, not 2"),
        (FactsRequest(operation="forget", ids=[str(n) for n in range(10_001)]), "number of ids 10001"),
        (EpisodesRequest(operation="forget"), "forget needs an id"),
        (ConversationsRequest(operation="end"), "end needs a conversation_id"),
        (ConversationsRequest(operation="update", conversation_id="c"), "update needs an invocation"),
        (JobsRequest(operation="replay"), "replay needs the id of a job"),
        (JobsRequest(), "agent-memory-jobs has no operation ''"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_record_that_means_none_is_refused_with_the_remedy(record: Any, told: str) -> None:
    with pytest.raises(BadRequest, match=told):
        decode(record)


GOLDEN = {
    '{"operation": "get", "user": "ann", "collection": "home", "conversation_id": "c1", "invocation": null, "limit": 3, '
    '"offset": 0, "flow": "", "at": "", "within_s": null, "session_id": "", "event": null, "expected": null, "confirm": false, '
    '"operator": ""}': requests.GetConversation(user="ann", collection="home", conversation_id="c1", limit=3),
    '{"operation": "wait-idle", "user": "", "collection": "default", "kind": "record", "payload": "", "id": "", "status": "", '
    '"all_scopes": false, "limit": 100, "timeout_s": 2.5, "operator": ""}': WaitUntilIdle(kind="record", timeout_s=2.5),
}


@pytest.mark.parametrize(("text", "request_"), GOLDEN.items(), ids=["conversation", "jobs"])
def test_the_bytes_are_those_of_a_record_written_by_hand(text: str, request_: Any) -> None:
    assert wire.encode(encode(request_)).decode() == text
    assert json.loads(wire.encode(encode(StoreFact(content="x")))) == json.loads(
        wire.encode(FactsRequest(operation="store", content="x"))
    )


def test_what_an_operation_does_with_memories_decides_how_it_is_run() -> None:
    """A new operation that shows memories must be "read", or reading that is switched off would not hold for it."""
    found: dict[str, set[str]] = {}
    for cls in CLASSES:
        found.setdefault(cls.access, set()).add(cls.__name__)
    assert found["read"] == {
        "RetrieveFacts", "GetFacts", "ListFacts", "ListTopics", "GetFactHistory", "RetrieveEpisodes", "GetEpisode",
        "ListEpisodes",
        "GetConversation", "GetCurrentConversation", "ListConversations", "GetRefinement", "ListRefinements",
    }  # fmt: skip
    assert found["write"] == {
        *("StoreFact", "UpdateFact", "ImportTurns", "ImportLines"),
        *("StoreEpisode", "AppendInvocation", "AppendRefinement"),
    }
    assert found["change"] == {"UndoChange", "RollBack", "SwitchMemory", "EndConversation"}
