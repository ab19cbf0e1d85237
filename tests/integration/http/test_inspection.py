"""What the web page reads beside memories: settings and keys, and jobs that are dropped; and for whom."""

import asyncio
from typing import Any

import pytest

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.memory.requests import GetFacts, StoreFact

from .served import Caller, Served

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def add(caller: Caller, text: str, **fields: Any) -> str:
    answer = await caller("POST", "/v1/memories", {"text": text, "infer": False, **fields})
    assert answer.status == 200, answer.text
    return str(answer.json["results"][0]["id"])


async def test_memories_are_listed_by_what_they_are_about(served: Served) -> None:
    una = served.user("una")
    async with await MemoryBus.connect(served.stack.address) as bus:
        diet = (await bus.call(StoreFact(user="una", key="Diet", content="Una eats no meat"))).fact_id
        centre = (await bus.call(StoreFact(user="una", key="Diet", content="Una eats anything"))).fact_id
        await bus.call(StoreFact(user="uno", key="diet", content="Uno eats no fish"))
    await add(una, "Una sings in a choir")
    listed = [(await una("GET", f"/v1/memories?about={name}")).json["results"] for name in ("diet", "DIET", "choir")]
    assert [[each["id"] for each in found] for found in listed] == [[centre], [centre], []]
    former = (await una("GET", "/v1/memories?about=diet&status=superseded")).json["results"]
    assert [each["id"] for each in former] == [diet]


async def test_a_former_memory_says_the_same_of_itself_wherever_it_is_read(served: Served) -> None:
    fay = served.user("fay")
    async with await MemoryBus.connect(served.stack.address) as bus:
        old = (await bus.call(StoreFact(user="fay", key="Diet", content="Fay eats no meat at all"))).fact_id
        await bus.call(StoreFact(user="fay", key="Diet", content="Fay eats anything"))
        (stored,) = (await bus.call(GetFacts(user="fay", ids=[old]))).facts
    until = f"until {stored.superseded_at[:10]}, then: Diet: Fay eats anything"
    question = {"query": "Which meat does Fay eat?"}
    listed = (await fay("GET", "/v1/memories?status=superseded")).json["results"]
    found = (await fay("POST", "/v1/memories/search", question)).json["results"]
    explained = (await fay("POST", "/v1/memories/explain", question)).json["results"]
    one = (await fay("GET", f"/v1/memories/{old}")).json
    for memories in (listed, found, explained, [one]):
        assert [(each["status"], each["until"]) for each in memories if each["id"] == old] == [("superseded", until)]
        assert not any(each["until"] for each in memories if each["id"] != old)
    assert [each["id"] for each in found][-1] == old


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


async def test_a_user_sees_the_own_keys_alone_and_no_secret(served: Served) -> None:
    mia, nia = served.user("mia", label="mine"), served.user("nia")
    served.keys.create("user", user="mia", link_s=600)
    mine = await mia("GET", "/v1/keys")
    assert [(each["user"], each["label"]) for each in mine.json["results"]] == [("mia", "mine")]
    assert mia.key not in mine.text
    assert "digest" not in mine.text
    assert [each["user"] for each in (await nia("GET", "/v1/keys")).json["results"]] == ["nia"]
    service = await served.service(label="gate")("GET", "/v1/keys")
    assert [each["label"] for each in service.json["results"]] == ["gate"]
    every = {each["user"] for each in (await served.admin()("GET", "/v1/keys")).json["results"]}
    assert {"mia", "nia"} <= every


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
