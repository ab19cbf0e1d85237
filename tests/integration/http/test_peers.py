"""The interfaces of other products over plain HTTP: what their own clients cannot send, or do not show.

``tests/clients`` runs the clients themselves.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio
from aiohttp.web import Response

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.http import peer_records, seed_routes
from trustgraph_react_mem.http.forgetting import Erasure
from trustgraph_react_mem.http.mem0 import platform as mem0
from trustgraph_react_mem.memory.requests import RetrieveFacts, StoreEpisode, StoreFact, SwitchMemory, UpdateFact

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


async def test_a_listing_reads_the_histories_of_its_page_alone(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    una = served.user("una")
    for memory_id in await say(una, "I row", "I swim", "I dive"):
        assert (await una("PUT", f"/v1/memories/{memory_id}/", {"metadata": {"level": 3}})).status == 200
    since = {"filters": {"updated_at": {"gte": "2020-01-01"}}}
    assert (await una("POST", "/v3/memories/", since)).json["count"] == 3
    monkeypatch.setattr(peer_records, "MOST_HISTORIES", 1)
    page = await una("POST", "/v3/memories/?page=2&page_size=1", {"filters": {"metadata": {"level": 3}}})
    (memory,) = page.json["results"]
    assert page.json["count"] == 3
    assert memory["updated_at"] > memory["created_at"]
    assert len((await una("POST", "/v3/memories/search/", {"query": "swim", "top_k": 1})).json["results"]) == 1
    refused = await una("POST", "/v3/memories/", since)
    assert refused.status == 400
    assert "updated_at" in refused.json["detail"]


@pytest.mark.parametrize("path", ["/v3/memories/add/", "/v1/memories/", "/v1/memories"])
async def test_a_text_that_is_stored_again_is_one_memory_with_the_newest_metadata(served: Served, path: str) -> None:
    nio = served.user(f"nio-{path.count('/')}{len(path)}")
    said = []
    for topic in ("food", "drinks", "drinks"):
        messages = [{"role": "user", "content": "Nio likes tea"}]
        stored = await nio("POST", path, {"messages": messages, "infer": False, "metadata": {"topic": topic}})
        said.append((stored.json["results"][0]["event"], stored.json["results"][0]["id"]))
    assert [event for event, _ in said] == ["ADD", "UPDATE", "NONE"]
    assert len({memory_id for _, memory_id in said}) == 1
    asked = {"query": "tea", "filters": {"metadata": {"topic": "drinks"}}}
    assert [each["id"] for each in (await nio("POST", "/v2/memories/search/", asked)).json["results"]] == [said[0][1]]


async def test_a_text_that_is_stored_as_it_is_keeps_the_time_and_the_name_of_its_speaker(served: Served) -> None:
    lin = served.user("lin")
    messages = [{"role": "user", "content": "I moved to Turin", "name": "Lin B."}]
    (memory_id,) = (
        each["id"]
        for each in (
            await lin(
                "POST", "/v1/memories/", {"messages": messages, "infer": False, "timestamp": 1683356889, "user_id": "lin"}
            )
        ).json["results"]
    )
    memory = (await lin("GET", f"/v1/memories/{memory_id}")).json
    assert (memory["said_at"][:10], memory["speaker"]) == ("2023-05-06", "Lin B.")


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/memories/"])
@pytest.mark.parametrize(
    "query", ["", "?", "?filters=%7B%27user_id%27%3A+%27kai%27%7D", "?user_id=", "?usr_id=kai", "?all=true"]
)
async def test_a_deletion_without_a_clear_scope_deletes_nothing(served: Served, path: str, query: str) -> None:
    for caller in (served.user("kai"), served.service(), served.admin()):
        refused = await caller("DELETE", path + query)
        assert refused.status == 400, refused.text
        assert refused.json["detail"]


async def test_a_scope_given_twice_is_refused(served: Served) -> None:
    lou = served.user("lou")
    await say(lou, "I own a boat")
    assert (await lou("DELETE", "/v1/memories/?agent_id=a&agent_id=b")).status == 400
    assert await listed(lou) == ["I own a boat"]


async def test_white_space_around_ids_changes_nothing(served: Served) -> None:
    service = served.service()
    (memory_id,) = await say(service, "I own a boat", user_id="  olga ", agent_id=" a1\t")
    found = await service("POST", "/v3/memories/", {"filters": {"user_id": "olga", "agent_id": "a1"}})
    assert [memory["id"] for memory in found.json["results"]] == [memory_id]
    gone = await service("DELETE", f"/v1/memories/%20{memory_id}%20/", X_Memory_User="olga")
    assert gone.status == 200, gone.text
    assert (await service("POST", "/v3/memories/", {"filters": {"user_id": "olga"}})).json["count"] == 0


async def test_requests_that_name_several_users_are_refused(served: Served) -> None:
    body = {"query": "boat", "filters": {"OR": [{"user_id": "a"}, {"user_id": "b"}]}}
    assert (await served.service()("POST", "/v3/memories/search/", body)).status == 400
    assert (await served.user("a")("POST", "/v3/memories/search/", body)).status == 403


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
        ("POST", "/v3/memories/add/", {"messages": [{"role": "king", "content": "x"}]}, "messages[0].role"),
        ("POST", "/v3/memories/add/", {"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
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
        ("PUT", "/v1/batch/", {"memories": [{"text": "x"}]}, "memory_id"),
        ("POST", "/v1/feedback/", {"memory_id": 5}, "memory_id"),
    ],
)
async def test_wrong_fields_are_named(served: Served, method: str, path: str, body: Any, named: str) -> None:
    refused = await served.user("rex")(method, path, body)
    assert refused.status == 400, refused.text
    assert named in refused.json["detail"]
    assert refused.json["detail"] == refused.json["error"]


async def test_errors_that_a_guard_finds_have_the_shape_of_the_interface(served: Served) -> None:
    nameless = await served.caller()("GET", "/v1/ping/")
    assert nameless.status == 401
    assert nameless.json["detail"] == nameless.json["error"]
    large = await served.user("rex")("POST", "/v3/memories/add", raw=b'{"messages": "' + b"x" * 3_000_000 + b'"}')
    assert large.status == 413
    assert large.json["detail"]
    broken = await served.user("rex")("POST", "/v3/memories/add", raw=b"{")
    assert broken.status == 400
    assert "JSON" in broken.json["error"]


async def test_an_addition_that_is_repeated_with_its_key_is_stored_once(served: Served) -> None:
    sol = served.user("sol")
    body = {"messages": "I own a boat", "infer": False}
    first = await sol("POST", "/v3/memories/add/", body, Idempotency_Key="one")
    assert (await sol("POST", "/v3/memories/add/", body, Idempotency_Key="one")).json == first.json
    assert await listed(sol) == ["I own a boat"]


async def test_while_reading_is_off_the_answer_says_so(served: Served, bus: MemoryBus) -> None:
    tom = served.user("tom")
    await say(tom, "I own a boat")
    await bus.call(SwitchMemory(user="tom", read=False))
    found = await tom("POST", "/v3/memories/search/", {"query": "boat"})
    assert (found.status, found.json["results"], found.headers["X-Memory-Read"]) == (200, [], "off")


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


async def test_memories_are_listed_read_and_deleted_by_type(served: Served, bus: MemoryBus) -> None:
    vic = served.user("vic")
    await say(vic, "I own a boat", "I own a kayak")
    await bus.call(StoreFact(user="vic", kind="procedural", content="Be brief", condition="always", action="be brief"))
    await bus.call(StoreEpisode(user="vic", goal="Book a berth", outcome="booked"))
    types = [memory["type"] for memory in (await vic("GET", "/v1/memory")).json["memories"]]
    assert sorted(types) == ["episodic", "procedural", "semantic", "semantic"]
    (rule,) = (await vic("GET", "/v1/memory?type=procedural")).json["memories"]
    assert (await vic("GET", f"/v1/memory/{rule['id']}")).json["content"] == "Be brief"
    assert (await vic("GET", "/v1/memory?limit=1")).json["total"] == 4
    deleted = await vic("DELETE", "/v1/memory?type=episodic,procedural")
    assert deleted.json["success"] is True
    assert {memory["type"] for memory in (await vic("GET", "/v1/memory")).json["memories"]} == {"semantic"}


async def test_of_concurrent_deletions_of_one_memory_one_succeeds(served: Served) -> None:
    wes = served.user("wes")
    (memory_id,) = await say(wes, "I own a boat")
    answers = await asyncio.gather(*(wes("DELETE", f"/v1/memory/{memory_id}") for _ in range(2)))
    statuses = {answer.status for answer in answers}  # 202 where a minute is not enough
    assert statuses & {200, 202}
    assert statuses <= {200, 202, 404}
    assert (await wes("DELETE", f"/v1/memory/{memory_id}")).status == 404


@pytest.mark.parametrize(
    ("told", "where"),
    [(seed_routes._reply_deleted, "/v1/receipts/job-1"), (mem0.reply_deleted, "/v1/event/job-1/")],
    ids=["seed", "mem0"],
)
async def test_a_deletion_that_is_not_finished_does_not_say_that_it_is(
    told: Callable[[Erasure, str], Response], where: str
) -> None:
    running = told(Erasure(job_id="job-1"), "Memory deleted successfully")
    assert (running.status, running.headers["Location"]) == (202, where)
    assert "running" in str(running.text)
    assert "count" not in json.loads(str(running.text))


async def test_a_deletion_that_took_long_has_an_event(served: Served) -> None:
    noa = served.user("noa")
    await say(noa, "I own a canoe")
    job = (await noa("DELETE", "/v1/memories?collection=default")).json["operation_id"]
    event = (await noa("GET", f"/v1/event/{job}/")).json
    assert (event["event_type"], event["status"], event["message"]) == ("DELETE", "SUCCEEDED", "1 memory was deleted")


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


async def test_without_a_language_model_learning_ends_and_answers_are_unavailable(served: Served) -> None:
    """``served`` has no model."""
    lea = served.user("lea")
    accepted = [await lea("POST", "/v1/memories", {"text": f"Lea has {number} hens"}) for number in (3, 4)]
    for answer in accepted:
        state: dict[str, Any] = {}
        async with asyncio.timeout(60):
            while state.get("status") in (None, "pending", "running"):
                state = (await lea("GET", answer.headers["Location"])).json
        assert state["status"] == "failed"
        assert "no language model is configured" in state["error"]
        event = (await lea("GET", f"/v1/event/{state['id']}/")).json
        assert event["status"] == "FAILED"
        assert "until there is a language model" in event["message"]
    assert len((await lea("GET", "/v1/operations?status=failed")).json["results"]) == 2
    assert (await lea("GET", "/v1/operations?status=pending")).json["results"] == []
    question = {"messages": [{"role": "user", "content": "Hens?"}], "model": "agent/default"}
    answer = await lea("POST", "/v1/chat/completions", question)
    assert (answer.status, answer.headers["Retry-After"].isdecimal()) == (503, True)
    assert "no language model is configured" in answer.text
