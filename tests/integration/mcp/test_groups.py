"""Groups of tools, other names of tools, resources."""

import json
from typing import Any

import pytest
from mcp import Client

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import BadRequest, ConfigurationError
from trustgraph_react_mem.http.access import Access
from trustgraph_react_mem.http.principal import Principal
from trustgraph_react_mem.mcp.groups.graph import read_graph_file, store_graph
from trustgraph_react_mem.mcp.settings import McpSettings, read_settings
from trustgraph_react_mem.memory.requests import AppendInvocation, StoreFact
from trustgraph_react_mem.schema import InvocationSummary

from .conftest import GROUP_WAYS, Open, Way, in_process
from .test_tools import EIGHT, refusal, use

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.later]

ANN = {"name": "Ann", "entityType": "person", "observations": ["plays the cello", "lives in Oslo"]}
MIMI = {"name": "Mimi", "entityType": "boat", "observations": []}
OWNS = {"from": "Ann", "to": "Mimi", "relationType": "owns"}
FILE = "\n".join(
    (
        '{"type":"entity","name":"Ann","entityType":"person","observations":["plays the cello"]}',
        '{"type":"entity","name":"Mimi","entityType":"boat","observations":[]}',
        '{"type":"relation","from":"Ann","to":"Mimi","relationType":"owns"}',
    )
)


@pytest.fixture(params=GROUP_WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    chosen: Way = request.param
    return chosen


async def test_eight_tools_are_the_default(bus: MemoryBus, user: str) -> None:
    async with Client(in_process(bus, user, settings=McpSettings())) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == EIGHT
        assert [str(each.uri) for each in (await client.list_resources()).resources] == ["memory://profile", "memory://stats"]


async def test_the_graph_works_as_the_reference_servers(connect: Open, user: str) -> None:
    async with connect(user) as client:
        assert (await use(client, "create_entities", entities=[ANN, MIMI]))["entities"] == [ANN, MIMI]
        assert (await use(client, "create_entities", entities=[ANN]))["entities"] == []
        assert (await use(client, "create_relations", relations=[OWNS]))["relations"] == [OWNS]
        assert (await use(client, "create_relations", relations=[OWNS]))["relations"] == []
        added = {"entityName": "Ann", "contents": ["plays the cello", "likes tea"]}
        results = (await use(client, "add_observations", observations=[added]))["results"]
        assert results == [{"entityName": "Ann", "addedObservations": ["likes tea"]}]
        assert "Bob" in await refusal(client, "add_observations", observations=[{"entityName": "Bob", "contents": ["x"]}])

        whole = await use(client, "read_graph")
        assert {each["name"] for each in whole["entities"]} == {"Ann", "Mimi"}
        assert whole["relations"] == [OWNS]
        [resource] = (await client.read_resource("memory://knowledge-graph")).contents
        assert json.loads(resource.text) == whole
        found = await use(client, "search_nodes", query="CELLO")
        assert [each["name"] for each in found["entities"]] == ["Ann"]
        assert found["relations"] == [OWNS]
        opened = await use(client, "open_nodes", names=["Mimi", "nobody"])
        assert opened["entities"] == [MIMI]
        searched = await use(client, "search_memories", query="who plays the cello?")
        assert searched["results"][0]["memory"] == "About Ann: plays the cello"

        gone = {"entityName": "Ann", "observations": ["likes tea", "was never there"]}
        assert (await use(client, "delete_observations", deletions=[gone]))["success"]
        [ann] = (await use(client, "open_nodes", names=["Ann"]))["entities"]
        assert sorted(ann["observations"]) == sorted(ANN["observations"])
        assert (await use(client, "delete_relations", relations=[OWNS]))["success"]
        assert (await use(client, "read_graph"))["relations"] == []
        await use(client, "create_relations", relations=[OWNS])
        assert (await use(client, "delete_entities", entityNames=["Ann"]))["success"]
        assert await use(client, "read_graph") == {"entities": [MIMI], "relations": []}
        assert "cello" not in str(await use(client, "search_memories", query="who plays the cello?"))


async def test_the_reference_servers_file_is_imported(bus: MemoryBus, user: str) -> None:
    access = Access(principal=Principal(key_id="k", kind="user", user=user), user=user, collection="default", services=bus)
    entities, relations = read_graph_file(FILE)
    first = await store_graph(access, entities, relations)
    assert (len(first.entities), len(first.relations)) == (2, 1)
    again = await store_graph(access, entities, relations)
    assert (again.entities, again.relations) == ([], [])
    for wrong in ("{}", '{"type":"entity","name":""}', "[1]", "nonsense", '{"type":"relation","from":"a"}'):
        with pytest.raises(BadRequest, match="line 2"):
            read_graph_file(FILE.splitlines()[0] + "\n" + wrong)


async def test_admin_tools_reach_one_collection(connect: Open, user: str, bus: MemoryBus) -> None:
    await bus.call(StoreFact(user=user, content="Ann likes tulips"))
    kept = await bus.call(StoreFact(user=user, collection="work", content="Ann likes roses"))
    other = await bus.call(StoreFact(user=f"{user}-other", content="Bob likes lilies"))
    async with connect(user) as client:
        changed = await use(client, "add_memory", content="Ann likes blue")
        await use(client, "update_memory", id=changed["id"], content="Ann likes red")
        assert (await use(client, "undo_memory", id=changed["id"]))["success"]
        assert (await use(client, "get_memory", id=changed["id"]))["memory"]["memory"] == "Ann likes blue"
        assert (await use(client, "delete_all_memories", confirm="default"))["complete"]
        assert (await use(client, "get_memories"))["results"] == []
    async with connect(user, "work") as client:
        assert (await use(client, "get_memories"))["results"][0]["id"] == kept.fact_id
    async with connect(f"{user}-other") as client:
        assert (await use(client, "get_memories"))["results"][0]["id"] == other.fact_id


async def test_other_names_are_the_same_memory(bus: MemoryBus, user: str) -> None:
    async def call(names: Any, tool: str, **arguments: Any) -> dict[str, Any]:
        async with Client(in_process(bus, user, settings=McpSettings(names=names))) as client:
            return await use(client, tool, **arguments)

    retained = await call("hindsight", "retain", content="Ann keeps a boat in Oslo", context="boats")
    assert (await call("hindsight", "recall", query="boat"))["results"][0]["id"] == retained["id"]
    assert (await call("hindsight", "list_memories", limit=1, offset=0))["results"][0]["metadata"]["context"] == "boats"
    assert (await call("openmemory", "search_memory", query="boat"))["results"][0]["id"] == retained["id"]
    added = await call("openmemory", "add_memories", text="Ann keeps a cat")
    assert len((await call("openmemory", "list_memories"))["results"]) == 2
    assert (await call("openmemory", "delete_memories", memory_ids=[added["id"]]))["complete"]
    assert len((await call("mem0", "get_memories"))["results"]) == 1
    async with Client(in_process(bus, user, settings=McpSettings(names="openmemory"))) as client:
        assert "nothing was deleted" in await refusal(client, "delete_memories", memory_ids=[retained["id"], "unknown"])


async def test_resources_are_private_data(connect: Open, user: str, bus: MemoryBus) -> None:
    for number in range(60):
        await bus.call(StoreFact(user=user, content=f"Ann's {number}th favourite tulip has a long and flowery name"))
    summary = InvocationSummary(query="What do I like?", result="Tulips", id="i1")
    await bus.call(AppendInvocation(user=user, conversation_id="c1", invocation=summary))
    async with connect(user) as client:
        read = {}
        for uri in ("memory://profile", "memory://stats", "memory://conversations/c1"):
            [content] = (await client.read_resource(uri)).contents
            assert content.mime_type == "application/json"
            read[uri] = json.loads(content.text)
            assert len(content.text.encode()) <= 2048
    assert 5 < len(read["memory://profile"]["facts"]) < 60
    assert {fact["trust"] for fact in read["memory://profile"]["facts"]} == {"user"}
    assert read["memory://stats"]["semantic"] == "60"
    assert read["memory://conversations/c1"]["exchanges"][0]["answer"] == "Tulips"


@pytest.mark.parametrize("given", [{"names": "zep"}, {"groups": "graph,everything"}])
async def test_unknown_settings_are_named(given: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="openmemory; groups are graph, agent, admin, refine"):
        read_settings(**given)
