"""The agent that remembers: TrustGraph's agent service with recall before the loop and a record job after it."""

import asyncio
import logging
import time
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from datetime import timedelta
from typing import Any

from trustgraph.base import (
    AgentService,
    ConsumerSpec,
    GraphRagClientSpec,
    PromptClientSpec,
    RowEmbeddingsQueryClientSpec,
    StructuredQueryClientSpec,
    TextCompletionClientSpec,
    ToolClientSpec,
)
from trustgraph.provenance import agent_iteration_uri
from trustgraph.schema import AgentResponse, Triples

from ...bootstrap import MemoryServices, job_publisher, open_graph_stores
from ...bus.client_specs import (
    ConversationMemoryClientSpec,
    EpisodeRetrievalClientSpec,
    EpisodeStorageClientSpec,
    FactRetrievalClientSpec,
    FactStorageClientSpec,
    MemoryJobsClientSpec,
    OptionalLibrarianSpec,
    OptionalProducerSpec,
    optional,
)
from ...bus.embedder import BusEmbedder, EmbedderSpec
from ...bus.processor_mixin import DirectBus
from ...bus.rpc import Requests
from ...errors import MemoryServiceError
from ...memory.clock import SystemClock
from ...memory.ports import Clock, JobPublisher
from ...memory.scope import Scope
from ...memory.timefmt import format_time
from ...rerank import Citations
from ...schema import AgentRequest
from ...settings import AgentMemSettings, parse_agent_mem
from ...stores.opening import GraphStores
from ...turn.configuration import WorkspaceConfiguration
from ...turn.ports import Recall, TurnOutcome, TurnRequest
from ...turn.record import TurnRecord
from ...turn.runner import ReactMemAgentManager
from ..flow_settings import add_settings_args, given, take_base_settings
from ..store_arguments import add_store_args, store_settings
from . import metrics
from .memory import AgentMemory, LazyPublisher
from .messages import StockMessages, error_messages
from .model import PromptModel
from .outbox import Outbox
from .patterns import CITE, MOST_SHOWN, RecallCache, completion, copied, framed, is_ours, load_orchestrator, recording
from .request import CheckedRequest, checked, filled
from .tools import FlowToolbox, ToolServices

logger = logging.getLogger(__name__)

default_ident = "agent-manager-react-mem"
default_prompt_timeout_s = 300
PATTERN_NOTICE = "The pattern {pattern!r} needs trustgraph-flow, which is not installed here: I work step by step instead."

Respond = Callable[[AgentResponse], Awaitable[None]]
Next = Callable[[AgentRequest], Awaitable[None]]


class ReactMemService(DirectBus, AgentService):
    """Source: agentic memory specification, ReactMemService.  A flow selects it in place of its stock agent."""

    specifications: list[Any]

    def __init__(self, **params: Any) -> None:
        self._base = take_base_settings(params)
        iterations = params.get("max_iterations")
        self._agent_memory: AgentMemory | None = params.pop("agent_memory", None)
        super().__init__(**params)
        self._store_settings = store_settings(params)
        self._graph: GraphStores | None = None
        self.clock: Clock = SystemClock()
        if iterations is not None:
            self._base |= given(parse_agent_mem({"max-iterations": int(iterations)}, "--max-iterations"))
        self._configurations: dict[str, WorkspaceConfiguration] = {}
        self._raw: dict[str, dict[str, Mapping[str, str]]] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._tool_services = ToolServices(self._tool_service_client)
        self._recalls = RecallCache()
        self._orchestrator = load_orchestrator(self, int(str(self._base.get("max_iterations", 10))))
        # Separately: a change is told for the changed types only, and each handler gets only its own.
        self.register_config_handler(self.on_tools, types=["tool"])
        self.register_config_handler(self.on_tool_services, types=["tool-service"])
        self.register_config_handler(self.on_agent_mem, types=["agent-mem"])
        for spec in self.specifications:
            # Our request has more fields; a stock message decodes into it.
            if isinstance(spec, ConsumerSpec) and spec.name == "request":
                spec.schema = AgentRequest
        self.specifications = [spec for spec in self.specifications if getattr(spec, "name", "") != "next"]
        self._register_specs()

    def _register_specs(self) -> None:
        self.register_specification(OptionalProducerSpec("next", AgentRequest))
        self.register_specification(OptionalProducerSpec("explainability", Triples))
        self.register_specification(OptionalLibrarianSpec())
        for kind, name in (
            (TextCompletionClientSpec, "text-completion"),
            (GraphRagClientSpec, "graph-rag"),
            (PromptClientSpec, "prompt"),
            (PromptClientSpec, "memory-prompt"),
            (ToolClientSpec, "mcp-tool"),
            (StructuredQueryClientSpec, "structured-query"),
            (RowEmbeddingsQueryClientSpec, "row-embeddings-query"),
        ):
            self.register_specification(optional(kind(f"{name}-request", f"{name}-response")))
        for memory_spec in (
            FactRetrievalClientSpec(),
            FactStorageClientSpec(),
            EpisodeRetrievalClientSpec(),
            EpisodeStorageClientSpec(),
            ConversationMemoryClientSpec(),
            MemoryJobsClientSpec(),
        ):
            self.register_specification(memory_spec)

    # -- life

    async def start(self) -> None:
        self._open_memory()
        await super().start()

    async def stop(self) -> None:
        for flow in self.flows.values():
            if flow.librarian is not None:  # else it takes the connection's end for a fault
                await flow.librarian.stop()
        await super().stop()
        await self._tool_services.close()
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        if self._graph is not None:
            await self._graph.close()

    def _open_memory(self) -> None:
        """With the stores of this process where it has them; else only the key ring is opened, when it is first needed."""
        if self._agent_memory is not None:
            return
        services: MemoryServices | None = self.memory
        embedder = services.embedder if services else BusEmbedder(self._store_settings.profile)
        publisher: JobPublisher = services.publisher if services else LazyPublisher(self._open_publisher)
        self._agent_memory = AgentMemory(embedder=embedder, publisher=publisher, clock=self.clock, shared=services is not None)
        self.register_specification(EmbedderSpec(embedder))

    async def _open_publisher(self) -> JobPublisher:
        self._graph = await open_graph_stores(self._store_settings, self.clock)
        return job_publisher(self.async_backend, self._graph.keyring, self.id)

    async def _tool_service_client(self, **topics: Any) -> Any:
        return await Requests.create(backend=self.async_backend, processor_id=self.id, target_service="tool-service", **topics)

    async def background_done(self) -> None:
        """When the texts given to the librarian so far have been saved, or not."""
        await asyncio.gather(*self._background, return_exceptions=True)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    # -- configuration

    async def on_tools(self, workspace: str, config: Mapping[str, Mapping[str, str]], version: int) -> None:
        self._configuration(workspace).set_tools(config.get("tool", {}))
        await self._tell_orchestrator(workspace, "tool", config.get("tool", {}))

    async def on_tool_services(self, workspace: str, config: Mapping[str, Mapping[str, str]], version: int) -> None:
        self._configuration(workspace).set_services(config.get("tool-service", {}))
        await self._tell_orchestrator(workspace, "tool-service", config.get("tool-service", {}))

    async def on_agent_mem(self, workspace: str, config: Mapping[str, Mapping[str, str]], version: int) -> None:
        self._configuration(workspace).set_agent_mem(config.get("agent-mem", {}))

    async def on_workspace_deleted(self, workspace: str) -> None:
        self._configurations.pop(workspace, None)
        self._raw.pop(workspace, None)

    def _configuration(self, workspace: str) -> WorkspaceConfiguration:
        """A workspace that configured nothing has an agent too."""
        if workspace not in self._configurations:
            self._configurations[workspace] = WorkspaceConfiguration(workspace, self._base)
        return self._configurations[workspace]

    async def _tell_orchestrator(self, workspace: str, kind: str, values: Mapping[str, str]) -> None:
        if self._orchestrator is None:
            return
        raw = self._raw.setdefault(workspace, {"tool": {}, "tool-service": {}})
        raw[kind] = values
        accepted = self._configuration(workspace).tools.keys
        tools = {key: text for key, text in raw["tool"].items() if key in accepted}
        await self._orchestrator.configure(workspace, tools, dict(raw["tool-service"]))

    # -- requests

    async def agent_request(self, request: AgentRequest, respond: Respond, next: Next, flow: Any) -> None:
        """Never raises: every fault becomes an error message of the dialogue."""
        started = time.monotonic()
        outbox = Outbox(respond)
        with metrics.in_flight(self.id):
            try:
                await self._request(request, outbox, next, flow)
                await outbox.drain()
            except MemoryServiceError as error:
                metrics.ended(self.id, "error")
                await self._send_error(outbox, str(error), error.wire_type)
            except Exception as error:
                # The last resort: the client must hear that its dialogue is over.
                logger.exception("a request failed", extra={"workspace": flow.workspace, "flow": flow.name})
                metrics.ended(self.id, "error")
                await self._send_error(outbox, f"The agent failed: {type(error).__name__}", "agent-error")
        logger.debug("request done", extra={"seconds": round(time.monotonic() - started, 3)})

    async def _send_error(self, outbox: Outbox, message: str, kind: str) -> None:
        for response in error_messages(message, kind):
            await outbox.respond(response)

    async def _request(self, request: AgentRequest, outbox: Outbox, forward: Next, flow: Any) -> None:
        configuration = self._configuration(flow.workspace)
        settings = configuration.settings(flow.name)
        request = filled(request)
        asked = checked(request, workspace=flow.workspace, settings=settings, now=self.clock.now())
        if not is_ours(request):
            if self._orchestrator is not None and flow("next") is not None:
                await self._patterned(request, asked, settings, outbox.respond, forward, flow)
                return
            await outbox.respond(
                AgentResponse(
                    message_type="thought", content=PATTERN_NOTICE.format(pattern=request.pattern), end_of_message=True
                )
            )
        await self._react(request, asked, settings, outbox, forward, flow)

    async def _react(
        self,
        request: AgentRequest,
        asked: CheckedRequest,
        settings: AgentMemSettings,
        outbox: Outbox,
        forward: Next,
        flow: Any,
    ) -> None:
        read, write = await self._allowed(asked, settings, flow, subagent=bool(request.correlation_id))

        async def complete(answer: str) -> None:
            await forward(completion(request, asked.session_id, answer))

        listener = StockMessages(
            respond=outbox.respond,
            post=outbox.post,
            flow=flow,
            librarian=flow.librarian,
            background=self._later,
            session_id=asked.session_id,
            question=asked.question,
            collection=asked.scope.collection,
            streaming=request.streaming,
            parent_session_id=request.parent_session_id,
            pattern=request.pattern if request.correlation_id else "",
            task_type=request.task_type,
            complete=complete if request.correlation_id else None,
        )
        toolbox = FlowToolbox(
            flow,
            services=self._tool_services,
            scope=asked.scope if asked.memory else None,
            settings=settings,
            conversation_id=asked.conversation_id,
            iteration_uri=lambda number: agent_iteration_uri(asked.session_id, number),
            respond=outbox.respond,
        )
        memory = self._agent_memory
        manager = ReactMemAgentManager(
            TurnRequest(
                question=asked.question,
                session_id=asked.session_id,
                invocation_id=asked.invocation_id,
                conversation_id=asked.conversation_id,
                asked_at=asked.asked_at,
                settings=settings,
                tools=self._configuration(flow.workspace).tools,
                memory=asked.memory,
                record=write,
                streaming=request.streaming,
                groups=asked.groups,
                state=request.state,
                framing=request.framing,
                speaker=asked.speaker,
                flow=flow.name,
                end_of_conversation=asked.end_of_conversation,
                history=asked.history,
            ),
            model=PromptModel(flow("prompt-request"), timeout_s=float(self.prompt_timeout)),
            toolbox=metrics.MeasuredToolbox(toolbox, self.id),
            listener=listener,
            recall=self._recall(memory, request, asked, settings, flow) if memory and read else None,
            publish=memory.publish(asked.scope) if memory and write else None,
        )
        self._measure(await manager.run())

    def _recall(
        self, memory: AgentMemory, request: AgentRequest, asked: CheckedRequest, settings: AgentMemSettings, flow: Any
    ) -> Recall:
        return memory.recall(
            flow,
            asked.scope,
            question=asked.question,
            conversation_id=request.conversation_id,  # one without a name has no history to fetch
            asked_at=asked.asked_at,
            speaker=asked.speaker,
            settings=settings,
            options=asked.options,
        )

    async def _allowed(
        self, asked: CheckedRequest, settings: AgentMemSettings, flow: Any, *, subagent: bool
    ) -> tuple[bool, bool]:
        """Whether memory is read and whether the turn is remembered."""
        if not asked.memory or self._agent_memory is None:
            return False, False
        switches = await self._agent_memory.switches(flow, asked.scope, asked.conversation_id)
        return switches.read, switches.write and asked.store and settings.enable_recording and not subagent

    def _measure(self, outcome: TurnOutcome) -> None:
        ended = {None: "error", "max-iterations": "max-iterations"}.get(outcome.reason, "completed")
        metrics.ended(self.id, ended, iterations=outcome.iterations, timings_ms=outcome.timings_ms)

    # -- the orchestrator's patterns

    async def _patterned(
        self,
        request: AgentRequest,
        asked: CheckedRequest,
        settings: AgentMemSettings,
        respond: Respond,
        forward: Next,
        flow: Any,
    ) -> None:
        """Memory as framing on the first message, and a record before the dialogue is closed."""
        assert self._orchestrator is not None
        memory = self._agent_memory
        read, write = await self._allowed(asked, settings, flow, subagent=False)
        started_s = time.monotonic()
        request = copied(request)
        bare = request.framing
        if memory is not None and read and not request.history and not request.correlation_id:
            found = await self._recall(memory, request, asked, settings, flow)()
            # The orchestrator passes both on, so they name the dialogue in all its messages.
            request.session_id, request.asked_at = asked.session_id, format_time(asked.asked_at)
            self._recalls.keep(_dialogue(request, asked.scope), found)
            bare, request.framing = framed(bare, found, cite=False), framed(bare, found, cite=True)
        dialogue = _dialogue(request, asked.scope)
        recalled = self._recalls.get(dialogue)

        async def onward(following: AgentRequest) -> None:
            if following.correlation_id and not request.correlation_id:  # a sub-agent, sent off
                following.framing = bare
            await forward(following)

        def record(answer: str, citations: Citations | None) -> TurnRecord:
            self._recalls.drop(dialogue)
            return TurnRecord(
                conversation_id=asked.conversation_id,
                invocation_id=asked.invocation_id,
                question=asked.question,
                answer=answer,
                speaker=asked.speaker,
                asked_at=asked.asked_at,
                answered_at=asked.asked_at + timedelta(seconds=time.monotonic() - started_s),
                steps=asked.history,
                succeeded=True,
                flow=flow.name,
                settings=settings,
                end_of_conversation=asked.end_of_conversation,
                recalled=recalled,
                citations=citations if recalled else None,
            )

        # Another process may have asked for citations: they are not for the user all the same.
        shown = len(recalled.facts) if recalled else MOST_SHOWN if CITE in request.framing else 0
        publish = memory.publish(asked.scope) if memory is not None and write else None
        await self._orchestrator.handle(request, recording(respond, record, publish, shown=shown), onward, flow)

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        AgentService.add_args(parser)
        DirectBus.add_args(parser)
        add_store_args(parser)
        add_settings_args(parser)
        parser.set_defaults(prompt_timeout=default_prompt_timeout_s)
        parser.add_argument(
            "--max-iterations", type=int, default=None, help="Most steps of a request (default: 10, or the agent-mem setting)"
        )


Processor = ReactMemService


def _dialogue(request: AgentRequest, scope: Scope) -> tuple[str, str, str]:
    return scope.key, request.session_id, request.asked_at


def run() -> None:
    ReactMemService.launch(default_ident, __doc__)
