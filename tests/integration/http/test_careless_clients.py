"""Mistakes of clients that must not reach, keep or erase more than they say."""

import asyncio
import json
from typing import Any

import pytest

from .served import Caller, Served

pytestmark = pytest.mark.asyncio(loop_scope="module")
CANARY = "Qzx5512"


async def store(caller: Caller, text: str, **fields: Any) -> str:
    answer = await caller("POST", "/v1/memories/", {"messages": text, "infer": False, **fields})
    assert answer.status == 200, answer.text
    return str(answer.json["results"][0]["id"])


async def count(caller: Caller) -> int:
    return int((await caller("GET", "/v1/memories")).json["count"])


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/memories/{id}/?user_id=lea", None),
        ("GET", "/v1/memories/{id}/history/?user_id=lea", None),
        ("PUT", "/v1/memories/{id}/", {"text": "changed", "user_id": "lea"}),
        ("PUT", "/v1/memories/{id}/?user_id=lea", {"text": "changed"}),
        ("DELETE", "/v1/memories/{id}/?user_id=lea", None),
        ("POST", "/v3/memories/search/?user_id=lea", {"query": "swims"}),
        ("POST", "/v2/memories/?user_id=lea", {"user_id": "max"}),
        ("POST", "/v1/memories/search?user_id=lea", {"query": "swims"}),
    ],
)
async def test_another_user_is_refused_wherever_a_request_names_it(served: Served, method: str, path: str, body: Any) -> None:
    owner = served.user("max")
    memory_id = await store(owner, "Max swims")
    filled = json.loads(json.dumps(body).replace("{id}", memory_id))
    answer = await owner(method, path.replace("{id}", memory_id), filled)
    assert answer.status in (400, 403), answer.text
    assert (await owner("GET", f"/v1/memories/{memory_id}")).json["memory"] == "Max swims"


@pytest.mark.parametrize(
    "path",
    [
        "/v1/memories?user_id={user}",
        "/v1/memories/?user_id={user}",
        "/v1/memory?user_id={user}",
        "/v2/entities/user/{user}/",
    ],
)
async def test_a_deletion_that_a_body_narrows_erases_nothing(served: Served, path: str) -> None:
    caller = served.user("pia")
    await store(caller, "Pia paints")
    answer = await caller("DELETE", path.replace("{user}", "pia"), {"filters": {"agent_id": "one"}})
    assert answer.status == 400
    assert "nothing was deleted" in answer.text
    assert await count(caller) == 1


async def test_a_deletion_with_an_empty_id_erases_nothing(served: Served) -> None:
    caller = served.user("quin")
    await store(caller, "Quin sails")
    for path in ("/v1/memory/", "/v1/memories//", "/v1/memories/"):
        assert (await caller("DELETE", path)).status in (400, 404, 405), path
    assert (await caller("DELETE", "/v1/rollback", {"to": "2026-01-01"})).status == 405
    assert await count(caller) == 1


async def test_of_changes_to_one_version_one_succeeds(served: Served) -> None:
    caller = served.user("rob")
    memory_id = await store(caller, "Rob runs")
    path = f"/v1/memories/{memory_id}"
    version = (await caller("GET", path)).headers["ETag"]
    changes = [caller("PATCH", path, {"text": f"Rob runs {number} km"}, If_Match=version) for number in range(6)]
    assert sorted([answer.status for answer in await asyncio.gather(*changes)]) == [200, 412, 412, 412, 412, 412]


@pytest.mark.parametrize(
    "request_text",
    [
        f"GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization : Bearer {CANARY}\r\n\r\n",
        f"GET /?key={CANARY}\x01 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: localhost\r\nX: {CANARY}{'a' * 20_000}\r\n\r\n",
        f"{CANARY}\r\n\r\n",
    ],
)
async def test_what_is_no_http_is_named_neither_in_the_answer_nor_in_the_log(
    served: Served, request_text: str, caplog: pytest.LogCaptureFixture
) -> None:
    host, port = served.server.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request_text.encode())
    answer = (await asyncio.wait_for(reader.read(), 60)).decode()
    writer.close()
    assert "400" in answer.splitlines()[0]
    assert "application/problem+json" in answer
    assert CANARY not in answer
    assert CANARY not in caplog.text
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(
    ("method", "path", "body", "said"),
    [
        ("GET", "/v1/memories?limit=0", None, "limit = '0': should be greater than or equal to 1"),
        ("GET", "/v1/memories?cursor=-1", None, "cursor = '-1': use the value of next in the page before"),
        (
            "POST",
            "/v3/memories/search/",
            {"query": "x", "filters": {"a": 1}},
            "filters have an unknown field 'a': use AND, OR, NOT or one of user_id, agent_id, app_id, run_id, created_at, "
            "updated_at, "
            "timestamp, categories, metadata, keywords, memory_ids",
        ),
        ("POST", "/v1/memories", {}, "give either messages, with at least one message, or text"),
        ("POST", "/v1/memories", {"text": None}, "text = null: should be a valid string"),
        ("POST", "/v1/memories", {"messages": [7]}, "messages.0 = 7: should be an object"),
        ("POST", "/v1/memories", {"text": "x", "metadata": True}, "metadata = true: should be an object"),
        (
            "POST",
            "/v1/memories/search",
            {"query": "x", "filters": {"user_id": "ida"}},
            "filters are read by POST /v2/memories/search/, the path of mem0: send the request there",
        ),
        (
            "POST",
            "/v3/memories/search/",
            {"query": "x", "filters": {"OR": [{"user_id": ["zoe", None]}]}},
            "filters.user_id is null: leave it out, or send a name",
        ),
        (
            "POST",
            "/v3/memories/search/",
            {"query": {"a": [None, False]}},
            "query = object: should be a valid string",
        ),
        ("GET", "/v3/memories/add/", None, "GET is not possible here: use POST"),
        ("POST", "/v1/rollback", {"to": "0"}, "to = '0': use RFC 3339, such as 2026-01-31T09:00:00Z"),
        (
            "POST",
            "/v1/memories/search",
            {"query": "x", "types": ["facts"]},
            "types.0 = 'facts': should be 'turn', 'semantic', 'procedural', 'reflective', 'topic' or 'episodic'",
        ),
        (
            "GET",
            "/v1/memories?kind=nope",
            None,
            "kind.0 = 'nope': should be 'turn', 'semantic', 'procedural', 'reflective' or 'topic'",
        ),
    ],
)
async def test_an_error_names_field_value_and_remedy(served: Served, method: str, path: str, body: Any, said: str) -> None:
    assert (await served.user("zoe")(method, path, body)).json["detail"] == said


@pytest.mark.parametrize("path", ["/v1/memories?user_id=wim", "/v1/memory?user_id=wim"])
async def test_a_deletion_with_a_collection_in_the_header_leaves_the_others(served: Served, path: str) -> None:
    person = served.user("wim")
    for collection in ("default", "work"):
        await person("POST", "/v1/memories", {"text": "Wim rows", "infer": False, "collection": collection})
    erased = await person("DELETE", path, x_memory_collection="work")
    assert erased.json["receipt"]["level"] == "collection"
    counts = [(await person("GET", f"/v1/memories?collection={name}")).json["count"] for name in ("default", "work")]
    assert counts == [1, 0]
    if path.startswith("/v1/memories"):  # what a gateway confirms is what is erased
        refused = await served.service()("DELETE", f"{path}&confirm=wim", x_memory_collection="work")
        assert "confirm=work" in refused.json["detail"]


HALF, DEEP = r"half \ud83d a letter", "[" * 900 + r'"\ud83d"' + "]" * 900
BODIES = [
    ("/v1/memories", '{"text": "%s", "infer": false, "metadata": {"a": %s}}'),
    ("/v2/memories/search/", '{"query": "%s", "filters": {"a": %s}}'),
    ("/v3/memories/add/", '{"messages": "%s", "user_id": "half", "infer": false, "metadata": {"a": %s}}'),
    ("/v3/memories/search/", '{"query": "%s", "filters": {"user_id": "half", "a": %s}}'),
]


@pytest.mark.parametrize(("path", "body"), BODIES)
async def test_half_a_character_is_replaced_and_deep_nesting_is_refused(served: Served, path: str, body: str) -> None:
    person = served.user("half")
    whole = await person("POST", path, raw=(body % (HALF, "[]")).encode())
    assert whole.status in (200, 400), whole.text
    stored = await person("POST", path, raw=(body % (HALF, "null")).encode())
    assert stored.status in (200, 400), stored.text
    assert (await person("POST", path, raw=(body % ("x", DEEP)).encode())).status == 400
