"""A workspace that is made while everything runs, filled from the bundle of another one, or by an installation."""

import json
from pathlib import Path

import pytest

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.install.contents import contents
from trustgraph_react_mem.install.plan import apply, plan_install, plan_uninstall

from .conftest import Pair

pytestmark = [pytest.mark.stock, pytest.mark.asyncio(loop_scope="session")]


async def make_workspace(pair: Pair, name: str) -> None:
    """As TrustGraph's identity service does it: a value in the configuration, which every processor hears of."""
    async with await MemoryBus.connect(pair.trustgraph.pulsar_url, "__workspaces__") as bus:
        await bus.config_put("workspace", {name: json.dumps({"enabled": True})})

    async def known() -> bool:
        try:
            pair.trustgraph.configuration(name).values("flow-blueprint")
        except MemoryServiceError:
            return False
        return True

    await pair.trustgraph.until(known, f"workspace {name}")


async def test_a_bundle_carries_the_installation_into_a_new_workspace(pair: Pair, tmp_path: Path) -> None:
    """From a workspace without running flows: their records would name its topics in the new workspace, too."""
    trustgraph, bundle = pair.trustgraph, str(tmp_path / "third.tgx")
    source = trustgraph.configuration("third")
    apply(source, plan_install(source, "plain", contents()))
    installed = source.values("agent-mem")
    await trustgraph.command("tg-export-workspace", "-w", "third", "--config-only", "-o", bundle)
    apply(source, plan_uninstall(source, "plain"))
    await make_workspace(pair, "bundled")
    await trustgraph.command("tg-import-workspace", "-w", "bundled", "-i", bundle)
    configuration = trustgraph.configuration("bundled")
    assert plan_install(configuration, "plain", contents()).empty
    assert {key: json.loads(value) for key, value in configuration.values("agent-mem").items()} == {
        key: json.loads(value) for key, value in installed.items()
    }
    await trustgraph.start_flow("carried", over="plain-mem", workspace="bundled")
    await trustgraph.answers("carried", workspace="bundled")
    await trustgraph.stop_flow("carried", workspace="bundled")
