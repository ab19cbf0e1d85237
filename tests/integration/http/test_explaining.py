"""What a recall is made of, and what an erasure concerns."""

import pytest

from .served import Served

pytestmark = pytest.mark.asyncio(loop_scope="module")


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
