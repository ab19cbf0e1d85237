"""The native interface over a real stack: what is stored, found, changed and erased, and for whom."""

import pytest

from trustgraph_react_mem.http.native import ROUTES

from .served import Served

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_memory_is_added_found_changed_and_erased_with_a_receipt(served: Served) -> None:
    ana = served.user("ana")
    record = await ana.add("Ana keeps bees in Bergen", metadata={"from": "test"})
    found = await ana("POST", "/v1/memories/search", {"query": "Who keeps bees in Bergen?", "why": True})
    assert [each["id"] for each in found.json["results"]] == [record]
    assert found.json["results"][0]["user_id"] == "ana"
    one = await ana("GET", f"/v1/memories/{record}")
    assert one.headers["ETag"] == '"1"'
    assert one.json["metadata"] == {"from": "test"}

    changed = await ana("PUT", f"/v1/memories/{record}", {"text": "Ana keeps bees in Oslo"}, If_Match='"1"')
    assert changed.headers["ETag"] == '"2"'
    late = await ana("PATCH", f"/v1/memories/{record}", {"text": "no"}, If_Match='"1"')
    assert late.status == 412
    history = await ana("GET", f"/v1/memories/{record}/history")
    assert [each["change"] for each in history.json["results"]] == ["updated", "created"]
    undone = await ana("POST", f"/v1/memories/{record}/undo")
    assert undone.json["results"][0]["memory"] == "Ana keeps bees in Bergen"
    rated = await ana("POST", f"/v1/memories/{record}/feedback", {"rating": 1})
    assert rated.json["operation_id"]

    erased = await ana("DELETE", f"/v1/memories/{record}")
    assert erased.status == 200, erased.text
    assert erased.json["receipt"]["complete"] is True
    assert (await ana("GET", f"/v1/receipts/{erased.json['operation_id']}")).json["receipt"]["complete"] is True
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/history")):
        assert (await ana(method, f"/v1/memories/{record}{path}")).status == 404
    assert (await ana("POST", "/v1/memories/search", {"query": "bees in Bergen"})).json["results"] == []


async def test_names_of_mem0_are_refused_with_ours(served: Served) -> None:
    ben = served.user("ben")
    record = await ben.add("Ben rows")
    for path, body, name in (
        ("", {"text": "Ben skis", "run_id": "r"}, "conversation_id"),
        ("/search", {"query": "Ben", "top_k": 3}, "limit"),
        (f"/{record}/feedback", {"feedback": "POSITIVE"}, "rating"),
    ):
        answer = await ben("POST", f"/v1/memories{path}", body)
        assert answer.status == 400
        assert name in answer.json["detail"]


async def test_a_gateway_names_the_user_and_is_told_if_it_does_not(served: Served) -> None:
    gateway = served.service()
    assert (await gateway("GET", "/v1/memories")).status == 400
    assert (await gateway("POST", "/v1/memories", {"text": "x", "infer": False})).status == 400
    eve = served.caller(gateway.key, **{"X-OpenWebUI-User-Id": "eve"})
    record = await eve.add("Eve rows on Sundays")
    assert await served.user("eve").ids() == [record]
    assert await gateway.ids("/v1/memories?user_id=eve") == [record]
    assert (await eve("GET", "/v1/memories?user_id=fay")).status == 403
    missing = await eve("DELETE", "/v1/memories?user_id=eve")
    assert missing.status == 400
    assert "confirm=eve" in missing.text
    assert (await eve("DELETE", "/v1/memories?user_id=eve&confirm=eve")).json["receipt"]["complete"] is True
    assert await eve.ids() == []


async def test_a_key_is_held_to_its_collections_and_to_reading(served: Served) -> None:
    gus = served.user("gus")
    record = await gus.add("Gus collects stamps", collection="home")
    held = served.user("gus", collections=["home"])
    assert await held.ids() == [record]
    assert (await held("GET", "/v1/memories?collection=default")).status == 403
    assert (await held("DELETE", "/v1/memories?user_id=gus")).status == 403
    reader = served.user("gus", collections=["home"], writes=False)
    assert await reader.ids() == [record]
    assert (await reader("GET", "/v1/switches")).status == 200
    for method, path, body in (
        ("POST", "/v1/memories", {"text": "x", "infer": False}),
        ("POST", "/v1/memories", {"text": "x"}),
        ("PUT", f"/v1/memories/{record}", {"text": "x"}),
        ("DELETE", f"/v1/memories/{record}", None),
        ("DELETE", "/v1/memories?collection=home", None),
        ("POST", f"/v1/memories/{record}/undo", None),
        ("POST", f"/v1/memories/{record}/feedback", {"rating": 1}),
        ("PUT", "/v1/switches", {"read": False}),
        ("POST", "/v1/rollback", {"to": "2020-01-01T00:00:00Z"}),
    ):
        assert (await reader(method, path, body)).status == 403, (method, path)
    assert await gus.ids("/v1/memories?collection=home") == [record]


@pytest.mark.parametrize(
    "path",
    [
        "/v1/memories",
        "/v1/memories/",
        "/v1/memories?filters=%7B%27user_id%27%3A+%27ivy%27%7D",
        "/v1/memories?user=ivy",
        "/v1/memories?user_id=",
        "/v1/memories?user_id=ivy&user_id=bob",
    ],
)
async def test_a_delete_without_a_clear_scope_erases_nothing(served: Served, path: str) -> None:
    ivy = served.user("ivy")
    record = await ivy.add("Ivy paints in blue")
    for caller in (ivy, served.service(), served.admin()):
        assert (await caller("DELETE", path)).status in (400, 403)
    assert record in await ivy.ids()


async def test_a_user_erases_all_of_their_collections_and_nobody_else_loses_anything(served: Served) -> None:
    jan, kim = served.user("jan"), served.user("kim")
    await jan.add("Jan sails")
    await jan.add("Jan dives", collection="sea")
    kept = await kim.add("Kim sails too")
    erased = await jan("DELETE", "/v1/memories?user_id=jan")
    assert erased.json["receipt"]["complete"] is True
    assert await jan.ids() == await jan.ids("/v1/memories?collection=sea") == []
    assert await kim.ids() == [kept]


async def test_pages_and_times_return_each_memory_once(served: Served) -> None:
    lea = served.user("lea")
    made = [await lea.add(f"Lea read book number {number} of the shelf") for number in range(5)]
    seen: list[str] = []
    cursor = ""
    while True:
        page = (await lea("GET", f"/v1/memories?limit=2&cursor={cursor}")).json
        seen += [each["id"] for each in page["results"]]
        cursor = page["next"]
        if not cursor:
            break
    assert seen == made[::-1]
    middle = (await lea("GET", f"/v1/memories/{made[2]}")).json["created_at"].replace("+", "%2B")
    assert await lea.ids(f"/v1/memories?since={middle}") == made[:1:-1]
    assert await lea.ids(f"/v1/memories?until={middle}&limit=1") == [made[1]]
    assert (await lea("GET", "/v1/memories?since=soon")).status == 400


async def test_rules_episodes_and_conversations(served: Served) -> None:
    max_ = served.user("max")
    rule = await max_("POST", "/v1/rules", {"action": "Answer in Norwegian", "condition": "When asked about food"})
    assert rule.json["kind"] == "procedural"
    assert await max_.ids("/v1/rules") == [rule.json["id"]]
    episode = await max_("POST", "/v1/episodes", {"goal": "Book a train to Oslo", "steps": ["searched"], "outcome": "booked"})
    assert await max_.ids("/v1/episodes") == [episode.json["id"]]
    found = await max_("POST", "/v1/memories/search", {"query": "train to Oslo", "types": ["episodic"]})
    assert [each["id"] for each in found.json["episodes"]] == [episode.json["id"]]
    assert found.json["results"] == []
    assert (await max_("DELETE", f"/v1/episodes/{episode.json['id']}")).json["receipt"]["complete"] is True
    assert (await max_("GET", f"/v1/episodes/{episode.json['id']}")).status == 404
    assert (await max_("GET", "/v1/conversations")).json["results"] == []
    for method in ("GET", "DELETE"):
        assert (await max_(method, "/v1/conversations/none")).status == 404
    assert (await max_("POST", "/v1/conversations/none/end")).status == 404


async def test_an_export_is_read_by_an_import_of_another_collection(served: Served) -> None:
    quin = served.user("quin")
    await quin.add("Quin grows leeks in the garden")
    exported = await quin("GET", "/v1/export")
    assert exported.headers["Content-Type"] == "application/x-ndjson"
    assert len(exported.text.splitlines()) == 3
    imported = await quin("POST", "/v1/import?collection=copy", raw=exported.text.encode())
    assert imported.json == {"records": 1, "stored": 1}
    broken = await quin("POST", "/v1/import?collection=other", raw=exported.text.encode()[:-30])
    assert broken.status == 400
    assert "the body" in broken.text
    assert await quin.ids("/v1/memories?collection=other") == []


async def test_a_repeated_request_is_executed_once(served: Served) -> None:
    sue = served.user("sue")
    body = {"text": "Sue has a boat", "infer": False}
    first = await sue("POST", "/v1/memories", body, Idempotency_Key="a")
    again = await sue("POST", "/v1/memories/", body, Idempotency_Key="a")
    assert again.json == first.json
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(await sue.ids()) == 1
    other = await sue("POST", "/v1/memories", {**body, "text": "Sue has a car"}, Idempotency_Key="a")
    assert other.status == 422
    tom = served.user("tom")
    assert (await tom("POST", "/v1/memories", body, Idempotency_Key="a")).json != first.json
    gateway = served.service()
    for name in ("una", "vic"):
        await gateway("POST", "/v1/memories", body, Idempotency_Key="b", X_OpenWebUI_User_Id=name)
    assert len(await served.user("vic").ids()) == 1


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"{", "line 1, column 2"),
        (b"\xff{}", "not UTF-8"),
        (b"[]", "list"),
        (b'"text"', "string"),
        (b'{"text": 7}', "text = 7"),
        (b'{"text": NaN}', "NaN"),
        (b'{"text": "x", "infer": "no"}', "infer"),
        (b'{"messages": []}', "messages"),
        (b'{"text": "x", "metadata": [1], "infer": false}', "metadata"),
        (b'{"text": "x", "metadata": {"role": "user"}, "infer": false}', "metadata has the name 'role'"),
        (b"[" * 100_000, "nested"),
        (b'{"text": "' + b"a" * 100_001 + b'"}', "100001 characters"),
        (b'{"text": "x", "importance": 7}', "importance = 7"),
        (b'{"text": "x", "user_id": " wil"}', "403"),
    ],
)
async def test_a_wrong_body_is_named_by_field_and_stores_nothing(served: Served, raw: bytes, what: str) -> None:
    wil = served.user("wil")
    answer = await wil("POST", "/v1/memories", raw=raw)
    assert answer.status in (400, 403)
    assert what in answer.text
    assert answer.headers["Content-Type"].startswith("application/problem+json")
    assert answer.json["instance"] == f"urn:request:{answer.headers['X-Request-ID']}"
    assert await wil.ids() == []


async def test_every_route_needs_a_key_but_health_on_loopback(served: Served) -> None:
    anyone = served.caller()
    for route in ROUTES:
        answer = await anyone(route.method, route.path.replace("{id}", "x"))
        assert answer.status == (200 if route.credential == "on-network" else 401), route.path
    ready = (await anyone("GET", "/health/ready")).json
    assert set(ready["parts"]) == {"bus", "agent-facts", "agent-episodes", "agent-conversations", "agent-memory-jobs"}
    assert "react_mem" in (await anyone("GET", "/metrics")).text or (await anyone("GET", "/metrics")).status == 200
