"""The native interface over a real stack: what is stored, found, changed and erased, and for whom."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.http.native import ROUTES
from trustgraph_react_mem.memory.requests import StoreEpisode, StoreFact

from .served import Caller, Served

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


UNCLEAR = (
    "",
    "?",
    "?filters=%7B%27user_id%27%3A+%27ivy%27%7D",
    "?user=ivy",
    "?user_id=",
    "?user_id=ivy&user_id=bob",
    "?all=true",
)


@pytest.mark.parametrize("path", [f"/v1/memories{slash}{query}" for slash in ("", "/") for query in UNCLEAR])
async def test_a_delete_without_a_clear_scope_erases_nothing(served: Served, path: str) -> None:
    ivy = served.user("ivy")
    record = await ivy.add("Ivy paints in blue")
    for caller in (ivy, served.service(), served.admin()):
        refused = await caller("DELETE", path)
        assert refused.status in (400, 403)
        assert refused.json["detail"]
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
    stored = StoreEpisode(user="max", goal="Book a train to Oslo", steps=["searched"], outcome="booked")
    async with await MemoryBus.connect(served.stack.address) as bus:
        [episode] = (await bus.call(stored)).episodes
    assert await max_.ids("/v1/episodes") == [episode.id]
    found = await max_("POST", "/v1/memories/search", {"query": "train to Oslo", "types": ["episodic"]})
    assert [each["id"] for each in found.json["episodes"]] == [episode.id]
    assert found.json["results"] == []
    assert (await max_("DELETE", f"/v1/episodes/{episode.id}")).json["receipt"]["complete"] is True
    assert (await max_("GET", f"/v1/episodes/{episode.id}")).status == 404
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


# -- every field has an effect, or is refused where it could have none -------------------------------------------------


SAID_AT = "2023-05-06T07:08:09Z"


async def stored(caller: Caller, body: Mapping[str, Any]) -> dict[str, Any]:
    """The memory that ``POST /v1/memories`` makes of the body."""
    answer = await caller("POST", "/v1/memories", dict(body))
    assert answer.status == 200, answer.text
    found: dict[str, Any] = (await caller("GET", f"/v1/memories/{answer.json['results'][0]['id']}")).json
    return found


async def test_a_message_that_is_stored_as_it_is_keeps_its_time_its_speaker_and_its_fields(served: Served) -> None:
    iris = served.user("iris")
    message = {"content": "Iris moved to Turin", "timestamp": SAID_AT, "name": "Iris B."}
    memory = await stored(
        iris,
        {
            "messages": [message],
            "infer": False,
            "kind": "reflective",
            "importance": 0.9,
            "metadata": {"topic": "home"},
            "conversation_id": "moving",
        },
    )
    assert memory["said_at"].startswith("2023-05-06T07:08:09"), memory
    assert memory["created_at"] > "2024", "when it was stored is another time"
    assert (memory["speaker"], memory["kind"], memory["importance"]) == ("Iris B.", "reflective", 0.9)
    assert (memory["metadata"], memory["run_id"]) == ({"topic": "home"}, "moving")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"text": "x", "kind": "procedural"}, "kind"),
        ({"text": "x", "importance": 0.5}, "importance"),
        ({"messages": [{"content": "x", "timestamp": "yesterday"}], "infer": False}, "timestamp"),
        ({"messages": [{"role": "assistant", "content": "x", "name": "Bo"}], "infer": False}, "name"),
        ({"messages": [{"role": "system", "content": "x", "name": "Bo"}], "infer": False}, "name"),
    ],
)
async def test_a_field_that_could_have_no_effect_is_refused(served: Served, body: dict[str, Any], named: str) -> None:
    answer = await served.user("kai")("POST", "/v1/memories", body)
    assert answer.status == 400, answer.text
    assert named in answer.json["detail"]


async def test_what_is_not_known_or_not_learned_from_is_named(served: Served) -> None:
    mia = served.user("mia")
    messages = [{"content": "Mia knits", "mood": "good"}, {"role": "tool", "content": "12 C"}]
    answer = await mia("POST", "/v1/memories", {"messages": messages, "categories": [], "ü": 1})
    assert answer.status == 202, answer.text
    assert answer.headers["X-Memory-Ignored"] == "messages[0].mood,categories,messages[1]"
    odd = await mia("POST", "/v1/memories", {"text": "Mia knits", "infer": False, "a\r\nb": 1})
    assert odd.headers["X-Memory-Ignored"] == "1"


async def test_every_field_of_a_search_has_an_effect(served: Served) -> None:
    nils = served.user("nils")
    texts = ("Nils plays chess in Lund", "Nils plays chess in Malmö", "Nils plays chess in Kiel")
    for number, text in enumerate(texts):
        await nils.add(text, metadata={"number": str(number)}, **({"kind": "reflective"} if number == 2 else {}))

    async def search(**fields: Any) -> list[dict[str, Any]]:
        answer = await nils("POST", "/v1/memories/search", {"query": "Where does Nils play chess?", **fields})
        assert answer.status == 200, answer.text
        assert "X-Memory-Ignored" not in answer.headers
        found: list[dict[str, Any]] = answer.json["results"]
        return found

    assert len(await search()) == 3
    assert len(await search(limit=1)) == len(await search(limit=2)) - 1 == 1
    assert [each["kind"] for each in await search(types=["reflective"])] == ["reflective"]
    assert await search(threshold=1.0) == []
    assert [each["why"] is None for each in (*await search(why=True, limit=1), *await search(limit=1))] == [False, True]
    for fields in ({"rerank": "never"}, {"asked_at": "soon"}, {"timezone": "Mars/Base"}):
        assert (await nils("POST", "/v1/memories/search", {"query": "chess", **fields})).status == 400, fields


# -- what the web page reads beside memories ---------------------------------------------------------------------------


async def test_memories_are_listed_by_what_they_are_about(served: Served) -> None:
    una = served.user("una")
    async with await MemoryBus.connect(served.stack.address) as bus:
        diet = (await bus.call(StoreFact(user="una", key="Diet", content="Una eats no meat"))).fact_id
        centre = (await bus.call(StoreFact(user="una", key="Diet", content="Una eats anything"))).fact_id
        await bus.call(StoreFact(user="uno", key="diet", content="Uno eats no fish"))
    await una.add("Una sings in a choir")
    listed = [(await una("GET", f"/v1/memories?about={name}")).json["results"] for name in ("diet", "DIET", "choir")]
    assert [[each["id"] for each in found] for found in listed] == [[centre], [centre], []]
    former = (await una("GET", "/v1/memories?about=diet&status=superseded")).json["results"]
    assert [each["id"] for each in former] == [diet]


async def test_settings_are_shown_to_all_checked_for_all_and_changed_with_an_admin_key(served: Served) -> None:
    lea, admin = served.user("lea"), served.admin()
    shown = (await lea("GET", "/v1/settings")).json
    steps = next(each for each in shown["results"] if each["name"] == "max-iterations")
    assert (steps["value"], steps["is_set"], steps["type"]) == (10, False, "integer")
    assert (steps["minimum"], steps["maximum"]) == (1, 100)
    choices = next(each for each in shown["results"] if each["name"] == "rerank")["choices"]
    assert "calibrated" in choices

    for caller in (lea, admin):
        checked = await caller("PUT", "/v1/settings", {"settings": {"max-iterations": 500}, "dry_run": True})
        assert checked.status == 400
        assert "max-iterations = 500" in checked.json["detail"]
        unknown = await caller("PUT", "/v1/settings", {"unset": ["max-iteration"], "dry_run": True})
        assert (unknown.status, "max-iteration" in unknown.json["detail"]) == (400, True)
    fine = await lea("PUT", "/v1/settings", {"settings": {"max-iterations": 12}, "dry_run": True})
    assert fine.status == 200
    refused = await lea("PUT", "/v1/settings", {"settings": {"max-iterations": 12}})
    assert (refused.status, "admin key" in refused.json["detail"]) == (403, True)
    assert (await lea("GET", "/v1/settings")).json == shown

    changed = await admin("PUT", "/v1/settings", {"settings": {"max-iterations": 12}})
    assert changed.status == 200
    assert (await lea("GET", "/v1/settings")).json == changed.json != shown
    await admin("PUT", "/v1/settings", {"unset": ["max-iterations"]})
    assert (await lea("GET", "/v1/settings")).json == shown


async def test_a_waiting_operation_is_dropped_by_its_user_alone(served: Served) -> None:
    ola, pam = served.user("ola"), served.user("pam")
    answer = await ola("POST", "/v1/memories", {"messages": [{"role": "user", "content": "I row on Sundays"}]})
    job = answer.json["event_id"]
    assert (await pam("DELETE", f"/v1/operations/{job}")).status == 404
    async with asyncio.timeout(120):  # it can be dropped as soon as it waits for a model, which there is none of
        while True:
            dropped = await ola("DELETE", f"/v1/operations/{job}")
            if dropped.status == 200:
                break
            assert dropped.status == 400, dropped.text
            await asyncio.sleep(0.2)
    listed = (await ola("GET", "/v1/operations?status=pending")).json["results"]
    assert job not in [each["id"] for each in listed]
    reading = served.user("ola", writes=False)
    assert (await reading("DELETE", f"/v1/operations/{job}")).status in (403, 404)


async def test_a_recall_is_explained_with_what_was_left_out(served: Served) -> None:
    ana = served.user("explained")
    bees = await ana.add("Ana keeps bees in Bergen")
    others = [await ana.add(f"Ana keeps {animal} in Oslo") for animal in ("goats", "ducks", "horses")]
    answer = await ana("POST", "/v1/memories/explain", {"query": "Who keeps bees in Bergen?", "limit": 1, "candidates": 10})
    assert answer.status == 200, answer.text
    results = answer.json["results"]
    states = {each["id"]: each["state"] for each in results}
    assert states[bees] == "shown"
    assert list(states.values()).count("shown") == 1
    assert {states[each] for each in others} <= {"cut", "dissimilar"}
    first = results[0]
    assert first["id"] == bees
    assert first["why"]
    assert first["retrieval_score"] is not None
    search = await ana("POST", "/v1/memories/search", {"query": "Who keeps bees in Bergen?", "limit": 1, "why": True})
    assert [each["id"] for each in search.json["results"]] == [bees], "it explains what a search shows"
    assert search.json["results"][0]["why"] == first["why"]


async def test_what_an_erasure_concerns_is_counted_before_it(served: Served) -> None:
    ana, bob = served.user("counts"), served.user("counts-other")
    told = [{"role": "user", "content": "I live in Bergen"}, {"role": "assistant", "content": "You live in Bergen"}]
    await ana("POST", "/v1/memories", {"messages": told, "conversation_id": "c-1"})
    memories = {each["memory"]: each["id"] for each in (await ana("GET", "/v1/memories")).json["results"]}
    said = memories["I live in Bergen"]
    found = await ana("GET", f"/v1/memories/{said}/dependents")
    assert [each["id"] for each in found.json["repeats"]] == [memories["You live in Bergen"]]
    assert found.json["derived"] == 0
    assert (await bob("GET", f"/v1/memories/{said}/dependents")).status == 404
    assert len((await ana("GET", "/v1/memories")).json["results"]) == 2, "it erases nothing"
