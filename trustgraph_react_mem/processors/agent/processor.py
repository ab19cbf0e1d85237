"""The agent with memory: TrustGraph's agent service, with recall before the loop and a record job after it."""

import asyncio
import contextlib
import logging
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from opentelemetry.trace import get_current_span
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
from trustgraph.schema import ToolServiceRequest, ToolServiceResponse, Triples

from ...bootstrap import MemoryServices, job_publisher, open_graph_stores
from ...bus.client_specs import (
    ConversationMemoryClientSpec,
    EpisodeRetrievalClientSpec,
    EpisodeStorageClientSpec,
    FactRetrievalClientSpec,
    FactStorageClientSpec,
    OptionalLibrarianSpec,
    OptionalProducerSpec,
    OptionalSpec,
)
from ...bus.embedder import FLOW, BusEmbedder
from ...bus.processor_mixin import DirectBus, set_default
from ...bus.rpc import Requests, check_awaited
from ...bus.trustgraph_adapter import prompt_timeout
from ...errors import BadRequest, ConfigurationError, EngineUnavailable, MemoryServiceError, ModelUnavailable
from ...failure_log import log_failure
from ...flow_settings import TYPE, FlowSettings, add_settings_args, explicit_fields, pop_base_settings
from ...memory.clock import SystemClock
from ...memory.ports import Clock, JobPublisher
from ...memory.scope_names import ScopeNames
from ...schema import AgentRequest
from ...schema.topics import AGENT
from ...settings import parse_agent_mem
from ...store_settings import add_store_args, store_settings
from ...stores.opening import GraphStores
from ...telemetry.tracing import agent_span, error_type, fail
from ...turn.machine import TurnState
from ...turn.tools import ToolSet, load_tools
from . import metrics
from .memory import AgentMemory, LazyPublisher
from .messages import StockMessages, error_message
from .model import PromptModel
from .outbox import Outbox, Respond
from .patterns import NOTICE, UNSUPERVISED, PatternTurns
from .request import PATTERNS, invocation_of, is_completion, needs_orchestrator, normalize, report_completion, validate
from .runner import ReactMemAgentManager
from .tools import FlowToolbox

logger = logging.getLogger(__name__)

default_ident = "agent-manager-react-mem"
PROMPT_TIMEOUT_S = 300
EXPLAIN_S = 2.0
CUT_SHORT = "the agent is stopping and could not finish this turn in time: ask again"

Next = Callable[[AgentRequest], Awaitable[None]]


class ReactMemService(DirectBus, AgentService):
    """Agent service that a flow uses in place of its stock agent.  Source: agentic memory specification, ReactMemService."""

    specifications: list[Any]

    def __init__(self, **params: Any) -> None:
        base = pop_base_settings(params)
        if (iterations := params.get("max_iterations")) is not None:
            base |= explicit_fields(parse_agent_mem({"max-iterations": int(iterations)}, "--max-iterations"))
        self.settings = FlowSettings(base)
        self._agent_memory: AgentMemory | None = params.pop("agent_memory", None)
        super().__init__(**params)
        self.prompt_timeout = prompt_timeout(self, params)
        self._store_settings = store_settings(params)
        self._graph: GraphStores | None = None
        self._publisher: JobPublisher | None = None
        self._opening_graph = asyncio.Lock()
        self._names: ScopeNames | None = self.memory.names if self.memory else None
        self.clock: Clock = SystemClock()
        self._tools: dict[str, ToolSet] = {}
        self._raw_tools: dict[str, dict[str, Mapping[str, str]]] = {}  # workspace -> type -> key -> JSON text
        self._background: set[asyncio.Task[None]] = set()
        self._tool_services: dict[tuple[str, str], Requests] = {}  # clients by their pair of queues
        self._opening_tool_service = asyncio.Lock()
        self._patterns = PatternTurns.load(self, int(str(base.get("max_iterations", 10))))
        # One handler per type, because a notification holds the changed types only.  The start calls them in this order: a tool
        # whose service is not known yet would be reported.
        for kind in ("tool-service", "tool"):
            self.register_config_handler(partial(self.load_tools, kind), types=[kind])
        self.register_config_handler(self.settings.on_config, types=[TYPE])
        for spec in self.specifications:
            # Our request class has more fields, and stock messages decode into it.
            if isinstance(spec, ConsumerSpec) and spec.name == "request":
                spec.schema = AgentRequest
        self.specifications = [spec for spec in self.specifications if getattr(spec, "name", "") != "next"]
        self._register_specs()

    def _register_specs(self) -> None:
        stock = (
            (TextCompletionClientSpec, "text-completion"),
            (GraphRagClientSpec, "graph-rag"),
            (PromptClientSpec, "prompt"),
            (PromptClientSpec, "memory-prompt"),
            (ToolClientSpec, "mcp-tool"),
            (StructuredQueryClientSpec, "structured-query"),
            (RowEmbeddingsQueryClientSpec, "row-embeddings-query"),
        )
        for spec in (
            OptionalProducerSpec("next", AgentRequest),
            OptionalProducerSpec("explainability", Triples),
            OptionalLibrarianSpec(),
            *(OptionalSpec(kind(f"{name}-request", f"{name}-response")) for kind, name in stock),
            FactRetrievalClientSpec(),
            FactStorageClientSpec(),
            EpisodeRetrievalClientSpec(),
            EpisodeStorageClientSpec(),
            ConversationMemoryClientSpec(),
        ):
            self.register_specification(spec)

    # -- life

    async def start(self) -> None:
        self._open_memory()
        await super().start()

    async def drain(self, timeout_s: float) -> int:
        late = await super().drain(timeout_s)
        if self._background:  # explanations of turns that have ended
            await asyncio.wait(self._background, timeout=EXPLAIN_S)
        return late

    async def stop(self) -> None:
        for flow in self.flows.values():
            if flow.librarian is not None:  # it would report the closed connection as an error
                await flow.librarian.stop()
        await super().stop()
        for client in self._tool_services.values():
            await client.close()
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        if self._graph is not None:
            await self._graph.close()

    def _open_memory(self) -> None:
        """Use the stores of this process if there are any.  Else only the key ring is opened, at the first record job."""
        if self._agent_memory is not None:
            return
        services: MemoryServices | None = self.memory
        embedder = services.embedder if services else BusEmbedder(self._store_settings.profile)
        publisher: JobPublisher = services.publisher if services else LazyPublisher(self._open_publisher)
        shared = services is not None
        self._agent_memory = AgentMemory(embedder=embedder, publisher=publisher, clock=self.clock, shared=shared)
        self.register_specification(embedder.spec())
        self.register_config_handler(embedder.on_flow_records, types=[FLOW])

    async def _open_publisher(self) -> JobPublisher:
        graph = await self._open_graph()
        self._publisher = self._publisher or job_publisher(self.async_backend, graph.keyring, self.id)
        return self._publisher

    async def _open_graph(self) -> GraphStores:
        async with self._opening_graph:
            if self._graph is None:
                self._graph = await open_graph_stores(self._store_settings, self.clock)
            return self._graph

    async def _with_known_names(self, message: AgentRequest, workspace: str) -> AgentRequest:
        """The request with user and collection as they are stored.  Raises: as ``ScopeNames.find``."""
        user, collection = message.user or "", message.collection or "default"
        if not (isinstance(user, str) and isinstance(collection, str)) or (user.isascii() and collection.isascii()):
            return message  # what is no text is refused by ``validate``
        self._names = self._names or ScopeNames((await self._open_graph()).scopes)
        scope = await self._names.find(workspace, user, collection)
        names: dict[str, Any] = {"user": scope.user, "collection": scope.collection}
        return replace(message, **names)

    async def _tool_service(self, request_queue: str, response_queue: str) -> Requests:
        async with self._opening_tool_service:
            if (request_queue, response_queue) not in self._tool_services:
                self._tool_services[request_queue, response_queue] = await Requests.create(
                    backend=self.async_backend,
                    processor_id=self.id,
                    target_service="tool-service",
                    request_topic=request_queue,
                    response_topic=response_queue,
                    request_schema=ToolServiceRequest,
                    response_schema=ToolServiceResponse,
                )
            return self._tool_services[request_queue, response_queue]

    def _run_later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    # -- configuration

    async def load_tools(self, kind: str, workspace: str, config: Mapping[str, Mapping[str, str]], version: int) -> None:
        """Load the tools of a workspace again, after its tools or its tool services have changed."""
        raw = self._raw_tools.setdefault(workspace, {"tool": {}, "tool-service": {}})
        raw[kind] = config.get(kind, {})
        tools = self._tools[workspace] = load_tools(raw["tool"], raw["tool-service"])
        for warning in tools.warnings:
            logger.warning("loading a tool of workspace %s failed: %s", workspace, warning)
        logger.info("workspace %s: %d tools loaded", workspace, len(tools.tools))
        if self._patterns is not None:
            sound = {key: text for key, text in raw["tool"].items() if key in {tool.key for tool in tools.tools}}
            await self._patterns.configure(workspace, sound, dict(raw["tool-service"]))

    async def on_workspace_deleted(self, workspace: str) -> None:
        self.settings.drop(workspace)
        self._tools.pop(workspace, None)
        self._raw_tools.pop(workspace, None)

    # -- requests

    async def on_request(self, message: Any, consumer: Any, flow: Any) -> None:
        try:
            check_awaited(message.properties())
        except EngineUnavailable as error:
            metrics.count_end(self.id, "error")
            refusal = error_message(str(error), error.wire_type)
            await flow("response").send(refusal, properties={"id": message.properties().get("id", "")})
            return
        with contextlib.suppress(BadRequest):  # the stock method reports it
            request = message.value()
            request.invocation_id = invocation_of(request, message.properties().get("id", ""))
        await super().on_request(message, consumer, flow)

    async def agent_request(self, request: AgentRequest, respond: Respond, next: Next, flow: Any) -> None:
        """Answer a request.  Never raises: every error becomes an error message of the dialogue."""
        outbox = Outbox(respond)
        in_flight = metrics.IN_FLIGHT.labels(self.id)
        with in_flight.track_inprogress(), agent_span(AGENT, flow.workspace, str(request.conversation_id or "")) as span:
            try:
                await self._answer(request, outbox, next, flow)
                await outbox.drain()
            except asyncio.CancelledError:
                metrics.count_end(self.id, "error")
                await outbox.respond(error_message(CUT_SHORT, "engine-unavailable"))
                raise
            except MemoryServiceError as error:
                fail(span, error.wire_type)
                metrics.count_end(self.id, "error")
                await outbox.respond(error_message(str(error), error.wire_type))
            except Exception as error:
                # Broad because the client must learn that its dialogue is over.
                log_failure(logger, "an agent request failed in flow %s of %s", flow.name, flow.workspace)
                fail(span, error_type(error))
                metrics.count_end(self.id, "error")
                await outbox.respond(error_message(f"The agent failed: {type(error).__name__}", MemoryServiceError.wire_type))

    async def _answer(self, message: AgentRequest, outbox: Outbox, forward: Next, flow: Any) -> None:
        self._check_pattern(message, flow)
        message = normalize(await self._with_known_names(message, flow.workspace))
        request = validate(
            message,
            self.settings.for_flow(flow.workspace, flow.name),
            self._tools.get(flow.workspace, ToolSet()),
            workspace=flow.workspace,
            flow=flow.name,
            now=self.clock.now(),
        )
        memory = self._agent_memory if request.memory else None
        notice = ""
        if needs_orchestrator(message):
            if self._patterns is not None and self._runs_patterns(flow):
                await self._patterns.run(message, request, memory, outbox.respond, forward, flow)
                return
            if is_completion(message):  # answered as a question, it would report to this agent again, without end
                raise BadRequest(UNSUPERVISED)
            notice = NOTICE.format(pattern=message.pattern)

        async def complete(answer: str) -> None:
            await forward(report_completion(message, request.session_id, answer))

        report = complete if request.subagent else None
        model = PromptModel(flow("prompt-request"), timeout_s=float(self.prompt_timeout))
        listener = StockMessages(request, outbox, flow, background=self._run_later, complete=report, notice=notice)
        manager = ReactMemAgentManager(
            request,
            model=model,
            toolbox=FlowToolbox(self.id, flow, tool_service=self._tool_service, respond=outbox.respond),
            listener=listener,
            recall=partial(memory.recall, flow=flow) if memory else None,
            publish=memory.publish if memory else None,
        )
        self._count_end(await manager.run())

    def _runs_patterns(self, flow: Any) -> bool:
        return self._patterns is not None and flow("next") is not None

    def _check_pattern(self, message: AgentRequest, flow: Any) -> None:
        """Refuse an empty request for a pattern that cannot run here, which is how `doctor` finds out.

        Raises: ConfigurationError.
        """
        if message.question == "" and message.pattern in PATTERNS and not self._runs_patterns(flow):
            raise ConfigurationError(NOTICE.format(pattern=message.pattern))

    def _count_end(self, turn: TurnState) -> None:
        outcome = "max-iterations" if turn.reason == "max-iterations" else "completed"
        if turn.phase == "failed":
            outcome = "error"
            fail(get_current_span(), ModelUnavailable.wire_type)
        metrics.count_end(self.id, outcome, iterations=turn.number, timings_ms=turn.timings_ms)
        metrics.count_rule_changes(self.id, turn.rules)

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        AgentService.add_args(parser)
        DirectBus.add_args(parser)
        set_default(parser, "--prompt-timeout", PROMPT_TIMEOUT_S, "Seconds to wait for the prompt service")
        add_store_args(parser)
        add_settings_args(parser)
        parser.add_argument(
            "--max-iterations",
            type=int,
            default=None,
            help="Maximum steps of a request (default: 10, or the agent-mem setting)",
        )


Processor = ReactMemService


def run() -> None:
    ReactMemService.launch(default_ident, __doc__)
