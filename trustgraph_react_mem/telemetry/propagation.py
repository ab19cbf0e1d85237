"""Trace context in the properties of messages and the headers of requests: W3C ``traceparent`` and ``tracestate``.

Baggage is not passed on: a caller may have put names into it.  A consumer that knows nothing of the two properties ignores
them.  Without an SDK in this process, a context that came in is passed on unchanged.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import Link
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

TRACEPARENT = "traceparent"
_PROPAGATOR = TraceContextTextMapPropagator()


def current_headers() -> Mapping[str, str]:
    """The properties that carry the running trace.  Empty if there is none."""
    return headers_of(trace.get_current_span())


def headers_of(span: trace.Span) -> Mapping[str, str]:
    """The properties that make ``span`` the parent of what the receiver does.  Empty if it is not part of a trace."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier, trace.set_span_in_context(span, Context()))
    return carrier


@contextmanager
def received(carrier: Mapping[str, str]) -> Iterator[None]:
    """Inside, spans continue the trace of a received message or request.  Without a trace in it, nothing changes."""
    token = context.attach(_PROPAGATOR.extract(carrier, context.get_current()))
    try:
        yield
    finally:
        context.detach(token)


def links_to(traceparent: str) -> list[Link]:
    """A link to the span that ``traceparent`` names.  Empty for "" and for what is no trace context."""
    if not traceparent:
        return []
    found = trace.get_current_span(_PROPAGATOR.extract({TRACEPARENT: traceparent}, Context())).get_span_context()
    return [Link(found)] if found.is_valid else []
