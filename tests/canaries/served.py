"""The interfaces of the listener: native REST, mem0, the semantic router, the proxy, the agent and MCP.

All send a key of the user.  None can name the memory that all users share.
"""

import json
from typing import Any, ClassVar

from tests.doubles.upstream import MODEL, completion, response
from tests.integration.mcp.conftest import MODES, over_http
from trustgraph_react_mem.memory.requests import WaitUntilIdle

from .interface import MANY, Interface, Owner, interface, records

Requests = tuple[tuple[str, str, Any], ...]
"""Method, path and body."""


class Served(Interface):
    """Erases and writes through the native interface unless it can do so itself."""

    serves_shared = False
    #: Requests that read, change and erase a record by its id, and requests that name a user.
    by_id: ClassVar[Requests] = ()
    by_user: ClassVar[Requests] = ()

    async def send(self, owner: Owner, method: str, path: str, body: Any = None, **headers: Any) -> Any:
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
        return await self._refused(stranger, self.by_id, record_id, 404)

    async def pretend(self, stranger: Owner, owner: Owner) -> str:
        naming = tuple(each for each in self.by_user if "{}" in str(each))
        shown = await self._refused(stranger, naming, owner.user, 403)
        return shown + await self._refused(stranger, self.by_user, stranger.user, 403, X_Memory_User=owner.user)

    async def _refused(self, stranger: Owner, requests: Requests, named: str, status: int, **headers: Any) -> str:
        """What the answers show.  ``named``: fills the braces in the requests."""
        shown = []
        for method, path, body in requests:
            filled = json.loads(json.dumps(body).replace("{}", named)) if body else None
            answer = await self.scene.caller(stranger.user)(method, path.format(named), filled, **headers)
            assert answer.status == status, f"{method} {path} {headers}: {answer.status} {answer.text}"
            shown.append(answer.text)
        return "\n".join(shown)


def id_of(listed: Any, name: str, text: str) -> str:
    """The id of the record with exactly this text in the field ``name``."""
    [record_id] = {str(each["id"]) for each in records(listed) if each.get(name) == text}
    return record_id


@interface("rest")
class Rest(Served):
    held = ("tool", "system", "assistant")
    dropped = ("tool and learned", "system and learned")
    by_id = (
        ("GET", "/v1/memories/{}", None),
        ("GET", "/v1/memories/{}/history", None),
        ("PUT", "/v1/memories/{}", {"text": "changed by a stranger"}),
        ("POST", "/v1/memories/{}/feedback", {"rating": -1}),
        ("DELETE", "/v1/memories/{}", None),
    )
    by_user = (
        ("POST", "/v1/memories/search", {"query": "canary", "user_id": "{}"}),
        ("GET", "/v1/memories?user_id={}", None),
        ("GET", "/v1/conversations?user_id={}", None),
        ("GET", "/v1/export?user_id={}", None),
        ("DELETE", "/v1/memories?user_id={}", None),
    )

    async def read(self, owner: Owner, question: str) -> str:
        kinds = ["turn", "semantic", "procedural", "reflective", "topic", "episodic"]
        shown = [
            await self.send(owner, "POST", "/v1/memories/search", {"query": question, "limit": MANY, "why": True}),
            await self.send(owner, "POST", "/v1/memories/search", {"query": question, "limit": MANY, "types": kinds}),
            *[
                await self.send(owner, "GET", path)
                for path in (f"/v1/memories?limit={MANY}", "/v1/episodes", "/v1/rules", "/v1/topics", "/v1/operations")
            ],
            *[await self.send(owner, "GET", path) for path in ("/v1/conversations", "/v1/receipts", "/v1/stats", "/v1/learn")],
        ]
        return json.dumps(shown)

    async def poison(self, owner: Owner, text: str, way: str) -> None:
        role, _, learned = way.partition(" and ")
        said = [{"role": role, "content": text}]
        if learned:
            body = {"messages": [*said, {"role": "user", "content": f"Good morning, {role}."}]}
            answer = await self.scene.caller(owner.user)("POST", "/v1/memories", body)
            assert answer.status == 202, answer.text
        else:
            await self.send(owner, "POST", "/v1/memories", {"messages": said, "infer": False})

    async def clear(self, owner: Owner) -> None:
        await self.erased(owner, f"/v1/memories?collection={owner.collection}")


@interface("mem0")
class Mem0(Served):
    held = ("tool", "function")
    dropped = ("system", "developer", "tool and learned")
    by_id = (
        ("GET", "/v1/memories/{}/", None),
        ("GET", "/v1/memories/{}/history/", None),
        ("PUT", "/v1/memories/{}/", {"text": "changed by a stranger"}),
        ("DELETE", "/v1/memories/{}/", None),
    )
    by_user = (
        ("POST", "/v3/memories/search/", {"query": "canary", "filters": {"user_id": "{}"}}),
        ("POST", "/v3/memories/", {"filters": {"user_id": "{}"}}),
        ("GET", "/v1/memories/?user_id={}", None),
        ("DELETE", "/v1/entities/user/{}/", None),
    )

    async def write(self, owner: Owner, text: str) -> None:
        await self._add(owner, [{"role": "user", "content": text}])

    async def _add(self, owner: Owner, messages: list[dict[str, str]], *, infer: bool = False) -> None:
        body = {"messages": messages, "user_id": owner.user, "infer": infer}
        await self.send(owner, "POST", "/v3/memories/add/", body)

    async def read(self, owner: Owner, question: str) -> str:
        mine = {"filters": {"user_id": owner.user}}
        asked = {**mine, "query": question, "top_k": MANY, "threshold": 0.0}
        shown = [
            await self.send(owner, "POST", "/v3/memories/search/", asked),
            await self.send(owner, "POST", "/v3/memories/search/", {**asked, "rerank": True}),
            await self.send(owner, "POST", "/v3/memories/", {**mine, "page_size": MANY}),
        ]
        return json.dumps(shown)

    async def erase(self, owner: Owner, text: str) -> None:
        body = {"filters": {"user_id": owner.user}, "page_size": MANY}
        listed = await self.send(owner, "POST", "/v3/memories/", body)
        await self.erased(owner, f"/v1/memories/{id_of(listed, 'memory', text)}/")

    async def poison(self, owner: Owner, text: str, way: str) -> None:
        role, _, learned = way.partition(" and ")
        said = [{"role": role, "content": text}]
        if way in self.dropped:
            said.append({"role": "user", "content": f"Good morning, {role}."})
        await self._add(owner, said, infer=bool(learned))

    async def clear(self, owner: Owner) -> None:
        await self.erased(owner, f"/v1/memories/?user_id={owner.user}")


@interface("semantic router")
class SemanticRouter(Served):
    """Its routes cannot write."""

    by_id = (("GET", "/v1/memory/{}", None), ("DELETE", "/v1/memory/{}", None))
    by_user = (("GET", "/v1/memory?user_id={}", None), ("DELETE", "/v1/memory?user_id={}", None))

    async def read(self, owner: Owner, question: str) -> str:
        return json.dumps(await self._listed(owner))

    async def erase(self, owner: Owner, text: str) -> None:
        record_id = id_of(await self._listed(owner), "content", text)
        await self.erased(owner, f"/v1/memory/{record_id}?project_id={owner.collection}")

    async def clear(self, owner: Owner) -> None:
        await self.erased(owner, f"/v1/memory?project_id={owner.collection}")

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
    by_user = tuple(
        ("POST", path, {"model": model, name: [{"role": "user", "content": "Which canary sings?"}], **named})
        for model in (MODEL, "agent/default")
        for path, name in (("/v1/chat/completions", "messages"), ("/v1/responses", "input"))
        for named in ({"user": "{}"}, {"metadata": {"user_id": "{}"}}, {"memory_context": {"user_id": "{}"}})
    )
    dropped = ("tool", "system", "assistant")

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

    async def keep(self, owner: Owner, text: str) -> str:
        """Send a text through the Responses API.  Returns the path of the kept answer."""
        noted = {"replies": [{"json": response(f"resp_{owner.user}", MODEL, "Noted.")}]}
        await self.scene.session.post(f"{self.scene.endpoint}/control", json=noted)
        answer = await self.send(owner, "POST", "/v1/responses", {"model": MODEL, "input": text})
        await self.recorded(owner)
        return f"/v1/responses/{answer['id']}"


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
    held = ("source", "rule")

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
        calls: tuple[tuple[str, dict[str, Any]], ...] = (
            ("search_memories", {"query": question, "limit": 50, "types": ["facts", "rules", "episodes"]}),
            ("get_memories", {"limit": MANY}),
        )
        async with self._client(owner) as client:
            return "\n".join([str(await client.call_tool(name, arguments)) for name, arguments in calls])

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
