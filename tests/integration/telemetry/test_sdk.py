"""Traces are switched on by OpenTelemetry's own environment variables, in a process of its own for each case."""

import gzip
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

pytestmark = pytest.mark.later

PROGRAM = """
from trustgraph_react_mem.telemetry import sdk, tracing
from trustgraph_react_mem.telemetry.propagation import current_headers, received
sdk.start("react-mem-test")
with tracing.span("a span of mine", {"a": 1}) as span:
    pass
with received({"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}), tracing.span("inner", {}):
    passed_on = current_headers()["traceparent"].split("-")[1]
sdk.flush()
print("active" if tracing.is_active() else "inactive", passed_on, dict(current_headers()))
"""


class Collector:
    """What an OTLP exporter sends."""

    def __init__(self) -> None:
        self.received: list[tuple[str, bytes]] = []
        received = self.received

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                received.append((self.path, body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    thread = threading.Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def run(environment: Mapping[str, str], program: str = PROGRAM) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**kept, "NO_PROXY": "127.0.0.1", **environment},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
        {"OTEL_SERVICE_NAME": "mine"},
        {"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"},
        {"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"},
    ],
    ids=str,
)
def test_without_a_request_nothing_is_recorded_and_a_trace_that_came_in_is_passed_on(environment: dict[str, str]) -> None:
    assert run(environment).stdout.split(maxsplit=2) == ["inactive", "4bf92f3577b34da6a3ce929d0e0e4736", "{}\n"]


def test_an_endpoint_switches_the_export_on(collector: Collector) -> None:
    assert run({"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}).stdout.startswith("active")
    assert {path for path, _ in collector.received} == {"/v1/traces"}
    sent = b"".join(body for _, body in collector.received)
    assert b"a span of mine" in sent
    assert b"react-mem-test" in sent
