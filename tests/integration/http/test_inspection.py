"""What the web page reads beside memories: reasons of a recall, settings and keys, and jobs that are dropped; and for whom."""

import asyncio

import pytest

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.memory.requests import StoreFact

from .served import Served

pytestmark = pytest.mark.asyncio(loop_scope="module")


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
    assert (steps["value"], steps["is_set"], steps["type"], steps["minimum"], steps["maximum"]) == (
        10,
        False,
        "integer",
        1,
        100,
    )
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
