"""`install` and `uninstall` through TrustGraph's gateway: one workspace, and no other."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.unit.test_install import blueprint
from trustgraph_react_mem.cli.commands import app

pytestmark = pytest.mark.later

TOKEN = "tg_secret"
Stored = dict[str, dict[str, dict[str, str]]]  # workspace -> type -> key -> value


class Gateway:
    """TrustGraph's configuration interface over HTTP, as its gateway serves it."""

    def __init__(self) -> None:
        everything = {"flow-blueprint": {"everything": json.dumps(blueprint())}}
        self.stored: Stored = {"acme": json.loads(json.dumps(everything)), "default": everything}

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        values = self.stored[asked["workspace"]]
        match asked["operation"]:
            case "getvalues":
                found = values.get(asked["type"], {})
                return {"values": [{"type": asked["type"], "key": key, "value": value} for key, value in found.items()]}
            case "put":
                for each in asked["values"]:
                    values.setdefault(each["type"], {})[each["key"]] = each["value"]
            case "delete":
                for each in asked["keys"]:
                    del values[each["type"]][each["key"]]
            case other:
                raise AssertionError(other)
        return {}


@pytest.fixture
def gateway() -> Iterator[tuple[Gateway, str]]:
    made = Gateway()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            allowed = self.headers["Authorization"] == f"Bearer {TOKEN}"
            body = json.dumps(made.answer(asked) if allowed else {"error": "no"}).encode()
            self.send_response(200 if allowed else 401)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield made, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def run(url: str, *arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments, "--api-url", url, "--token", TOKEN, "--json"], prog_name="react-mem")


def changes(result: Any) -> set[str]:
    assert result.exit_code == 0, result.output
    return {each["action"] for each in json.loads(result.stdout)["changes"]}


def test_a_workspace_gets_memory_and_loses_it_and_no_other_is_touched(gateway: tuple[Gateway, str]) -> None:
    trustgraph, url = gateway
    before = json.loads(json.dumps(trustgraph.stored))
    acme = ("--workspace", "acme")
    assert changes(run(url, "install", *acme, "--dry-run")) == {"create"}
    assert trustgraph.stored == before
    changes(run(url, "install", *acme))
    assert "everything-mem" in trustgraph.stored["acme"]["flow-blueprint"]
    assert trustgraph.stored["default"] == before["default"]
    assert changes(run(url, "install", *acme)) <= {"keep"}
    changes(run(url, "uninstall", *acme))
    left = {name: {kind: keys for kind, keys in kinds.items() if keys} for name, kinds in trustgraph.stored.items()}
    assert left == before
