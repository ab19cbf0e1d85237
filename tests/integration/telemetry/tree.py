"""What tests read from finished spans."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

DEADLINE_S = 60.0
Finished = Any  # ReadableSpan: its types say that everything may be None, also once the span has ended


def trace_of(span: Finished) -> int:
    return int(span.context.trace_id)


def named(spans: Iterable[Finished], name: str, kind: str = "") -> list[Finished]:
    return [span for span in spans if span.name == name and kind in ("", span.kind.name)]


def parent_of(span: Finished, spans: Iterable[Finished]) -> Finished | None:
    return next((each for each in spans if span.parent and each.context.span_id == span.parent.span_id), None)


def path_of(span: Finished, spans: Iterable[Finished]) -> list[str]:
    """Names and kinds from the root to ``span``."""
    above = parent_of(span, spans)
    return [*(path_of(above, spans) if above else []), f"{span.name} {span.kind.name}"]


async def until(spans: InMemorySpanExporter, done: Callable[[tuple[Finished, ...]], bool]) -> tuple[Finished, ...]:
    """All finished spans, once ``done`` holds for them."""
    found: tuple[Finished, ...]
    async with asyncio.timeout(DEADLINE_S):
        while not done(found := spans.get_finished_spans()):  # noqa: ASYNC110  # the exporter has no event
            await asyncio.sleep(0.05)
    return found
