"""The surroundings of an agent, in memory, for the stock agent and for ours alike: a flow, its clients, a librarian.

Imports TrustGraph alone, so that the recording script can use it in an environment that has nothing of ours.
"""

import dataclasses
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from trustgraph.base.embeddings_client import EmbeddingsClient
from trustgraph.base.graph_rag_client import GraphRagClient
from trustgraph.base.prompt_client import PromptClient
from trustgraph.base.row_embeddings_query_client import RowEmbeddingsQueryClient
from trustgraph.base.structured_query_client import StructuredQueryClient
from trustgraph.base.tool_client import ToolClient
from trustgraph.schema import (
    AgentResponse,
    EmbeddingsResponse,
    Error,
    GraphRagResponse,
    PromptResponse,
    RowEmbeddingsResponse,
    RowIndexMatch,
    StructuredQueryResponse,
    ToolResponse,
    Triples,
)

Respond = Callable[[Any], Awaitable[Any]]


class Answers:
    """``request`` of a stock client: one response, or a stream of them."""

    def __init__(self) -> None:
        self.requests: list[Any] = []

    def responses(self, request: Any) -> Sequence[Any]:
        raise NotImplementedError

    async def request(self, request: Any, timeout: float | None = None, recipient: Respond | None = None) -> Any:
        self.requests.append(request)
        responses = self.responses(request)
        if recipient is None:
            return responses[-1]
        for response in responses:
            if await recipient(response):
                return response
        return None


class Prompts(Answers, PromptClient):
    """The agent's prompts are answered from ``texts`` in turn, other prompts with what they asked; a text that begins with
    ``!`` is the message of an error."""

    def __init__(self, texts: Sequence[str], cut: int) -> None:
        super().__init__()
        self.texts = list(texts)
        self.cut = cut

    def responses(self, request: Any) -> Sequence[Any]:
        if not request.id.startswith("agent-react"):
            return [PromptResponse(text=f"{request.id} of {', '.join(sorted(request.terms))}", end_of_stream=True)]
        text = self.texts.pop(0) if len(self.texts) > 1 else self.texts[0]
        if text.startswith("!"):
            return [PromptResponse(error=Error(type="llm-error", message=text[1:]), end_of_stream=True)]
        usage = {"in_token": 100, "out_token": 10, "model": "scripted"}
        if not request.streaming:
            return [PromptResponse(text=text, end_of_stream=True, **usage)]
        parts = [text[start : start + self.cut] for start in range(0, len(text), self.cut)]
        return [PromptResponse(text=part) for part in parts] + [PromptResponse(text="", end_of_stream=True, **usage)]


class Knowledge(Answers, GraphRagClient):
    def responses(self, request: Any) -> Sequence[Any]:
        answer = f"{request.collection} knows about {request.query}"
        return [GraphRagResponse(message_type="chunk", response=answer, end_of_stream=True, end_of_session=True)]


class Mcp(Answers, ToolClient):
    def responses(self, request: Any) -> Sequence[Any]:
        if request.name == "broken":
            return [ToolResponse(error=Error(type="tool", message="the tool is broken"))]
        return [ToolResponse(object=json.dumps({"called": request.name, "with": json.loads(request.parameters)}))]


class Structured(Answers, StructuredQueryClient):
    def responses(self, request: Any) -> Sequence[Any]:
        return [StructuredQueryResponse(data=json.dumps({"asked": request.question}))]


class Embeddings(Answers, EmbeddingsClient):
    def responses(self, request: Any) -> Sequence[Any]:
        return [EmbeddingsResponse(vectors=[[0.5, 0.5] for _ in request.texts])]


class Rows(Answers, RowEmbeddingsQueryClient):
    def responses(self, request: Any) -> Sequence[Any]:
        match = RowIndexMatch(index_name="city", index_value=["Paris"], text="Paris", score=0.75)
        return [RowEmbeddingsResponse(matches=[match][: request.limit])]


class Librarian:
    def __init__(self, fails: bool = False) -> None:
        self.saved: dict[str, str] = {}
        self.fails = fails

    async def save_document(self, doc_id: str, content: str, title: str = "", **rest: Any) -> str:
        if self.fails:
            raise RuntimeError("no librarian")
        self.saved[doc_id] = content
        return doc_id


class Explainability:
    def __init__(self) -> None:
        self.sent: list[Triples] = []

    async def send(self, message: Triples, properties: Any = None) -> None:
        self.sent.append(message)


class MemoryFlow:
    """A running flow as a processor sees it."""

    def __init__(
        self, texts: Sequence[str], *, cut: int = 6, workspace: str = "default", librarian_fails: bool = False
    ) -> None:
        self.name = "default"
        self.workspace = workspace
        self.librarian = Librarian(librarian_fails)
        self.explainability = Explainability()
        self.clients: dict[str, Any] = {
            "explainability": self.explainability,
            "prompt-request": Prompts(texts, cut),
            "graph-rag-request": Knowledge(),
            "mcp-tool-request": Mcp(),
            "structured-query-request": Structured(),
            "embeddings-request": Embeddings(),
            "row-embeddings-query-request": Rows(),
        }

    def __call__(self, name: str) -> Any:
        return self.clients.get(name)


def tool(name: str, kind: str, **more: Any) -> tuple[str, str]:
    return name, json.dumps({"id": name, "name": name, "description": f"the {name} tool", "type": kind, **more})


USAGE = ("in_token", "out_token", "model")  # fields of a message
TOPIC = [{"name": "topic", "type": "string", "description": "what about"}]
TOOLS = dict(
    [
        tool("knowledge", "knowledge-query", collection="library"),
        tool("complete", "text-completion"),
        tool("remote", "mcp-tool", **{"mcp-tool": "far"}, arguments=TOPIC),
        tool("failing", "mcp-tool", **{"mcp-tool": "broken"}, arguments=TOPIC),
        tool("template", "prompt", template="poem", arguments=TOPIC),
        tool("table", "structured-query", collection="sheets"),
        tool("rows", "row-embeddings-query", **{"schema-name": "cities"}),
        tool("login", "text-completion", group=["stateful"], state="inside", **{"applicable-states": ["undefined"]}),
        tool("look", "text-completion", group=["stateful"], **{"applicable-states": ["inside"]}),
    ]
)


def call(name: str, **arguments: str) -> str:
    return f"Thought: I should use the {name} tool now.\nAction: {name}\nArgs: {json.dumps(arguments)}"


KNOWN = "Thought: I know this without any further help.\nFinal Answer: Paris is the capital of France."
AFTER = "Thought: the observation answers the question.\nFinal Answer: It is so."
HISTORY = [{"thought": "first", "action": "complete", "arguments": {"question": "x"}, "observation": "seen"}]

SCENARIOS: dict[str, dict[str, Any]] = {
    "answer": {"texts": [KNOWN]},
    "text-completion": {"texts": [call("complete", question="what?"), AFTER]},
    "knowledge-query": {"texts": [call("knowledge", question="what?"), AFTER]},
    "mcp-tool": {"texts": [call("remote", topic="cats"), AFTER]},
    "prompt": {"texts": [call("template", topic="cats"), AFTER]},
    "structured-query": {"texts": [call("table", question="how many?"), AFTER]},
    "row-embeddings-query": {"texts": [call("rows", query="capital"), AFTER]},
    "two-tools": {"texts": [call("remote", topic="cats"), call("complete", question="and?"), AFTER]},
    "tool-fails": {"texts": [call("failing", topic="cats"), AFTER]},
    "states": {
        "texts": [call("login", question="me"), call("look", question="round"), AFTER],
        "request": {"group": ["stateful"]},
    },
    "history": {"texts": [AFTER], "request": {"history": HISTORY}},
    "unknown-tool": {"texts": [call("ghost", question="boo"), AFTER]},
    "unparsed": {"texts": ["Thought: I wonder what I could say.", AFTER]},
    "too-many-steps": {"texts": [call("complete", question="again")], "max_iterations": 2},
    "model-error": {"texts": ["!the model broke"]},
    "no-librarian": {"texts": [call("complete", question="what?"), AFTER], "librarian_fails": True},
}
"""Each is played non-streaming and streaming; the last ones show faults of the stock agent that ours does not repeat."""


async def play(
    agent_request: Callable[..., Awaitable[None]],
    request_class: type,
    step_class: type,
    scenario: dict[str, Any],
    *,
    streaming: bool,
    flow: MemoryFlow | None = None,
    **more: Any,
) -> dict[str, Any]:
    """What an agent sends for a scenario, and what it leaves behind, with everything that differs by run replaced."""
    flow = flow or MemoryFlow(scenario["texts"], librarian_fails=scenario.get("librarian_fails", False))
    given = dict(scenario.get("request", {}))
    given["history"] = [step_class(**step) for step in given.get("history", [])]
    request: Any = request_class(question="What is it?", streaming=streaming, **given, **more)
    said: list[AgentResponse] = []
    waiting = [request]

    async def respond(response: AgentResponse) -> None:
        said.append(response)

    async def following(request: Any) -> None:
        waiting.append(request)

    while waiting:
        await agent_request(waiting.pop(0), respond, following, flow)
    kept = [[normalised(triple) for triple in sent.triples] for sent in flow.explainability.sent]
    explained = [[normalised(triple) for triple in response.explain_triples] for response in said if response.explain_id]
    return {
        "messages": [normalised(response) for response in said],
        "explained": explained,
        "kept": "as explained" if kept == explained else kept,
        "librarian": sorted((normal_text(name), text) for name, text in flow.librarian.saved.items()),
    }


_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z$")


def normal_text(text: str) -> str:
    return _TIME.sub("<time>", _UUID.sub("<session>", text))


def normalised(message: Any) -> Any:
    """A message as JSON without what is empty and without its triples; a triple as a line; identifiers and times replaced."""
    if isinstance(message, AgentResponse):
        fields = {field.name: getattr(message, field.name) for field in dataclasses.fields(message)}
        return {
            name: normalised(value)
            for name, value in fields.items()
            if name != "explain_triples" and value not in (None, "", False)
        }
    if isinstance(message, Error):
        return {"type": message.type, "message": message.message}
    if isinstance(message, list):
        return [normalised(item) for item in message]
    if dataclasses.is_dataclass(message):  # a triple
        parts: list[Any] = [getattr(message, name) for name in ("s", "p", "o")]
        s, p, o = (normal_text(part.iri or part.value) for part in parts)
        return f"{s} {p.rsplit('/', 1)[-1]} {'<ms>' if p.endswith('DurationMs') else o}"
    return normal_text(message) if isinstance(message, str) else message


def plain(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without tokens; white space around a chunk is where the stock parser loses or moves some."""
    return [
        {name: value.strip() if name == "content" else value for name, value in message.items() if name not in USAGE}
        for message in messages
    ]
