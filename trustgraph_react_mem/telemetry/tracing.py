"""Spans.  Without an SDK, OpenTelemetry makes none.

An error is recorded by its type only: the text of an exception may hold what a user said.

Names are those of OpenTelemetry's semantic conventions (open-telemetry/semantic-conventions v1.42 and
semantic-conventions-genai, 22 November 2026).  Its Python package has none for memory and comes with the SDK alone, so they are
written here.  Names that begin with ``tg.`` are our own.
"""

import functools
import hashlib
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, ParamSpec, TypeVar

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, StatusCode

from .propagation import links_to

Attributes = Mapping[str, str | int]
P = ParamSpec("P")
R = TypeVar("R")
Method = Callable[P, Coroutine[Any, Any, R]]

SCOPE_NAME = "trustgraph_react_mem"

SEARCH, UPSERT, UPDATE, DELETE = "search_memory", "upsert_memory", "update_memory", "delete_memory"
MEMORY_OPERATIONS: Mapping[str, str] = {
    **dict.fromkeys(("retrieve", "get", "list", "current"), SEARCH),
    **dict.fromkeys(("store", "import"), UPSERT),
    **dict.fromkeys(("update", "undo", "rollback"), UPDATE),
    **dict.fromkeys(("forget", "forget-scope"), DELETE),
}
"""Our operation -> ``gen_ai.operation.name``.  Other operations keep their name."""
_PROVIDER = {"gen_ai.provider.name": "trustgraph"}  # models are called through TrustGraph's services

_tracer = trace.get_tracer(SCOPE_NAME)


def is_active() -> bool:
    """Whether an SDK is configured, so that spans are made."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


@contextmanager
def span(name: str, attributes: Attributes, *, kind: SpanKind = SpanKind.INTERNAL, **options: Any) -> Iterator[Span]:
    """A span around a block.  An exception sets ``error.type``.  Never around a ``yield``: it would become its caller's span.

    ``options``: as ``start_as_current_span`` of OpenTelemetry takes them.
    """
    options |= {"record_exception": False, "set_status_on_exception": False}
    with _tracer.start_as_current_span(name, kind=kind, attributes=dict(attributes), **options) as started:
        try:
            yield started
        except BaseException as error:
            fail(started, error_type(error))
            raise


def fail(span: Span, wire_type: str) -> None:
    """Mark a span as failed."""
    span.set_attribute("error.type", wire_type)
    span.set_status(StatusCode.ERROR)


def error_type(error: BaseException) -> str:
    """The type of our errors on the wire, or the name of the exception's class."""
    return str(getattr(error, "wire_type", "") or type(error).__name__)


@functools.lru_cache(maxsize=4096)
def pseudonym(*parts: str) -> str:
    """A short stable id in place of names that must not leave the process."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


# ------------------------------------------------------------------------------------------------------ kinds of spans


def memory_call(service: str, workspace: str, record: Any, *, kind: SpanKind) -> AbstractContextManager[Span]:
    """A span around a memory operation.  ``record``: its request, typed or on the wire."""
    operation = str(record.operation)
    name = MEMORY_OPERATIONS.get(operation, operation)
    store = pseudonym(workspace, str(record.collection))
    own: dict[str, str | int] = {"tg.memory.service": service, "gen_ai.memory.store.id": store, **_PROVIDER}
    if record_id := getattr(record, "id", ""):
        own["gen_ai.memory.record.id"] = str(record_id)
    attempted = getattr(record, "ids", None) or getattr(record, "turns", None)
    if name in (UPSERT, UPDATE, DELETE) and (record_id or attempted or name == UPSERT):
        own["gen_ai.memory.record.count"] = len(attempted) if attempted else 1
    return _genai(name, "", own, kind)


def count_records(span: Span, operation: str, response: Any) -> None:
    """Set the number of records that a search returned."""
    if span.is_recording() and MEMORY_OPERATIONS.get(operation) == SEARCH:
        found = [getattr(response, kind, None) or () for kind in ("facts", "rules", "episodes", "conversations")]
        one = getattr(response, "conversation", None) is not None
        span.set_attribute("gen_ai.memory.record.count", sum(map(len, found)) + one)


def _genai(
    operation: str, subject: str, attributes: Attributes, kind: SpanKind = SpanKind.INTERNAL
) -> AbstractContextManager[Span]:
    return span(f"{operation} {subject}".strip(), {"gen_ai.operation.name": operation, **attributes}, kind=kind)


def agent_span(agent: str, workspace: str, conversation_id: str) -> AbstractContextManager[Span]:
    """A span around a turn of the agent.  The client chose the conversation's id, so it is hashed."""
    conversation = {"gen_ai.conversation.id": pseudonym(workspace, conversation_id)} if conversation_id else {}
    return span(f"invoke_agent {agent}", {**_agent(agent), **conversation}, kind=SpanKind.SERVER)


def agent_call(agent: str) -> Span:
    """A span of a question to the agent, at its caller.  It is not current, and the caller ends it."""
    return _tracer.start_span(f"invoke_agent {agent}", kind=SpanKind.CLIENT, attributes=_agent(agent))


def _agent(agent: str) -> dict[str, str | int]:
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent, **_PROVIDER}


def model_call(task: str) -> AbstractContextManager[Span]:
    """A span around a call of a language model.  ``task``: the name of the prompt.  See ``record_usage``."""
    return _genai("chat", "", {"tg.memory.task": task, **_PROVIDER}, SpanKind.CLIENT)


def record_usage(span: Span, *, model: str, in_tokens: int, out_tokens: int) -> None:
    """Name the model that answered, and what it used.  The service says so only with its answer."""
    if model:
        span.update_name(f"chat {model}")
        span.set_attributes({"gen_ai.request.model": model, "gen_ai.response.model": model})
    span.set_attributes({"gen_ai.usage.input_tokens": in_tokens, "gen_ai.usage.output_tokens": out_tokens})


def tool_call(name: str) -> AbstractContextManager[Span]:
    return _genai("execute_tool", name, {"gen_ai.tool.name": name, "gen_ai.tool.type": "function"})


def embedding_call(model: str) -> AbstractContextManager[Span]:
    return _genai("embeddings", model, {"gen_ai.request.model": model, **_PROVIDER}, SpanKind.CLIENT)


def retrieval() -> AbstractContextManager[Span]:
    """A span around the recall of a turn."""
    return _genai("retrieval", "memory", {"gen_ai.data_source.id": "memory"})


def job_sending(topic: str, job_id: str, kind: str) -> AbstractContextManager[Span]:
    """A span around the publication of a job.  ``topic``: without the workspace."""
    return span(f"send {topic}", _job("send", topic, job_id, kind), kind=SpanKind.PRODUCER)


def job_run(topic: str, job_id: str, kind: str, traceparent: str) -> AbstractContextManager[Span]:
    """A span around one attempt of a job: a trace of its own, because it may run hours later, linked to its publication."""
    attributes = {**_job("process", topic, job_id, kind), "messaging.destination.subscription.name": topic}
    return span(f"process {topic}", attributes, kind=SpanKind.CONSUMER, links=links_to(traceparent), context=Context())


def _job(operation: str, topic: str, job_id: str, kind: str) -> Attributes:
    return {**_messaging(operation, topic), "messaging.message.id": job_id, "tg.memory.job.kind": kind}


def _messaging(operation: str, destination: str) -> dict[str, str | int]:
    return {
        "messaging.system": "pulsar",
        "messaging.operation.name": operation,
        "messaging.operation.type": operation,
        "messaging.destination.name": destination,
    }


def _within_trace(method: Method[P, R], name: str, attributes: Attributes, kind: SpanKind) -> Method[P, R]:
    """The method, in a span of its own where a trace is running."""

    @functools.wraps(method)
    async def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with span(name, attributes, kind=kind) if trace.get_current_span().get_span_context().is_valid else nullcontext():
            return await method(*args, **kwargs)

    return run


def traced_request(service: str) -> Callable[[Method[P, R]], Method[P, R]]:
    """Decorator for ``on_request`` of a service of models: a span of its own where a trace came in."""
    attributes = _messaging("process", service)
    return lambda method: _within_trace(method, f"process {service}", attributes, SpanKind.CONSUMER)


def traced_store(system: str, operation: str) -> Callable[[Method[P, R]], Method[P, R]]:
    """Decorator for a method of an engine: a span within a running trace, without statement and parameters."""
    attributes = {"db.system.name": system, "db.operation.name": operation}
    return lambda method: _within_trace(method, f"{operation} {system}", attributes, SpanKind.CLIENT)
