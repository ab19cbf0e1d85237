"""`/v1/refinements` over a real stack: the six steps, who reaches a session, and what is read of it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio

from trustgraph_react_mem.testing.scripted_model import Rule, ScriptedModel

from .served import Answer, Caller, Served, serve

pytestmark = pytest.mark.asyncio(loop_scope="module")

WHY = "Why is the sky blue?"
CLIENT = {"execution_mode": "client"}
MODEL = ScriptedModel(
    rules=(
        Rule(when="(?s)Draft an answer.*silence", answer="  "),
        Rule(when="Draft an answer", answer="Light scatters. STOP here"),
        Rule(when="Critique the newest text", answer="Say which light"),
        Rule(when="Rewrite the draft", answer="Blue light scatters most"),
    )
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    home: Path = tmp_path_factory.mktemp("refinements")
    async with serve(home, MODEL) as made:
        yield made


@pytest.fixture
def user(served: Served, request: pytest.FixtureRequest) -> Caller:
    return served.user(str(request.node.name)[:60])


async def ok(caller: Caller, method: str, path: str, body: Any = None, **headers: Any) -> Any:
    answer = await caller(method, path, body, **headers)
    assert answer.status == 200, answer.text
    return answer.json if "json" in answer.headers["Content-Type"] else answer.text


async def refused(caller: Caller, method: str, path: str, body: Any = None) -> tuple[int, str]:
    """Status and code."""
    answer: Answer = await caller(method, path, body)
    assert answer.status >= 400, answer.text
    assert "Traceback" not in answer.text
    return answer.status, answer.json["detail"].partition(":")[0]


async def run(caller: Caller, **more: Any) -> str:
    """A session with a draft, a critique and a revision.  Returns its path."""
    begun = await ok(caller, "POST", "/v1/refinements", {"query": WHY, **more})
    path = f"/v1/refinements/{begun['session_id']}"
    for step in ("critique", "revise"):
        await ok(caller, "POST", f"{path}/{step}", {})
    return path


async def test_the_flows_model_writes_the_texts(user: Caller) -> None:
    sampling = {"stop_sequences": [" STOP"], "temperature": 0.2, "model": "mine"}
    begun = await ok(user, "POST", "/v1/refinements", {"query": WHY, "companion_type": "strategy", "sampling": sampling})
    assert (begun["draft"], begun["execution_mode"], begun["model_used"]) == ("Light scatters.", "server", "scripted")
    assert begun["not_applied"] == ["model", "temperature"]
    assert begun["suggestions"]["next_action"] == "critique"
    path = f"/v1/refinements/{begun['session_id']}"
    assert (await ok(user, "POST", f"{path}/critique", {}))["critique"] == "Say which light"
    revised = await ok(user, "POST", f"{path}/revise", {})
    assert (revised["revision"], revised["phase"]["next_action"]) == ("Blue light scatters most", "critique_or_finalize")
    asked = MODEL.calls[-1]
    assert "strategy adviser" in asked.system
    assert "Say which light" in asked.prompt

    whole = await ok(user, "GET", path)
    [slot] = whole["run_log"]
    assert {name: slot[name] for name in ("query", "draft", "critique", "revision", "variant")} == {
        "query": WHY,
        "draft": "Light scatters.",
        "critique": ["Say which light"],
        "revision": ["Blue light scatters most"],
        "variant": "mine",
    }
    assert (whole["companion_type"], whole["standing"]) == ("strategy", "Blue light scatters most")
    assert [each["content"] for each in whole["history"]] == [WHY, "Blue light scatters most"]
    [listed] = (await ok(user, "GET", "/v1/refinements"))["results"]
    assert (listed["id"], listed["events"]) == (begun["session_id"], 3)


async def test_what_is_read_of_a_session(user: Caller) -> None:
    path = await run(user)
    session = path.rpartition("/")[2]
    draft = await ok(user, "GET", f"{path}/baseline_draft")
    assert (draft["session_id"], draft["slot_index"], draft["query"]) == (session, 0, WHY)
    critique = await ok(user, "GET", f"{path}/latest_critique")
    assert (critique["index"], critique["critique"], critique["of_text"]) == (0, "Say which light", "draft")
    await ok(user, "POST", f"{path}/critique", {})
    assert (await ok(user, "GET", f"{path}/latest_critique"))["of_text"] == "revision 1"
    [slot] = (await ok(user, "GET", f"{path}/iteration_timeline"))["slots"]
    assert [(each["phase"], each["index"]) for each in slot["events"]] == [
        ("draft", 0), ("critique", 0), ("revise", 0), ("critique", 1),
    ]  # fmt: skip
    await ok(user, "POST", f"{path}/revise", {})
    analysis = await ok(user, "GET", f"{path}/convergence_analysis")
    assert analysis["similarity"][-1] == 1.0
    assert analysis["converged"] is True
    assert "> Say which light" in await ok(user, "GET", f"{path}/transcript")


async def test_the_clients_model_writes_the_texts(user: Caller) -> None:
    begun = await ok(user, "POST", "/v1/refinements", {"query": WHY, "sampling": {**CLIENT, "temperature": 0.3}})
    assert begun["use_client_sampling"] is True
    assert begun["temperature"] == 0.3
    assert WHY in begun["user"]
    path = f"/v1/refinements/{begun['session_id']}"
    assert await refused(user, "GET", path) == (404, "invalid_session")

    done = {"nonce": begun["nonce"], "query": WHY, "draft": "Light scatters", "metadata": {"model": "claude"}}
    logged = {"status": "logged", "session_id": begun["session_id"]}
    assert await ok(user, "POST", f"{path}/draft_complete", done) == logged
    assert await ok(user, "POST", f"{path}/draft_complete", done) == logged
    assert await refused(user, "POST", f"{path}/draft_complete", {**done, "draft": "Another"}) == (409, "nonce_mismatch")

    asked = await ok(user, "POST", f"{path}/critique", {})
    assert "[ORIGINAL BASELINE]\nLight scatters" in asked["user"]
    done = {"nonce": asked["nonce"], "critique": "Say which light", "draft": "Light scatters"}
    await ok(user, "POST", f"{path}/critique_complete", done)
    asked = await ok(user, "POST", f"{path}/revise", {})
    done = {"nonce": asked["nonce"], "revision": "Blue light scatters most", "critique": "Say which light"}
    await ok(user, "POST", f"{path}/revise_complete", done)
    [slot] = (await ok(user, "GET", path))["run_log"]
    assert (slot["draft"], slot["critique"], slot["revision"], slot["variant"]) == (
        "Light scatters", ["Say which light"], ["Blue light scatters most"], "claude",
    )  # fmt: skip


async def test_a_nonce_belongs_to_one_step_of_one_session_of_one_user(served: Served, user: Caller) -> None:
    async def begin(caller: Caller, **more: Any) -> Any:
        return await ok(caller, "POST", "/v1/refinements", {"query": WHY, "sampling": CLIENT, **more})

    mine, other = await begin(user), await begin(user)
    theirs = await begin(served.user("somebody else"))
    path = f"/v1/refinements/{mine['session_id']}/draft_complete"
    text = {"query": WHY, "draft": "Light scatters"}
    for wrong in (other["nonce"], theirs["nonce"], mine["nonce"][:-1] + "x", "nonce", mine["nonce"].replace(".0.", ".1.")):
        assert await refused(user, "POST", path, {**text, "nonce": wrong}) == (409, "nonce_mismatch")
    for changed in ({"query": "What is rain?"}, {"companion_type": "marketing"}, {"conversation_id": "talk"}):
        body = {**text, "nonce": mine["nonce"], **changed}
        assert await refused(user, "POST", path, body) == (409, "nonce_mismatch")
    stranger = served.user("somebody else")
    assert await refused(stranger, "POST", path, {**text, "nonce": mine["nonce"]}) == (409, "nonce_mismatch")
    leaked = {**text, "draft": f"Light {mine['nonce']}", "nonce": mine["nonce"]}
    assert await refused(user, "POST", path, leaked) == (409, "pollution_detected")
    await ok(user, "POST", path, {**text, "nonce": mine["nonce"]})
    asked = await ok(user, "POST", f"/v1/refinements/{mine['session_id']}/critique", {})
    late = await ok(user, "POST", f"/v1/refinements/{mine['session_id']}/critique", {})
    path = f"/v1/refinements/{mine['session_id']}/critique_complete"
    assert await refused(user, "POST", path, {"nonce": late["nonce"], "critique": "c", "draft": "x"}) == (
        409, "pollution_detected",
    )  # fmt: skip
    await ok(user, "POST", path, {"nonce": late["nonce"], "critique": "Say which light"})
    assert await refused(user, "POST", path, {"nonce": asked["nonce"], "critique": "Too late"}) == (409, "nonce_mismatch")


async def test_a_confirmation_is_asked_before_a_draft_is_replaced(user: Caller) -> None:
    begun = await ok(user, "POST", "/v1/refinements", {"query": WHY, "sampling": CLIENT})
    path = f"/v1/refinements/{begun['session_id']}"
    await ok(user, "POST", f"{path}/draft_complete", {"nonce": begun["nonce"], "query": WHY, "draft": "One"})
    assert await refused(user, "POST", f"{path}/draft", {}) == (400, "validation_error")
    again = await ok(user, "POST", f"{path}/draft", {"confirm": True})
    await ok(user, "POST", f"{path}/draft_complete", {"nonce": again["nonce"], "draft": "Two"})
    assert (await ok(user, "GET", f"{path}/baseline_draft"))["draft"] == "Two"


async def test_steps_out_of_order_and_wrong_values_are_refused_by_name(user: Caller) -> None:
    asked = len(MODEL.calls)
    unknown = f"/v1/refinements/{uuid4()}"
    for step in ("critique", "revise"):
        assert await refused(user, "POST", f"{unknown}/{step}", {}) == (404, "invalid_session")
    assert await refused(user, "POST", "/v1/refinements/nonsense/critique", {}) == (404, "invalid_session")
    assert await refused(user, "GET", "/v1/refinements/nonsense") == (404, "invalid_session")
    assert await refused(user, "DELETE", unknown) == (404, "invalid_session")
    for wrong in (
        {},
        {"query": " "},
        {"query": "\u200b"},
        {"query": WHY, "companion_type": "wizard"},
        {"query": WHY, "sampling": {"temperature": 3}},
        {"query": WHY, "sampling": {"similarity_threshold": 0.5}},
        {"query": WHY, "sampling": {"heat": 1}},
        {"query": "x" * 8001},
    ):
        assert await refused(user, "POST", "/v1/refinements", wrong) == (400, "validation_error"), wrong
    assert len(MODEL.calls) == asked
    begun = await ok(user, "POST", "/v1/refinements", {"query": WHY})
    path = f"/v1/refinements/{begun['session_id']}"
    assert await refused(user, "POST", f"{path}/revise", {}) == (409, "no_critique")
    assert await refused(user, "GET", f"{path}/latest_critique") == (409, "no_critique")
    assert await refused(user, "POST", f"{path}/critique", {"companion_type": "marketing"}) == (409, "pollution_detected")
    assert await refused(user, "POST", f"{path}/critique", {"query": "What is rain?"}) == (409, "pollution_detected")
    assert len(MODEL.calls) == asked + 1


async def test_an_empty_answer_of_the_model_stores_nothing(user: Caller) -> None:
    assert (await refused(user, "POST", "/v1/refinements", {"query": "silence"}))[0] == 502
    assert (await ok(user, "GET", "/v1/refinements"))["results"] == []


async def test_of_two_critiques_at_once_one_is_refused_or_replaces_the_other(user: Caller) -> None:
    begun = await ok(user, "POST", "/v1/refinements", {"query": WHY})
    path = f"/v1/refinements/{begun['session_id']}"
    done = await asyncio.gather(*(user("POST", f"{path}/critique", {}) for _ in range(3)))
    assert {each.status for each in done} <= {200, 409}
    assert (await ok(user, "GET", path))["run_log"][0]["critique"] == ["Say which light"]


async def test_another_user_and_collection_find_no_session(served: Served, user: Caller) -> None:
    path = await run(user)
    stranger = served.user("a stranger")
    others: tuple[tuple[Caller, dict[str, Any]], ...] = ((stranger, {}), (user, {"X_Memory_Collection": "other"}))
    for reader, headers in others:
        for view in ("", "/baseline_draft", "/latest_critique", "/iteration_timeline", "/convergence_analysis", "/transcript"):
            answer = await reader("GET", path + view, **headers)
            assert answer.status == 404, answer.text
            assert "scatters" not in answer.text
        assert (await ok(reader, "GET", "/v1/refinements", **headers))["results"] == []
        for step in ("critique", "revise"):
            assert (await reader("POST", f"{path}/{step}", {}, **headers)).status == 404
        assert (await reader("DELETE", path, **headers)).status == 404
    assert len((await ok(user, "GET", path))["run_log"][0]["revision"]) == 1


async def test_a_key_that_may_only_read_asks_no_model(served: Served, user: Caller) -> None:
    path = await run(user)
    reader = served.caller(served.keys.create("user", user=user_of(user, served), writes=False)[1])
    asked = len(MODEL.calls)
    assert len((await ok(reader, "GET", path))["run_log"]) == 1
    assert (await reader("POST", f"{path}/critique", {})).status == 403
    assert (await reader("POST", "/v1/refinements", {"query": WHY})).status == 403
    assert len(MODEL.calls) == asked


def user_of(caller: Caller, served: Served) -> str:
    return next(key.user for key in served.keys.list() if caller.key.startswith(key.prefix))


async def test_a_session_is_erased_with_a_receipt_and_with_its_conversation(user: Caller) -> None:
    path = await run(user)
    erased = await ok(user, "DELETE", path)
    assert erased["receipt"]["complete"] is True
    assert await refused(user, "GET", path) == (404, "invalid_session")
    path = await run(user, conversation_id="talk")
    assert len((await ok(user, "GET", "/v1/refinements?conversation_id=talk"))["results"]) == 1
    await user("DELETE", "/v1/conversations/talk")
    assert await refused(user, "GET", path) == (404, "invalid_session")


async def test_a_nonce_outlives_a_restart(tmp_path: Path) -> None:
    async with serve(tmp_path, MODEL) as first:
        key = first.user("ana").key
        begun = await ok(first.caller(key), "POST", "/v1/refinements", {"query": WHY, "sampling": CLIENT})
    async with serve(tmp_path, MODEL) as second:
        path = f"/v1/refinements/{begun['session_id']}"
        done = {"nonce": begun["nonce"], "query": WHY, "draft": "Light scatters"}
        await ok(second.caller(key), "POST", f"{path}/draft_complete", done)
        assert (await ok(second.caller(key), "GET", path))["run_log"][0]["draft"] == "Light scatters"


async def test_without_a_model_the_answer_says_so_at_once(tmp_path: Path) -> None:
    async with serve(tmp_path) as served:
        answer = await served.user("ana")("POST", "/v1/refinements", {"query": WHY})
        assert answer.status == 503
        assert "no language model" in answer.text


async def test_a_text_that_is_sent_again_later_changes_nothing(user: Caller) -> None:
    begun = await ok(user, "POST", "/v1/refinements", {"query": WHY, "sampling": CLIENT})
    path = f"/v1/refinements/{begun['session_id']}"
    await ok(user, "POST", f"{path}/draft_complete", {"query": WHY, "draft": "Light scatters", "nonce": begun["nonce"]})
    sent = {}
    for step, text in (("critique", "Say which light"), ("revise", "Blue light scatters most")):
        asked = await ok(user, "POST", f"{path}/{step}", {"sampling": CLIENT})
        sent[step] = {("revision" if step == "revise" else step): text, "nonce": asked["nonce"]}
        await ok(user, "POST", f"{path}/{step}_complete", sent[step])
    other = await ok(user, "POST", f"{path}/draft", {"query": "Why is it red?", "sampling": CLIENT})
    await ok(user, "POST", f"{path}/draft_complete", {"query": "Why is it red?", "draft": "Dust", "nonce": other["nonce"]})
    before = await ok(user, "GET", path)
    for step, body in sent.items():
        assert (await ok(user, "POST", f"{path}/{step}_complete", body))["status"] == "logged"
    assert (await ok(user, "GET", path))["run_log"] == before["run_log"]
