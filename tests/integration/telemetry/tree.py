"""What tests read from finished spans."""

import asyncio
from collections.abc import Callable, Iterable

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

DEADLINE_S = 60.0


def trace_of(span: ReadableSpan) -> int:
    return int(span.context.trace_id)


def named(spans: Iterable[ReadableSpan], name: str, kind: str = "") -> list[ReadableSpan]:
    return [span for span in spans if span.name == name and kind in ("", span.kind.name)]


def parent_of(span: ReadableSpan, spans: Iterable[ReadableSpan]) -> ReadableSpan | None:
    return next((each for each in spans if span.parent and each.context.span_id == span.parent.span_id), None)


def path_of(span: ReadableSpan, spans: Iterable[ReadableSpan]) -> list[str]:
    """Names and kinds from the root to ``span``."""
    above = parent_of(span, spans)
    return [*(path_of(above, spans) if above else []), f"{span.name} {span.kind.name}"]


async def until(spans: InMemorySpanExporter, done: Callable[[tuple[ReadableSpan, ...]], bool]) -> tuple[ReadableSpan, ...]:
    """All finished spans, once ``done`` holds for them."""
    found: tuple[ReadableSpan, ...]
    async with asyncio.timeout(DEADLINE_S):
        while not done(found := spans.get_finished_spans()):  # noqa: ASYNC110  # the exporter has no event
            await asyncio.sleep(0.05)
    return found
