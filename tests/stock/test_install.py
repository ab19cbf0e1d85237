"""`react-mem install` against TrustGraph's own identity service: who may install, and where."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from trustgraph.api import Api

from .blueprint import WORKSPACES
from .conftest import Pair
from .trustgraph import run

pytestmark = [pytest.mark.stock, pytest.mark.asyncio(loop_scope="session")]

BASE = "orchestrated"  # no flow of another test is on its blueprint with memory
REACT_MEM = Path(sys.executable).parent / "react-mem"


async def add_user(pair: Pair, name: str, role: str, workspace: str) -> str:
    """A new user's API key."""

    def add() -> str:
        api = Api(pair.trustgraph.gateway_url)
        user = {"username": name, "password": "p", "roles": [role]}
        made: dict[str, Any] = api.request("iam", {"operation": "create-user", "workspace": workspace, "user": user})
        key = {"user_id": made["user"]["id"], "name": "k"}
        return str(api.request("iam", {"operation": "create-api-key", "key": key})["api_key_plaintext"])

    return await asyncio.to_thread(add)


async def react_mem(pair: Pair, *arguments: str, token: str) -> tuple[int, str]:
    where = ("--api-url", pair.trustgraph.gateway_url, "--blueprint", BASE, "--token", token)
    return await run(REACT_MEM, *arguments, *where, env={"COLUMNS": "200"})


def installed(pair: Pair) -> list[str]:
    """The workspaces with the blueprint."""
    return [
        workspace
        for workspace in WORKSPACES
        if f"{BASE}-mem" in pair.trustgraph.configuration(workspace).values("flow-blueprint")
    ]


async def test_an_administrator_installs_and_removes_it_again(pair: Pair) -> None:
    before = {workspace: pair.trustgraph.configuration(workspace).values("prompt") for workspace in WORKSPACES}
    token = await add_user(pair, "installer", "admin", "default")
    for command, left in (("install", [*WORKSPACES]), ("install", [*WORKSPACES]), ("uninstall", [])):
        for workspace in WORKSPACES:
            code, said = await react_mem(pair, command, "--workspace", workspace, token=token)
            assert code == 0, said
        assert installed(pair) == left
    assert {workspace: pair.trustgraph.configuration(workspace).values("prompt") for workspace in WORKSPACES} == before


@pytest.mark.parametrize("role", ["reader", "writer"])
async def test_who_may_not_configure_is_refused_and_nothing_is_written(pair: Pair, role: str) -> None:
    token = await add_user(pair, f"a-{role}", role, "default")
    for scope in ((), ("--workspace", "other")):
        code, said = await react_mem(pair, "install", *scope, token=token)
        assert code == 4, said
        assert "check --api-url, --token, --workspace" in said
        assert token not in said
        assert "Traceback" not in said
    assert installed(pair) == []
