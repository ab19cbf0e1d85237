"""Mistakes of clients that must not reach, keep or erase more than they say."""

import asyncio
import json
from typing import Any

import pytest

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.memory.requests import StoreFact

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
        ("PUT", "/v1/batch/", {"memories": [{"memory_id": "{id}", "text": "changed", "user_id": "lea"}]}),
        ("PUT", "/v1/batch/", {"memories": [{"memory_id": "{id}", "text": "changed"}], "user_id": "lea"}),
        ("DELETE", "/v1/batch/", {"memories": [{"memory_id": "{id}", "user_id": "lea"}]}),
        ("DELETE", "/v1/memories/{id}/?user_id=lea", None),
        ("POST", "/v1/feedback/", {"memory_id": "{id}", "feedback": "POSITIVE", "user_id": "lea"}),
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


async def test_a_service_key_may_name_the_user_in_the_query_of_every_route(served: Served) -> None:
    memory_id = await store(served.user("nia"), "Nia rows")
    service = served.service()
    assert (await service("GET", f"/v1/memories/{memory_id}/?user_id=nia")).json["memory"] == "Nia rows"
    assert (await service("GET", f"/v1/memories/{memory_id}/?user_id=oda")).status == 404
    assert (await service("GET", f"/v1/memories/{memory_id}/?user_id=oda", x_memory_user="nia")).status == 403


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
    "wrong", [b'{"metadata": {"n": NaN}}', b'{"metadata": {"n": 1e999}}', b'{"metadata": {"n": -Infinity}}']
)
async def test_a_number_that_json_cannot_hold_is_refused(served: Served, wrong: bytes) -> None:
    body = wrong[:-1] + b', "messages": "Sue sings", "infer": false}'
    assert (await served.user("sue")("POST", "/v1/memories/", raw=body)).status == 400


async def test_a_body_is_read_as_utf_8_whatever_charset_it_names(served: Served) -> None:
    body = json.dumps({"messages": "Tim täuscht", "infer": False}, ensure_ascii=False).encode()
    for charset in ("punycode", "idna", "utf-16", "nonsense"):
        answer = await served.user("tim")(
            "POST", "/v1/memories/", raw=body, Content_Type=f"application/json; charset={charset}"
        )
        assert answer.json["results"][0]["memory"] == "Tim täuscht"


async def test_wrong_values_of_lists_are_400(served: Served) -> None:
    caller = served.user("uma")
    for fields in (5, [1], {"a": 1}):
        assert (await caller("POST", "/v3/memories/", {"fields": fields})).status == 400
    assert (await caller("GET", f"/v1/memory?limit={'1' * 5000}")).status == 400


async def test_the_stream_of_events_is_not_hidden_by_another_interface(served: Served) -> None:
    async with served.session.get(
        f"{served.server.url}/v1/events", headers={"Authorization": f"Bearer {served.user('vic').key}"}
    ) as stream:
        assert stream.content_type == "text/event-stream"


async def test_asking_for_the_headers_of_an_export_sends_no_body(served: Served) -> None:
    key = served.user("wim").key
    host, port = served.server.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"HEAD /v1/export HTTP/1.1\r\nHost: {host}\r\nX-API-Key: {key}\r\nConnection: close\r\n\r\n".encode())
    answer = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.partition(b"\r\n\r\n")[2] == b""


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


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/conversations", "/v1/episodes", "/v1/rules"])
async def test_a_cursor_far_beyond_the_end_is_an_empty_page(served: Served, path: str) -> None:
    caller = served.user("yan")
    await caller("POST", "/v1/episodes", {"goal": "Sail", "steps": ["Row"], "outcome": "Sailed"})
    await caller("POST", "/v1/rules", {"action": "Be brief"})
    for cursor in (1_001, 99_999, 9_999_999, 999_999_999):
        answer = await caller("GET", f"{path}?cursor={cursor}")
        assert answer.status == 200, answer.text
        assert answer.json["results"] == []


async def test_an_empty_list_of_kinds_is_all_of_them(served: Served) -> None:
    caller = served.user("xia")
    await store(caller, "Xia walks")
    assert [len((await caller("GET", f"/v1/memories?kind={kinds}")).json["results"]) for kinds in ("", ",", "turn")] == [
        1,
        1,
        0,
    ]


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
            'query {"a": [null, false]} is of type object: send a text',
        ),
        ("POST", "/v1/batch/", None, "POST is not possible here: use DELETE, PUT"),
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


async def test_a_body_that_is_no_object_is_named_as_json_names_it(served: Served) -> None:
    for raw, name in ((b"null", "null"), (b"[]", "list"), (b"true", "boolean"), (b"7", "number"), (b'"x"', "string")):
        answer = await served.user("zoe")("POST", "/v3/memories/search/", raw=raw)
        assert answer.json["detail"] == f"the body is of type {name}: send a JSON object"


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


async def test_a_number_that_names_an_agent_or_a_user_is_the_same_name_in_a_filter(served: Served) -> None:
    person = served.user("42")
    await store(person, "Vic bakes", user_id=42, agent_id=7)
    await store(person, "Vic fishes")
    body = {"filters": {"AND": [{"user_id": 42}, {"agent_id": {"in": [7]}}]}}
    assert [each["memory"] for each in (await person("POST", "/v3/memories/", body)).json["results"]] == ["Vic bakes"]


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


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/memories/?user_id=ida&metadata="),
        ("GET", "/v1/memories/?user_id=ida&filters="),
        ("DELETE", "/v1/memories/?user_id=ida&metadata="),
    ],
)
async def test_deep_nesting_in_a_query_is_refused(served: Served, method: str, path: str) -> None:
    person = served.user("ida")
    await store(person, "Ida draws")
    assert (await person(method, path + "[" * 3000)).status == 400
    assert await count(person) == 1


async def test_a_number_that_json_cannot_hold_is_in_no_answer(served: Served) -> None:
    person = served.user("jan")
    for raw in (b"1e999", b"[-1e999]", b'{"a": NaN}'):
        body = b'{"text": "Jan runs", "infer": false, "metadata": {"speed": ' + raw + b"}}"
        assert (await person("POST", "/v1/memories", raw=body)).status == 400
    async with await MemoryBus.connect(served.stack.address) as bus:  # another program may have stored one
        await bus.call(StoreFact(content="Jan swims", user="jan", metadata={"speed": "json:Infinity"}))
    for method, path, asked in (("GET", "/v1/memories", None), ("POST", "/v3/memories/", {"filters": {"user_id": "jan"}})):
        answer = await person(method, path, asked)
        found = json.loads(answer.text, parse_constant=pytest.fail)["results"]
        assert [memory["metadata"] for memory in found] == [{"speed": "Infinity"}]


async def test_a_listing_by_query_is_narrowed_as_asked(served: Served) -> None:
    person = served.user("kai")
    await store(person, "Kai bakes", agent_id="one", metadata={"topic": "food"})
    await store(person, "Kai sails", agent_id="two")
    for narrowed in ('filters={"agent_id":"one"}', 'metadata={"topic":"food"}', "agent_id=one", "keywords=bakes"):
        listed = await person("GET", f"/v1/memories/?user_id=kai&{narrowed}")
        assert [memory["memory"] for memory in listed.json["results"]] == ["Kai bakes"], narrowed
    assert (await person("GET", "/v1/memories/?user_id=kai&filters=agent")).status == 400
    assert (await person("GET", "/v1/memories/?user_id=kai&agent_id=one&agent_id=two")).status == 400


async def test_two_collections_in_headers_are_refused(served: Served) -> None:
    person = served.user("lou")
    await store(person, "Lou paints")
    headers = [("Authorization", f"Bearer {person.key}"), ("X-Memory-Collection", "work"), ("X-Memory-Collection", "default")]
    async with served.session.delete(f"{served.server.url}/v1/memories?user_id=lou", headers=headers) as answer:
        assert answer.status == 400
        assert "send one" in (await answer.json())["detail"]
    assert await count(person) == 1


async def test_a_mark_of_byte_order_before_the_body_is_no_error(served: Served) -> None:
    person = served.user("mia")
    for path in ("/v1/memories", "/v1/memories/"):
        body = json.dumps({"messages": [{"role": "user", "content": "Mia swims"}], "infer": False}).encode("utf-8-sig")
        assert (await person("POST", path, raw=body)).status == 200
