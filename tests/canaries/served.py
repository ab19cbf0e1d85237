"""The interfaces of the listener: native REST, mem0, Hindsight, the semantic router, the proxy, the agent, MCP and the socket.

All send a key of the user.  None can name the memory that all users share.
"""

import json
from typing import Any, ClassVar

from tests.doubles.upstream import MODEL, completion
from tests.integration.mcp.conftest import MODES, over_http
from trustgraph_react_mem.memory.requests import WaitUntilIdle

from .interface import MANY, Interface, Owner, interface, records


class Served(Interface):
    """Erases and writes through the native interface unless it can do so itself."""

    serves_shared = False
    #: Requests that read, change and erase a record by its id.
    by_id: ClassVar[tuple[tuple[str, str, Any], ...]] = ()

    async def send(self, owner: Owner, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The body of an answer that must be a success."""
        caller = self.scene.caller(owner.user)
        answer = await caller(method, path, body, X_Memory_Collection=owner.collection, **headers)
        assert answer.status == 200, f"{method} {path}: {answer.status} {answer.text}"
        return answer.json

    async def write(self, owner: Owner, text: str) -> None:
        await self.send(owner, "POST", "/v1/memories", {"text": text, "infer": False})

    async def erase(self, owner: Owner, text: str) -> None:
        listed = await self.send(owner, "GET", f"/v1/memories?limit={MANY}")
        await self.erased(owner, f"/v1/memories/{id_of(listed, 'memory', text)}")

    async def erased(self, owner: Owner, path: str) -> None:
        await self.send(owner, "DELETE", path)

    async def seize(self, stranger: Owner, record_id: str) -> str:
        shown = []
        for method, path, body in self.by_id:
            answer = await self.scene.caller(stranger.user)(method, path.format(id=record_id), body)
            assert answer.status in (404, 200 if "/batch/" in path else 404), f"{method} {path}: {answer.status} {answer.text}"
            shown.append(answer.text)
        return "\n".join(shown)


def id_of(listed: Any, name: str, text: str) -> str:
    """The id of the record with exactly this text in the field ``name``."""
    [record_id] = {str(each["id"]) for each in records(listed) if each.get(name) == text}
    return record_id


@interface("rest")
class Rest(Served):
    poisons = ("tool", "system", "assistant")
    by_id = (
        ("GET", "/v1/memories/{id}", None),
        ("GET", "/v1/memories/{id}/history", None),
        ("PUT", "/v1/memories/{id}", {"text": "changed by a stranger"}),
        ("POST", "/v1/memories/{id}/undo", {}),
        ("DELETE", "/v1/memories/{id}", None),
    )

    async def read(self, owner: Owner, question: str) -> str:
        kinds = ["turn", "semantic", "procedural", "reflective", "topic", "episodic"]
        shown = [
            await self.send(owner, "POST", "/v1/memories/search", {"query": question, "limit": MANY, "why": True}),
            await self.send(owner, "POST", "/v1/memories/search", {"query": question, "limit": MANY, "types": kinds}),
            *[
                await self.send(owner, "GET", path)
                for path in (f"/v1/memories?limit={MANY}", "/v1/episodes", "/v1/rules", "/v1/profile", "/v1/operations")
            ],
        ]
        return json.dumps(shown)

    async def poison(self, owner: Owner, text: str, way: str) -> None:
        await self.send(owner, "POST", "/v1/memories", {"messages": [{"role": way, "content": text}], "infer": False})


@interface("mem0")
class Mem0(Served):
    poisons = ("tool",)
    by_id = (
        ("GET", "/v1/memories/{id}/", None),
        ("GET", "/v1/memories/{id}/history/", None),
        ("PUT", "/v1/memories/{id}/", {"text": "changed by a stranger"}),
        ("POST", "/v1/feedback/", {"memory_id": "{id}", "feedback": "NEGATIVE"}),
        ("DELETE", "/v1/memories/{id}/", None),
    )

    async def write(self, owner: Owner, text: str) -> None:
        await self._add(owner, text, "user")

    async def _add(self, owner: Owner, text: str, role: str) -> None:
        body = {"messages": [{"role": role, "content": text}], "user_id": owner.user, "infer": False}
        await self.send(owner, "POST", "/v3/memories/add/", body)

    async def read(self, owner: Owner, question: str) -> str:
        mine = {"filters": {"user_id": owner.user}}
        asked = {**mine, "query": question, "top_k": MANY, "threshold": 0.0}
        export = await self.send(owner, "POST", "/v1/exports/", mine)
        shown = [
            await self.send(owner, "POST", "/v3/memories/search/", asked),
            await self.send(owner, "POST", "/v3/memories/search/", {**asked, "rerank": True}),
            await self.send(owner, "POST", "/v3/memories/", {**mine, "page_size": MANY}),
            await self.send(owner, "POST", "/v1/exports/get/", {"memory_export_id": export["id"]}),
            await self.send(owner, "POST", "/v1/summary/", mine),
            await self.send(owner, "GET", "/v1/events/"),
        ]
        return json.dumps(shown)

    async def erase(self, owner: Owner, text: str) -> None:
        body = {"filters": {"user_id": owner.user}, "page_size": MANY}
        listed = await self.send(owner, "POST", "/v3/memories/", body)
        await self.erased(owner, f"/v1/memories/{id_of(listed, 'memory', text)}/")

    async def poison(self, owner: Owner, text: str, way: str) -> None:
        await self._add(owner, text, way)


@interface("hindsight")
class Hindsight(Served):
    by_id = (
        ("GET", "/v1/default/banks/default/memories/{id}", None),
        ("GET", "/v1/default/banks/default/memories/{id}/history", None),
        ("PATCH", "/v1/default/banks/default/memories/{id}", {"text": "changed by a stranger"}),
        ("DELETE", "/v1/default/banks/default/memories/{id}", None),
    )

    async def write(self, owner: Owner, text: str) -> None:
        await self.send(owner, "POST", f"{self._bank(owner)}/memories", {"items": [{"content": text}], "async": False})

    async def read(self, owner: Owner, question: str) -> str:
        asked = {"query": question, "budget": "high", "max_tokens": 100_000, "types": ["world", "experience", "observation"]}
        shown = [
            await self.send(owner, "POST", f"{self._bank(owner)}/memories/recall", asked),
            await self.send(owner, "GET", f"{self._bank(owner)}/memories/list?limit={MANY}"),
            await self.send(owner, "GET", f"{self._bank(owner)}/operations"),
            await self.send(owner, "GET", "/v1/default/banks"),
        ]
        return json.dumps(shown)

    async def erase(self, owner: Owner, text: str) -> None:
        listed = await self.send(owner, "GET", f"{self._bank(owner)}/memories/list?limit={MANY}")
        await self.erased(owner, f"{self._bank(owner)}/memories/{id_of(listed, 'text', text)}")

    def _bank(self, owner: Owner) -> str:
        return f"/v1/default/banks/{owner.collection}"


@interface("semantic router")
class SemanticRouter(Served):
    """Its routes cannot write."""

    by_id = (("GET", "/v1/memory/{id}", None), ("DELETE", "/v1/memory/{id}", None))

    async def read(self, owner: Owner, question: str) -> str:
        return json.dumps(await self._listed(owner))

    async def erase(self, owner: Owner, text: str) -> None:
        record_id = id_of(await self._listed(owner), "content", text)
        await self.erased(owner, f"/v1/memory/{record_id}?project_id={owner.collection}")

    async def _listed(self, owner: Owner) -> Any:
        return await self.send(owner, "GET", f"/v1/memory?limit={MANY}&project_id={owner.collection}")


class Chat(Served):
    """Chat completions.  What is shown is what reaches the model."""

    model: ClassVar[str]

    async def write(self, owner: Owner, text: str) -> None:
        await self.ask(owner, [{"role": "user", "content": text}], "on")
        await self.recorded(owner)

    async def ask(self, owner: Owner, messages: list[dict[str, Any]], mode: str) -> list[Any]:
        """The requests that the endpoint received."""
        noted = {"id": "c", "object": "chat.completion", "created": 1, "model": MODEL, **completion("Noted.")}
        control = f"{self.scene.endpoint}/control"
        await self.scene.session.post(control, json={"replies": [{"json": noted}]})
        config = {"retrieval_limit": MANY, "similarity_threshold": 0.0}
        body = {"model": self.model, "messages": messages, "memory_config": config}
        answer = await self.send(owner, "POST", "/v1/chat/completions", body, X_Memory=mode)
        async with self.scene.session.get(control) as seen:
            return [answer, *(await seen.json())["seen"]]

    async def recorded(self, owner: Owner) -> None:
        waiting = WaitUntilIdle(user=owner.user, collection=owner.collection, kind="record", timeout_s=120)
        assert not (await self.scene.bus.call(waiting, 150)).count


@interface("proxy")
class Proxy(Chat):
    model = MODEL
    poisons = ("tool", "system", "assistant")
    holds_poison = False

    async def read(self, owner: Owner, question: str) -> str:
        return json.dumps(await self.ask(owner, [{"role": "user", "content": question}], "read"))

    async def poison(self, owner: Owner, text: str, way: str) -> None:
        """A client's history is not learned from: only the question and the answer are."""
        others: list[dict[str, Any]] = [{"role": way, "content": text}]
        if way == "tool":
            call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            others = [{"role": "assistant", "content": None, "tool_calls": [call]}, {**others[0], "tool_call_id": "c1"}]
        await self.ask(owner, [*others, {"role": "user", "content": f"Good morning, {way}."}], "on")
        await self.recorded(owner)


@interface("agent")
class Agent(Chat):
    model = "agent/default"

    async def read(self, owner: Owner, question: str) -> str:
        before = len(self.scene.model.calls)
        answer = await self.ask(owner, [{"role": "user", "content": question}], "read")
        prompts = [str(call) for call in self.scene.model.calls[before:] if question in str(call)]
        assert prompts, "the agent asked no model"
        return "\n".join([*prompts, json.dumps(answer)])


@interface("mcp")
class Mcp(Served):
    poisons = ("source", "rule")

    async def use(self, owner: Owner, tool: str, **arguments: Any) -> Any:
        """The structured content of a call that must succeed."""
        async with self._client(owner) as client:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, f"{tool}: {result.content[0].text}"
            return result.structured_content

    def _client(self, owner: Owner) -> Any:
        caller = self.scene.caller(owner.user)
        return over_http(caller.url, caller.key, MODES["legacy"], f"/mcp/{owner.collection}")

    async def write(self, owner: Owner, text: str) -> None:
        await self.use(owner, "add_memory", content=text)

    async def read(self, owner: Owner, question: str) -> str:
        calls = (
            ("search_memories", {"query": question, "limit": 50, "types": ["facts", "rules", "episodes"]}),
            ("get_memories", {"limit": MANY}),
            ("read_graph", {}),
            ("search_nodes", {"query": "canary"}),
        )
        async with self._client(owner) as client:
            shown = [str(await client.call_tool(name, arguments)) for name, arguments in calls]
            shown += [str(await client.read_resource(f"memory://{name}")) for name in ("profile", "stats", "knowledge-graph")]
        return "\n".join(shown)

    async def erase(self, owner: Owner, text: str) -> None:
        listed = await self.use(owner, "get_memories", limit=MANY)
        deleted = await self.use(owner, "delete_memory", id=id_of(listed, "memory", text))
        assert deleted["complete"]

    async def poison(self, owner: Owner, text: str, way: str) -> None:
        more = {"source": "https://evil.example"} if way == "source" else {"kind": "procedural"}
        await self.use(owner, "add_memory", content=text, **more)

    async def seize(self, stranger: Owner, record_id: str) -> str:
        calls = (
            ("get_memory", {"id": record_id, "history": True}),
            ("update_memory", {"id": record_id, "content": "changed by a stranger"}),
            ("memory_feedback", {"id": record_id, "rating": -1}),
            ("delete_memory", {"id": record_id}),
        )
        async with self._client(stranger) as client:
            return "\n".join([str(await client.call_tool(name, arguments)) for name, arguments in calls])


@interface("socket")
class Socket(Served):
    poisons = ("tool", "document", "assistant")

    async def request(self, owner: Owner, service: str, **body: Any) -> Any:
        caller = self.scene.caller(owner.user)
        async with self.scene.session.ws_connect(f"{caller.url}/v1/socket") as opened:
            await opened.send_json({"type": "auth", "token": caller.key})
            assert (await opened.receive_json())["type"] == "auth-ok"
            sent = {"collection": owner.collection, **body}
            await opened.send_json({"id": "1", "service": service, "request": sent})
            reply = await opened.receive_json()
        assert reply["complete"], reply
        return reply

    async def done(self, owner: Owner, service: str, **body: Any) -> Any:
        """The response to a request that must succeed."""
        reply = await self.request(owner, service, **body)
        assert "error" not in reply, reply
        return reply["response"]

    async def write(self, owner: Owner, text: str) -> None:
        await self.done(owner, "facts", operation="store", content=text)

    async def read(self, owner: Owner, question: str) -> str:
        retrieve = {"operation": "retrieve", "query": question, "top-k": MANY, "candidates": MANY, "rules": 5, "profile": True}
        shown = [
            await self.done(owner, "facts", **retrieve),
            await self.done(owner, "facts", operation="list", limit=MANY),
            await self.done(owner, "episodes", operation="list", limit=MANY),
            await self.done(owner, "conversations", operation="list", limit=MANY),
            await self.done(owner, "jobs", operation="list", limit=MANY),
        ]
        return json.dumps(shown)

    async def erase(self, owner: Owner, text: str) -> None:
        listed = await self.done(owner, "facts", operation="list", limit=MANY)
        await self.done(owner, "facts", operation="forget", ids=[id_of(listed, "content", text)])

    async def poison(self, owner: Owner, text: str, way: str) -> None:
        await self.done(owner, "facts", operation="store", content=text, trust=way)

    async def seize(self, stranger: Owner, record_id: str) -> str:
        bodies = [
            {"operation": "get", "ids": [record_id]},
            {"operation": "history", "id": record_id},
            {"operation": "update", "id": record_id, "content": "changed by a stranger"},
            {"operation": "undo", "id": record_id},
            {"operation": "rate", "ids": [record_id], "rating": -1},
            {"operation": "forget", "ids": [record_id]},
        ]
        return json.dumps([await self.request(stranger, "facts", **body) for body in bodies])
