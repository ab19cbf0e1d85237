"""``Embedder`` over TrustGraph's embeddings service: adds prefixes, normalises vectors and caches them.

TrustGraph's request holds only texts, so the prefix of the model's profile is added here.
"""

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Literal

import numpy as np
from trustgraph.base import EmbeddingsClientSpec

from ..errors import BadRequest, ConfigurationError, EngineUnavailable, ModelUnavailable, RequestRefused
from ..memory.embedding import EmbeddingProfile, makes_vectors_of
from ..memory.json_object import read_json_object
from ..memory.ports import Matrix, Vector
from ..memory.sizes import split_by_size, wire_size
from ..telemetry.metrics import observe_embedding
from .client_specs import OptionalSpec

BATCH = 64
CACHED_TEXTS = 4096
TIMEOUT_S = 60.0
FIRST_WAIT_S = 4.0
MOST_CHARACTERS = 50_000  # maximum length of a text; models read less
PROBE = "Hello"
OVERLOADED = ("rate limit", "429", "too many requests", "503")  # in the error of a service that works again later
MOST_BATCH_BYTES = 1_000_000  # maximum JSON size of a request

FLOW = "flow"  # configuration type of the records of flows
MODEL_PARAMETER = "embeddings-model"

Flow = tuple[str, str]

logger = logging.getLogger(__name__)

_serving: ContextVar[Flow | None] = ContextVar("embedding flow", default=None)


class BusEmbedder:
    """One per process.  Texts of a flow are sent to the embeddings service of that flow (see ``serving``).

    Invariant: a service whose flow names another model than the profile's is not asked, so one memory never has vectors of
    two models.
    """

    def __init__(self, profile: EmbeddingProfile, *, timeout_s: float = TIMEOUT_S) -> None:
        self.profile = profile
        self._timeout_s = timeout_s
        self._clients: dict[Flow, list[Any]] = {}
        self._models: dict[str, dict[str, str]] = {}  # workspace -> flow -> model that its record names
        self._cache: OrderedDict[tuple[str | Flow, str], Vector] = OrderedDict()
        self._pending: dict[tuple[Flow | None, str], tuple[asyncio.Task[Matrix], int]] = {}

    def spec(self) -> OptionalSpec:
        """Attaches the embeddings client of each flow of a processor."""
        return OptionalSpec(EmbeddingsClientSpec("embeddings-request", "embeddings-response"), self._join)

    async def _join(self, flow: Any, client: Any) -> Callable[[], None]:
        return self.attach(flow.workspace, flow.name, client) if client is not None else lambda: None

    def attach(self, workspace: str, flow: str, client: Any) -> Callable[[], None]:
        """Add a client of a flow's embeddings service, until the result is called.

        Processors that share this embedder may each add one.
        """
        clients = self._clients.setdefault((workspace, flow), [])
        clients.append(client)

        def detach() -> None:
            clients.remove(client)
            if not clients:
                self._clients.pop((workspace, flow), None)

        return detach

    async def on_flow_records(self, workspace: str, config: Mapping[str, Any], version: int) -> None:
        """Read the models of flows.  Register it as a configuration handler for ``FLOW``."""
        named = {flow: embeddings_model(str(text)) for flow, text in config.get(FLOW, {}).items()}
        self._models[workspace] = {flow: model for flow, model in named.items() if model}
        for flow, model in self._models[workspace].items():
            if not makes_vectors_of(model, self.profile):
                logger.warning("flow %s of workspace %s: %s", flow, workspace, self._mismatch(model))

    def _mismatch(self, model: str) -> str:
        return (
            f"its embeddings service runs {model}, but memory has vectors of {self.profile.name}: its service is not asked; "
            "set REACT_MEM_EMBEDDING_PROFILE of all memory processors to the flow's model, which re-embeds the memories, or "
            "start the flow with the model of the memories"
        )

    def _may_ask(self, flow: Flow) -> bool:
        """Whether the flow's record names the model of the profile, or none."""
        model = self._models.get(flow[0], {}).get(flow[1], "")
        return not model or makes_vectors_of(model, self.profile)

    @contextlib.contextmanager
    def serving(self, workspace: str, flow: str) -> Iterator[None]:
        """Within this context, and in tasks started in it, use the embeddings service of this flow."""
        token = _serving.set((workspace, flow))
        try:
            yield
        finally:
            _serving.reset(token)

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        """Embed ``texts``.  Returns an (n, d) float32 matrix with rows of unit length.

        Texts that are being embedded for another caller are not requested twice.

        Raises:
            ModelUnavailable: the service does not answer, or no flow has one with the model of the profile.
            RequestRefused: the service works, but refuses one of these texts.
            ConfigurationError: the vectors do not have the dimension of the profile.
        """
        prefix = self.profile.query_prefix if role == "query" else self.profile.passage_prefix
        prefixed = [prefix + text[:MOST_CHARACTERS] for text in texts]
        flow = _serving.get()
        space = self._space(flow)
        found = {text: self._cache[space, text] for text in prefixed if (space, text) in self._cache}
        missing = dict.fromkeys(text for text in prefixed if text not in found)
        asked = [text for text in missing if (flow, text) not in self._pending]
        for batch in split_by_size(asked, wire_size, most=BATCH, most_size=MOST_BATCH_BYTES):
            self._start_request(flow, batch)
        coming = {text: self._pending[flow, text] for text in missing}
        # Shielded because other callers may wait for the same texts: cancelling one caller must not cancel the request.
        await asyncio.gather(*(asyncio.shield(task) for task in {task for task, _ in coming.values()}))
        found.update((text, task.result()[row]) for text, (task, row) in coming.items())
        for text in prefixed:
            self._remember(space, text, found[text])
        return np.stack([found[text] for text in prefixed]) if prefixed else np.zeros((0, self.profile.dimension), np.float32)

    def _start_request(self, flow: Flow | None, batch: list[str]) -> None:
        task = asyncio.create_task(self._ask(batch), name="embed texts")
        self._pending.update({(flow, text): (task, row) for row, text in enumerate(batch)})

        def ended(task: asyncio.Task[Matrix]) -> None:
            for text in batch:
                del self._pending[flow, text]
            if not task.cancelled():
                task.exception()  # mark as retrieved: the waiting callers raise it, but there may be none left

        task.add_done_callback(ended)

    def _space(self, flow: Flow | None) -> str | Flow:
        """What shares cached vectors: the flows that name a model; a flow that names none has its own, since it may differ."""
        if flow is None:
            return ""
        return self.profile.key if self._models.get(flow[0], {}).get(flow[1]) else flow

    def _remember(self, space: str | Flow, text: str, row: Vector) -> None:
        self._cache[space, text] = row
        self._cache.move_to_end((space, text))
        if len(self._cache) > CACHED_TEXTS:
            self._cache.popitem(last=False)

    async def _ask(self, texts: list[str]) -> Matrix:
        with observe_embedding(self.profile.name):
            try:
                rows = await self._request_vectors(texts)
            except EngineUnavailable as error:
                raise ModelUnavailable(f"the embeddings service: {error}") from None
            except RuntimeError as error:
                # The error of a reply does not say whether the service does not work now, or refuses one of the texts.
                overloaded = any(sign in str(error).lower() for sign in OVERLOADED)
                if overloaded or not await self._takes_any_text():
                    raise ModelUnavailable(f"the embeddings service refused {len(texts)} texts: {error}") from None
                # Without the service's words, which may quote the texts.
                raise RequestRefused(f"the embedding model refused {len(texts)} texts: too long, or not allowed") from None
            return self._unit_rows(rows, len(texts))

    def _unit_rows(self, rows: Any, count: int) -> Matrix:
        """Raises: ConfigurationError (the service runs another model), ModelUnavailable."""
        try:
            matrix = np.asarray(rows, dtype=np.float32)
        except ValueError:
            matrix = np.zeros((0, 0), np.float32)
        if matrix.shape != (count, self.profile.dimension):
            raise ConfigurationError(
                f"the embeddings service gave an array of shape {matrix.shape} for {count} texts, but the model "
                f"configured is {self.profile.name} ({self.profile.dimension} numbers): name the one that the service runs "
                "(REACT_MEM_EMBEDDING_PROFILE)"
            )
        if not np.isfinite(matrix).all():
            raise ModelUnavailable("the embeddings service gave numbers that are not finite")
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        unit: Matrix = np.where(norms > 0, matrix / np.maximum(norms, 1e-12), 0).astype(np.float32)
        return unit

    async def _takes_any_text(self) -> bool:
        """Whether the service embeds a harmless text."""
        try:
            await self._request_vectors([PROBE])
        except (EngineUnavailable, RuntimeError):
            return False
        return True

    async def _request_vectors(self, texts: list[str]) -> Any:
        """Retry with growing timeouts: a request or reply that is lost when the broker restarts causes no error."""
        loop = asyncio.get_running_loop()
        left_s, wait_s = self._timeout_s, FIRST_WAIT_S
        while True:
            wait_s = min(wait_s, left_s)
            left_s -= wait_s
            began = loop.time()
            try:
                return await self._embed(texts, wait_s)
            except EngineUnavailable:
                if left_s <= 0 or loop.time() - began < wait_s:  # out of time, or refused at once rather than timed out
                    raise
            wait_s *= 2

    async def _embed(self, texts: list[str], timeout_s: float) -> Any:
        client = self._client()
        try:
            return await client.embed(texts, timeout=timeout_s)
        except RuntimeError:
            # A single text is not embedded again later.  An error that does not repeat must not cost its vector.
            if len(texts) > 1:
                raise
        return await client.embed(texts, timeout=timeout_s)

    def _client(self) -> Any:
        serving = _serving.get()
        if serving is not None and serving in self._clients and self._may_ask(serving):
            return self._clients[serving][-1]
        # Housekeeping belongs to no flow, and a flow may have no embeddings topics, or a service with another model.  Then any
        # flow of the workspace with the model of the memories serves.
        same_workspace = [key for key in self._clients if serving is None or key[0] == serving[0]]
        usable = next((key for key in same_workspace if self._may_ask(key)), None)
        if usable is not None:
            return self._clients[usable][-1]
        if same_workspace:
            workspace, flow = same_workspace[0]
            raise ModelUnavailable(f"flow {flow}: {self._mismatch(self._models[workspace][flow])}")
        raise ModelUnavailable("no flow offers an embeddings service yet: start one, or name its topics in the flow")


def embeddings_model(record: str) -> str:
    """The embedding model that the record of a flow (JSON) names, by TrustGraph's id; "" if it names none."""
    try:
        parameters = read_json_object(record, "the record of a flow").get("parameters")
    except BadRequest:
        return ""  # TrustGraph does not start such a flow
    model = parameters.get(MODEL_PARAMETER) if isinstance(parameters, dict) else None
    return model if isinstance(model, str) else ""
