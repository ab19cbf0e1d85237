"""Runs the agent's tools: the services of the flow behind TrustGraph's tool types, and the memory tools."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from trustgraph.provenance import agent_iteration_uri
from trustgraph.schema import AgentResponse, ToolServiceRequest

from ...errors import BadRequest, EngineUnavailable
from ...memory.policies import DataPolicy
from ...memory.ports import JsonValue
from ...memory.records import RECALL_EPISODES, RETRIEVE_FACTS
from ...memory.requests import StoreFact
from ...memory.text.well_formed import well_formed
from ...memory.timefmt import read_zone
from ...recall.records import Recalled
from ...schema import Turn
from ...turn.data_line import episode_line, memory_line
from ...turn.request import TurnRequest
from ...turn.tools import Tool
from .metrics import measure_call
from .outbox import Respond

logger = logging.getLogger(__name__)

Arguments = Mapping[str, JsonValue]
ToolService = Callable[[str, str], Awaitable[Any]]  # the client, by its pair of queues
TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """``explain_uri``: the last entity of the provenance trace that the tool sent itself.

    ``recalled``: the turn's memories with those that the tool found.  None: it found none.
    """

    text: str
    explain_uri: str = ""
    recalled: Recalled | None = None


class FlowToolbox:
    """Runs the tools of one dialogue.  Each tool type has one method.  The response of the service becomes the observation."""

    def __init__(self, processor: str, flow: Callable[[str], Any], *, tool_service: ToolService, respond: Respond) -> None:
        self._processor = processor
        self._flow = flow
        self._tool_service = tool_service
        self._respond = respond

    async def run(
        self, tool: Tool, arguments: Arguments, *, request: TurnRequest, number: int, recalled: Recalled | None = None
    ) -> ToolResult:
        """Run a tool.  Raises: whatever the service raises, which becomes the observation."""
        with measure_call(self._processor, tool.name):
            match tool.kind:
                case "memory":
                    return await self._use_memory(tool, arguments, request, recalled)
                case "knowledge-query":
                    return await self._query_knowledge(tool, arguments, agent_iteration_uri(request.session_id, number))
                case "text-completion":
                    result = await self._client("prompt-request").question(arguments.get("question"))
                    return ToolResult(text=str(result.text))
                case "mcp-tool":
                    output = await self._client("mcp-tool-request").invoke(
                        name=tool.settings["mcp-tool"], parameters=dict(arguments)
                    )
                    return ToolResult(text=_to_text(output))
                case "prompt":
                    result = await self._client("prompt-request").prompt(
                        id=tool.settings["template"], variables=dict(arguments)
                    )
                    found = (
                        result.text if result.text is not None else result.object if result.objects is None else result.objects
                    )
                    return ToolResult(text=_to_text(found))
                case "structured-query":
                    return await self._query_structured(tool, arguments)
                case "row-embeddings-query":
                    return await self._query_rows(tool, arguments)
                case "tool-service":
                    return await self._call_service(tool, arguments)

    def _client(self, name: str) -> Any:
        client = self._flow(name)
        if client is None:
            raise EngineUnavailable(f"this flow has no service {name.removesuffix('-request')!r}")
        return client

    async def _query_knowledge(self, tool: Tool, arguments: Arguments, parent_uri: str) -> ToolResult:
        last = ""

        async def explain(explain_id: str, explain_graph: str, explain_triples: Any = None) -> None:
            nonlocal last
            last = explain_id
            await self._respond(
                AgentResponse(
                    message_type="explain",
                    content="",
                    explain_id=explain_id,
                    explain_graph=explain_graph,
                    explain_triples=explain_triples or [],
                )
            )

        text = await self._client("graph-rag-request").rag(
            arguments.get("question"),
            collection=tool.settings.get("collection") or "default",
            explain_callback=explain,
            parent_uri=parent_uri,
        )
        return ToolResult(text=str(text), explain_uri=last)

    async def _query_structured(self, tool: Tool, arguments: Arguments) -> ToolResult:
        result = await self._client("structured-query-request").structured_query(
            question=arguments.get("question"), collection=tool.settings.get("collection") or "default"
        )
        if not isinstance(result, dict):
            return ToolResult(text=str(result))
        if result.get("error"):
            return ToolResult(text=f"Error: {result['error']['message']}")
        data = result.get("data")
        return ToolResult(text=json.dumps(data, indent=2) if data else "No data returned")

    async def _query_rows(self, tool: Tool, arguments: Arguments) -> ToolResult:
        vectors = await self._client("embeddings-request").embed([arguments.get("query")])
        matches = await self._client("row-embeddings-query-request").row_embeddings_query(
            vector=vectors[0] if vectors else [],
            schema_name=tool.settings["schema-name"],
            collection=tool.settings.get("collection") or "default",
            index_name=tool.settings.get("index-name"),
            limit=tool.settings["limit"],
        )
        if not matches:
            return ToolResult(text="No matching records found")
        lines = [f"- {m['index_name']}: {', '.join(m['index_value'])} (score: {m['score']:.3f})" for m in matches]
        return ToolResult(text="\n".join(["Matching records:", *lines]))

    async def _call_service(self, tool: Tool, arguments: Arguments) -> ToolResult:
        client = await self._tool_service(tool.settings["request-queue"], tool.settings["response-queue"])
        response = await client.request(
            ToolServiceRequest(
                config=json.dumps(tool.settings["config-values"]), arguments=json.dumps(dict(arguments), default=str)
            ),
            timeout=TIMEOUT_S,
        )
        if response.error:
            raise RuntimeError(str(response.error.message))  # as clients of TrustGraph's services: it may quote a person
        return ToolResult(text=_to_text(response.response))

    # -- memory tools.  The scope comes from the request, never from an argument that the model wrote.

    async def _use_memory(
        self, tool: Tool, arguments: Arguments, request: TurnRequest, recalled: Recalled | None
    ) -> ToolResult:
        if not request.memory:
            raise EngineUnavailable("memory is off for this request")
        text = str(next(iter(arguments.values()), "") or "").strip()
        if not text:
            return ToolResult(text=f"Error: {tool.name} needs the argument {tool.arguments[0].name!r}")
        where = (recalled.conversation_id if recalled else "") or request.recorded_conversation_id
        if tool.name == RETRIEVE_FACTS:
            return await self._retrieve_facts(text, request, recalled, where)
        if tool.name == RECALL_EPISODES:
            return ToolResult(text=await self._recall_episodes(text, request, where))
        return ToolResult(text=await self._store_fact(text, request, where))

    async def _retrieve_facts(self, query: str, request: TurnRequest, recalled: Recalled | None, where: str) -> ToolResult:
        """Facts that are not shown yet.  Their numbers follow those of the memories shown, so the answer can cite them."""
        shown = {fact.id for fact in recalled.citable} | recalled.thread.turn_ids if recalled else set()
        wanted = request.facts_request(query, exclude=shown, conversation_id=where)
        found = await self._client("fact-retrieval").call(replace(wanted, rules=0))
        facts = [fact for fact in found.facts if fact.id not in shown]
        if recalled is not None and facts:
            recalled = recalled.look_up(facts, request.read_ranking(found, query))
        numbers = recalled.numbers if recalled else {}
        zone = read_zone(request.timezone)
        lines = [
            (f"- Memory [{numbers[fact.id]}]: " if recalled else "- ") + memory_line(fact, zone=zone, numbers=numbers)
            for fact in facts
        ]
        return ToolResult(text="\n".join(lines) or "Nothing else about this is stored.", recalled=recalled)

    async def _recall_episodes(self, task: str, request: TurnRequest, where: str) -> str:
        """Similar tasks in full, also those of the prompt."""
        found = await self._client("episode-retrieval").call(request.episodes_request(task, conversation_id=where))
        return "\n".join(f"- {episode_line(episode)}" for episode in found.episodes) or "No similar task is stored."

    async def _store_fact(self, content: str, request: TurnRequest, where: str) -> str:
        scope = request.scope
        content = await _screen(content, request)
        if not content:
            raise BadRequest("the fact holds data that must not be stored: leave that out")
        asked = await _screen(request.question, request)
        said = Turn(speaker=request.speaker, text=asked, said_at=request.asked_at.isoformat())
        stored = await self._client("fact-storage").call(
            StoreFact(
                user=scope.user,
                collection=scope.collection,
                content=content,
                source=where,
                trust="assistant",
                metadata={"tool": "store-fact"},
                turns=[said],
                proof=request.speaker_proof,
            )
        )
        if stored.stats.get("status") == "quarantined":
            return "The fact is held back: the user did not say this. It is not used until it is confirmed."
        return "The fact is stored."


async def _screen(text: str, request: TurnRequest) -> str:
    """``text`` without personal data, if the turn redacts it.  Empty if it must not be stored.

    The service cannot do this: it knows the settings of the flow, not those of the turn.
    """
    settings = request.settings
    if settings.personal_data != "redact":
        return text
    return (await DataPolicy(personal_data="redact").screen_async(text)).text


def _to_text(value: Any) -> str:
    """The text of a tool's output.  The output may be JSON in a message, whose escapes the bus does not see."""
    return well_formed(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
