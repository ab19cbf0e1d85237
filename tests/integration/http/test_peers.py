"""The interfaces of other products over plain HTTP: what their own clients cannot send, or do not show.

``tests/clients`` runs the clients themselves.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.memory.requests import RetrieveFacts, StoreEpisode, StoreFact, UpdateFact

from .served import Caller, Served

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.later]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bus(served: Served) -> AsyncIterator[MemoryBus]:
    async with await MemoryBus.connect(served.stack.address) as connected:
        yield connected


async def say(caller: Caller, *texts: str, **fields: Any) -> list[str]:
    """Store texts through mem0's path.  Returns the ids."""
    messages = [{"role": "user", "content": text} for text in texts]
    answer = await caller("POST", "/v1/memories/", {"messages": messages, "infer": False, **fields})
    assert answer.status == 200, answer.text
    return [result["id"] for result in answer.json["results"]]


async def listed(caller: Caller, query: str = "") -> list[str]:
    answer = await caller("GET", f"/v1/memories/{query}")
    assert answer.status == 200, answer.text
    return sorted(memory["memory"] for memory in answer.json["results"])


# -- mem0 -----------------------------------------------------------------------------------------------------------


async def test_a_memory_is_added_found_changed_and_deleted(served: Served) -> None:
    ida = served.user("ida")
    (memory_id,) = await say(ida, "I am allergic to peanuts", metadata={"topic": "food"})
    found = await ida("POST", "/v2/memories/search/", {"query": "what am I allergic to", "filters": {"user_id": "ida"}})
    (hit,) = found.json["results"]
    assert (hit["id"], hit["metadata"]) == (memory_id, {"topic": "food"})
    assert 0 < hit["score_breakdown"]["semantic"] <= hit["score"] <= 1
    assert (await ida("PUT", f"/v1/memories/{memory_id}/", {"text": "I am allergic to cashews"})).status == 200
    history = await ida("GET", f"/v1/memories/{memory_id}/history/")
    assert [entry["event"] for entry in history.json] == ["ADD", "UPDATE"]
    assert (await ida("DELETE", f"/v1/memories/{memory_id}/")).json["message"].startswith("Memory deleted")
    assert (await ida("GET", f"/v1/memories/{memory_id}/")).status == 404
    assert await listed(ida) == []


async def test_the_time_of_a_change_moves_with_a_change_by_any_interface(served: Served, bus: MemoryBus) -> None:
    ivo = served.user("ivo")
    (memory_id,) = await say(ivo, "I play chess")

    async def updated_at() -> str:
        return str((await ivo("GET", f"/v1/memories/{memory_id}/")).json["updated_at"])

    times = [await updated_at()]
    assert (await ivo("PATCH", f"/v1/memories/{memory_id}", {"text": "I play go"})).status == 200
    times.append(await updated_at())
    await bus.call(UpdateFact(id=memory_id, importance=0.9, user="ivo"))
    times.append(await updated_at())
    assert (await ivo("PUT", f"/v1/memories/{memory_id}/", {"metadata": {"level": 3}})).status == 200
    times.append(await updated_at())
    assert times == sorted(set(times))


@pytest.mark.slow
async def test_a_filter_finds_what_lies_beyond_the_ranked_memories(served: Served) -> None:
    pia = served.user("pia")
    await say(pia, *(f"Boat number {number} is in the harbour" for number in range(500)))
    await say(pia, "Boat number 500 is in the harbour")
    await say(pia, "The harbour has a boat for Sundays", agent_id="a1")
    found = await pia("POST", "/v3/memories/search/", {"query": "boat number in the harbour", "filters": {"agent_id": "a1"}})
    assert [memory["memory"] for memory in found.json["results"]] == ["The harbour has a boat for Sundays"]


@pytest.mark.parametrize(
    ("method", "path", "body", "named"),
    [
        ("POST", "/v3/memories/add/", {}, "messages"),
        ("POST", "/v3/memories/add/", {"messages": []}, "messages"),
        ("POST", "/v3/memories/add/", {"messages": [{"role": "king", "content": "x"}]}, "messages.0.role"),
        ("POST", "/v3/memories/add/", {"messages": [{"role": "user", "content": 5}]}, "messages.0.content"),
        ("POST", "/v3/memories/add/", {"messages": "x", "metadata": "y"}, "metadata"),
        ("POST", "/v3/memories/add/", {"messages": "x", "infer": "perhaps"}, "infer"),
        ("POST", "/v3/memories/add/", {"messages": "x", "expiration_date": "soon"}, "expiration_date"),
        ("POST", "/v3/memories/add/", {"messages": "x", "timestamp": "soon"}, "timestamp"),
        ("POST", "/v3/memories/add/", {"messages": "x", "user_id": "rex", "filters": {"user_id": "max"}}, "user_id"),
        ("POST", "/v3/memories/add/", {"messages": "x", "agent_id": {"a": 1}}, "agent_id"),
        ("POST", "/v3/memories/search/", {}, "query"),
        ("POST", "/v3/memories/search/", {"query": "x", "top_k": 0}, "top_k"),
        ("POST", "/v3/memories/search/", {"query": "x", "top_k": "many"}, "top_k"),
        ("POST", "/v3/memories/search/", {"query": "x", "threshold": 2}, "threshold"),
        ("POST", "/v3/memories/search/", {"query": "x", "filters": []}, "filters"),
        ("POST", "/v3/memories/search/", {"query": "x", "filters": {"user_id": ""}}, "user_id"),
        ("GET", "/v1/memories/?agent=a", None, "agent"),
        ("GET", "/v1/memories/?page=0", None, "page"),
    ],
)
async def test_wrong_fields_are_named(served: Served, method: str, path: str, body: Any, named: str) -> None:
    refused = await served.user("rex")(method, path, body)
    assert refused.status == 400, refused.text
    assert named in refused.json["detail"]
    assert refused.json["detail"] == refused.json["error"]


async def test_a_memory_is_not_recalled_after_its_end(served: Served, bus: MemoryBus) -> None:
    recall = RetrieveFacts(user="uma", query="parking permit")
    later, soon = (datetime.now(UTC) + timedelta(seconds=seconds) for seconds in (3600, 1))
    stored = await bus.call(StoreFact(user="uma", content="The parking permit is valid", valid_to=later.isoformat()))
    assert (await bus.call(recall)).facts
    await bus.call(UpdateFact(user="uma", id=stored.fact_id, valid_to=soon.isoformat()))
    async with asyncio.timeout(60):
        while (await bus.call(recall)).facts:  # noqa: ASYNC110 - until it has ended
            await asyncio.sleep(0.2)
    uma = served.user("uma")
    assert await listed(uma) == []
    assert await listed(uma, "?show_expired=true") == ["The parking permit is valid"]
    await bus.call(UpdateFact(user="uma", id=stored.fact_id, valid_to="never"))
    assert (await bus.call(recall)).facts


# -- the semantic router's routes ------------------------------------------------------------------------------------


async def test_memories_are_listed_by_type_and_read(served: Served, bus: MemoryBus) -> None:
    vic = served.user("vic")
    await say(vic, "I own a boat", "I own a kayak")
    await bus.call(StoreFact(user="vic", kind="procedural", content="Be brief", condition="always", action="be brief"))
    await bus.call(StoreEpisode(user="vic", goal="Book a berth", outcome="booked"))
    types = [memory["type"] for memory in (await vic("GET", "/v1/memory")).json["memories"]]
    assert sorted(types) == ["episodic", "procedural", "semantic", "semantic"]
    (rule,) = (await vic("GET", "/v1/memory?type=procedural")).json["memories"]
    assert (await vic("GET", f"/v1/memory/{rule['id']}")).json["content"] == "Be brief"
    assert (await vic("GET", "/v1/memory?limit=1")).json["total"] == 4
    assert (await vic("DELETE", "/v1/memory?type=procedural")).json["error"]["code"] == "INVALID_PARAMETER"
    assert (await vic("GET", "/v1/memory")).json["total"] == 4


async def test_of_concurrent_deletions_of_one_memory_one_succeeds(served: Served) -> None:
    wes = served.user("wes")
    (memory_id,) = await say(wes, "I own a boat")
    answers = await asyncio.gather(*(wes("DELETE", f"/v1/memory/{memory_id}") for _ in range(2)))
    statuses = {answer.status for answer in answers}  # 202 where a minute is not enough
    assert statuses & {200, 202}
    assert statuses <= {200, 202, 404}
    assert (await wes("DELETE", f"/v1/memory/{memory_id}")).status == 404


async def test_a_deletion_by_user_and_project_leaves_other_projects(served: Served) -> None:
    service = served.service()
    await say(service, "I own a boat", user_id="xia")
    at_work = {"messages": "I repair engines", "infer": False, "user_id": "xia"}
    assert (await service("POST", "/v1/memories/", at_work, X_Memory_Collection="work")).status == 200
    assert (await service("DELETE", "/v1/memory?user_id=xia&project_id=work")).status == 200
    assert (await service("GET", "/v1/memory?user_id=xia&project_id=work")).json["total"] == 0
    assert (await service("GET", "/v1/memory", x_authz_user_id="xia")).json["total"] == 1
    assert (await service("DELETE", "/v1/memory?user_id=xia")).status == 200
    assert (await service("GET", "/v1/memory?user_id=xia")).json["total"] == 0


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/memory?type=odd", 400, "INVALID_TYPE"),
        ("/v1/memory?limit=101", 400, "INVALID_LIMIT"),
        ("/v1/memory?user_id=a%20b", 400, "INVALID_USER_ID"),
        ("/v1/memory?user_id=zoe", 403, "FORBIDDEN"),
        ("/v1/memory?users=zoe", 400, "INVALID_PARAMETER"),
        ("/v1/memory/a%20b", 400, "INVALID_ID"),
        ("/v1/memory/unknown", 404, "NOT_FOUND"),
    ],
)
async def test_errors_have_the_codes_of_the_router(served: Served, path: str, status: int, code: str) -> None:
    refused = await served.user("yan")("GET", path)
    assert (refused.status, refused.json["error"]["code"]) == (status, code)
    assert refused.json["error"]["message"]


async def test_keys_without_a_user_must_name_one(served: Served) -> None:
    assert (await served.service()("DELETE", "/v1/memory")).json["error"]["code"] == "MISSING_USER_ID"
    assert (await served.admin()("DELETE", "/v1/memory")).status == 400
