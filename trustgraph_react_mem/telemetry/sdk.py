"""Sets up OpenTelemetry's SDK from its standard environment variables.  Nothing is exported unless one of them asks for it.

``OTEL_EXPORTER_OTLP_ENDPOINT`` (or ``OTEL_EXPORTER_OTLP_TRACES_ENDPOINT``) or ``OTEL_TRACES_EXPORTER`` (``otlp``,
``console``) switches traces on.  ``OTEL_SDK_DISABLED=true`` switches them off.  The SDK itself reads the others, such as
``OTEL_SERVICE_NAME``, ``OTEL_RESOURCE_ATTRIBUTES``, ``OTEL_TRACES_SAMPLER`` and ``OTEL_EXPORTER_OTLP_HEADERS``.
"""

import logging
import os
import sys
from typing import Any

from opentelemetry import trace

from .tracing import is_active

logger = logging.getLogger(__name__)

FLUSH_S = 5.0
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
INSTALL = "pip install 'trustgraph-react-mem[telemetry]'"


def wanted_exporters() -> list[str]:
    """The exporters that the environment asks for: otlp, console.  Empty: no traces."""
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return []
    named = os.environ.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    if named:
        return [name for name in map(str.strip, named.split(",")) if name not in ("", "none")]
    return ["otlp"] if any(os.environ.get(name, "").strip() for name in ENDPOINTS) else []


def start(service: str) -> None:
    """Export traces if the environment asks for it.  Without the packages, a warning says what to install.

    ``service``: the name of this process in traces, unless the environment names it.  Idempotent.
    """
    exporters = wanted_exporters()
    if not exporters or is_active():
        return
    try:
        trace.set_tracer_provider(_provider(service, exporters))
    except ImportError:
        logger.warning("the environment asks for traces (OTEL_*), but OpenTelemetry's SDK is not installed: %s", INSTALL)


def _provider(service: str, exporters: list[str]) -> Any:
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter

    # Of the two, the environment takes precedence.
    provider = TracerProvider(resource=Resource.create({"service.name": service}).merge(OTELResourceDetector().detect()))
    for name in exporters:
        if name == "otlp":
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            exporter: SpanExporter = OTLPSpanExporter()
        elif name == "console":
            exporter = ConsoleSpanExporter(out=sys.stderr)  # standard output is for the output of commands
        else:
            logger.warning("OTEL_TRACES_EXPORTER=%s is not known: use otlp, console or none", name)
            continue
        provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def flush() -> None:
    """Send what is still waiting.  For programs that end with ``os._exit``."""
    provider: Any = trace.get_tracer_provider()
    if hasattr(provider, "force_flush"):
        provider.force_flush(int(1000 * FLUSH_S))
