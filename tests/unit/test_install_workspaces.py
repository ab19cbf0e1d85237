"""`install` and `uninstall` in every workspace, and settings of the flow named default."""

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
    """TrustGraph's configuration and identity interfaces over HTTP, as its gateway serves them."""

    def __init__(self) -> None:
        everything = {"flow-blueprint": {"everything": json.dumps(blueprint())}}
        self.stored: Stored = {"acme": json.loads(json.dumps(everything)), "default": everything, "empty": {}, "off": {}}
        self.refuses = False
        self.knows_the_caller = True

    def answer(self, path: str, asked: dict[str, Any]) -> dict[str, Any]:
        if path.endswith("/iam"):
            assert asked["operation"] == "list-my-workspaces"
            if not self.knows_the_caller:
                return {"bootstrap_available": False}
            listed = [{"id": name, "enabled": name != "off"} for name in [*self.stored, "__template__"]]
            return {"workspaces": listed}
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
            allowed = not made.refuses and self.headers["Authorization"] == f"Bearer {TOKEN}"
            body = json.dumps(made.answer(self.path, asked) if allowed else {"error": "no"}).encode()
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


def rows(result: Any) -> dict[str, dict[str, Any]]:
    assert result.exit_code == 0, result.output
    found = [json.loads(line) for line in result.stdout.splitlines()]
    return {each["workspace"]: each for each in found}


def test_every_workspace_that_has_the_blueprint_gets_memory_and_loses_it(gateway: tuple[Gateway, str]) -> None:
    trustgraph, url = gateway
    before = json.loads(json.dumps(trustgraph.stored))
    assert set(rows(run(url, "install", "--all-workspaces", "--dry-run"))) == {"acme", "default"}
    assert trustgraph.stored == before
    rows(run(url, "install", "--all-workspaces"))
    for name in ("acme", "default"):
        assert "everything-mem" in trustgraph.stored[name]["flow-blueprint"]
    assert trustgraph.stored["empty"] == trustgraph.stored["off"] == {}
    # A workspace that was made since: the same command adds it and changes nothing in the others.
    trustgraph.stored["new"] = {"flow-blueprint": {"everything": json.dumps(blueprint())}}
    again = rows(run(url, "install", "--all-workspaces"))
    assert {name: bool([c for c in row["changes"] if c["action"] != "keep"]) for name, row in again.items()} == {
        "acme": False,
        "default": False,
        "new": True,
    }
    rows(run(url, "uninstall", "--all-workspaces"))
    del trustgraph.stored["new"]
    left = {name: {kind: keys for kind, keys in kinds.items() if keys} for name, kinds in trustgraph.stored.items()}
    assert left == before


def test_one_workspace_that_refuses_leaves_all_as_they_are(gateway: tuple[Gateway, str]) -> None:
    trustgraph, url = gateway
    trustgraph.stored["default"]["flow-blueprint"]["everything"] = "{"
    before = json.loads(json.dumps(trustgraph.stored))
    done = run(url, "install", "--all-workspaces")
    assert done.exit_code == 3, "the configuration is wrong"
    assert trustgraph.stored == before
