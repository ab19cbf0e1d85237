"""Spans.  Without an SDK, ``span`` returns an object that does nothing, made once.

An error is recorded by its type only: the text of an exception may hold what a user said.
"""

import functools
import hashlib
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, ParamSpec, TypeVar

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import INVALID_SPAN, Link, Span, SpanKind, StatusCode

from . import conventions as names
from .propagation import links_to

Attributes = Mapping[str, str | int]
P = ParamSpec("P")
R = TypeVar("R")
Method = Callable[P, Coroutine[Any, Any, R]]

SCOPE_NAME = "trustgraph_react_mem"

_tracer = trace.get_tracer(SCOPE_NAME)
_NOTHING: AbstractContextManager[Span] = nullcontext(INVALID_SPAN)


def is_active() -> bool:
    """Whether an SDK is configured, so that spans are made."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def span(
    name: str,
    attributes: Attributes,
    *,
    kind: SpanKind = SpanKind.INTERNAL,
    links: Sequence[Link] | None = None,
    context: Context | None = None,
) -> AbstractContextManager[Span]:
    """A span around a block.  An exception sets ``error.type``.  Never around a ``yield``: it would become its caller's span.

    ``context``: where it belongs; None: to the running span.  An empty one begins a trace.
    """
    if not is_active():
        return _NOTHING
    return _recorded(name, attributes, kind, links, context)


@contextmanager
def _recorded(
    name: str, attributes: Attributes, kind: SpanKind, links: Sequence[Link] | None, context: Context | None
) -> Iterator[Span]:
    with _tracer.start_as_current_span(
        name,
        context=context,
        kind=kind,
        attributes=dict(attributes),
        links=links,
        record_exception=False,
        set_status_on_exception=False,
    ) as started:
        try:
            yield started
        except BaseException as error:
            fail(started, error_type(error))
            raise


def start_detached(name: str, attributes: Attributes, *, kind: SpanKind) -> Span:
    """A span that is not current, for a stream of replies.  The caller ends it."""
    return _tracer.start_span(name, kind=kind, attributes=dict(attributes)) if is_active() else INVALID_SPAN


def fail(span: Span, wire_type: str) -> None:
    """Mark a span as failed."""
    span.set_attribute(names.ERROR_TYPE, wire_type)
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
    if not is_active():
        return _NOTHING
    operation = str(record.operation)
    name = names.MEMORY_OPERATIONS.get(operation, operation)
    return _recorded(name, _memory_attributes(name, service, workspace, record), kind, None, None)


def _memory_attributes(name: str, service: str, workspace: str, record: Any) -> Attributes:
    attributes: dict[str, str | int] = {
        names.OPERATION: name,
        names.SERVICE: service,
        names.PROVIDER: names.TRUSTGRAPH,
        names.STORE_ID: pseudonym(workspace, str(record.collection)),
    }
    if record_id := getattr(record, "id", ""):
        attributes[names.RECORD_ID] = str(record_id)
    attempted = getattr(record, "ids", None) or getattr(record, "turns", None)
    if name in ("upsert_memory", "update_memory", "delete_memory") and (record_id or attempted or name == "upsert_memory"):
        attributes[names.RECORD_COUNT] = len(attempted) if attempted else 1
    return attributes


def count_records(span: Span, operation: str, response: Any) -> None:
    """Set the number of records that a search returned."""
    if span.is_recording() and names.MEMORY_OPERATIONS.get(operation) == "search_memory":
        found = [getattr(response, kind, None) or () for kind in ("facts", "rules", "episodes", "conversations")]
        one = getattr(response, "conversation", None) is not None
        span.set_attribute(names.RECORD_COUNT, sum(map(len, found)) + one)


def agent_span(agent: str, workspace: str, conversation_id: str) -> AbstractContextManager[Span]:
    """A span around a turn of the agent.  The client chose the conversation's id, so it is hashed."""
    attributes = dict(agent_attributes(agent))
    if conversation_id:
        attributes[names.CONVERSATION] = pseudonym(workspace, conversation_id)
    return span(f"{names.INVOKE_AGENT} {agent}", attributes, kind=SpanKind.SERVER)


def agent_attributes(agent: str) -> Attributes:
    return {names.OPERATION: names.INVOKE_AGENT, names.AGENT_NAME: agent, names.PROVIDER: names.TRUSTGRAPH}


def model_call(task: str) -> AbstractContextManager[Span]:
    """A span around a call of a language model.  ``task``: the name of the prompt.  See ``record_usage``."""
    attributes = {names.OPERATION: names.CHAT, names.PROVIDER: names.TRUSTGRAPH, names.TASK: task}
    return span(names.CHAT, attributes, kind=SpanKind.CLIENT)


def record_usage(span: Span, *, model: str, in_tokens: int, out_tokens: int) -> None:
    """Name the model that answered, and what it used.  The service says so only with its answer."""
    if not span.is_recording():
        return
    if model:
        span.update_name(f"{names.CHAT} {model}")
        span.set_attributes({names.REQUEST_MODEL: model, names.RESPONSE_MODEL: model})
    span.set_attributes({names.INPUT_TOKENS: in_tokens, names.OUTPUT_TOKENS: out_tokens})


def tool_call(name: str) -> AbstractContextManager[Span]:
    attributes = {names.OPERATION: names.EXECUTE_TOOL, names.TOOL_NAME: name, names.TOOL_TYPE: "function"}
    return span(f"{names.EXECUTE_TOOL} {name}", attributes)


def workflow(name: str) -> AbstractContextManager[Span]:
    """A span around several calls of models that belong together."""
    return span(f"{names.INVOKE_WORKFLOW} {name}", {names.OPERATION: names.INVOKE_WORKFLOW})


def embedding_call(model: str) -> AbstractContextManager[Span]:
    attributes = {names.OPERATION: names.EMBEDDINGS, names.PROVIDER: names.TRUSTGRAPH, names.REQUEST_MODEL: model}
    return span(f"{names.EMBEDDINGS} {model}", attributes, kind=SpanKind.CLIENT)


def retrieval() -> AbstractContextManager[Span]:
    """A span around the recall of a turn."""
    return span(f"{names.RETRIEVAL} memory", {names.OPERATION: names.RETRIEVAL, names.DATA_SOURCE: "memory"})


def job_sending(topic: str, job_id: str, kind: str) -> AbstractContextManager[Span]:
    """A span around the publication of a job.  ``topic``: without the workspace."""
    return span(f"send {topic}", _messaging("send", topic, job_id, kind), kind=SpanKind.PRODUCER)


def job_run(topic: str, job_id: str, kind: str, traceparent: str) -> AbstractContextManager[Span]:
    """A span around one attempt of a job: a trace of its own, because it may run hours later, linked to its publication."""
    if not is_active():
        return _NOTHING
    attributes = {**_messaging("process", topic, job_id, kind), names.MESSAGING_SUBSCRIPTION: topic}
    return _recorded(f"process {topic}", attributes, SpanKind.CONSUMER, links_to(traceparent), Context())


def _messaging(operation: str, topic: str, message_id: str, kind: str) -> dict[str, str | int]:
    return {
        names.MESSAGING_SYSTEM: names.PULSAR,
        names.MESSAGING_OPERATION: operation,
        names.MESSAGING_TYPE: operation,
        names.MESSAGING_DESTINATION: topic,
        names.MESSAGING_ID: message_id,
        names.JOB_KIND: kind,
    }


def traced_request(method: Method[P, R]) -> Method[P, R]:
    """Decorator for ``on_request`` of a service of models: a span of its own where a trace came in."""

    @functools.wraps(method)
    async def answer(*args: P.args, **kwargs: P.kwargs) -> R:
        if not (is_active() and trace.get_current_span().get_span_context().is_valid):
            return await method(*args, **kwargs)
        service = str(getattr(args[0], "id", ""))
        attributes = {
            names.MESSAGING_SYSTEM: names.PULSAR,
            names.MESSAGING_OPERATION: "process",
            names.MESSAGING_TYPE: "process",
            names.MESSAGING_DESTINATION: service,
        }
        with span(f"process {service}", attributes, kind=SpanKind.CONSUMER):
            return await method(*args, **kwargs)

    return answer


def traced_store(system: str, operation: str) -> Callable[[Method[P, R]], Method[P, R]]:
    """Decorator for a method of an engine: a span within a running trace, without statement and parameters."""
    attributes = {names.DB_SYSTEM: system, names.DB_OPERATION: operation}

    def decorate(method: Method[P, R]) -> Method[P, R]:
        @functools.wraps(method)
        async def run(*args: P.args, **kwargs: P.kwargs) -> R:
            if not (is_active() and trace.get_current_span().get_span_context().is_valid):
                return await method(*args, **kwargs)
            with span(f"{operation} {system}", attributes, kind=SpanKind.CLIENT):
                return await method(*args, **kwargs)

        return run

    return decorate
