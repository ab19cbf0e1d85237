"""All interfaces of one running stack."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp.test_utils import TestServer

from tests.doubles.upstream import Upstream
from tests.integration.http.served import serve
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.manager import MemoryManager
from trustgraph_react_mem.testing import Rule, ScriptedModel

from . import interfaces as _others  # noqa: F401
from . import served as _served  # noqa: F401
from .interface import INTERFACES, Interface, Scene

NOTED = "Thought: noted.\nFinal Answer: Noted."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def interfaces(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[dict[str, Interface]]:
    """All interfaces of one running stack."""
    home: Path = tmp_path_factory.mktemp("canaries")
    model = ScriptedModel(rules=(Rule(when="Question: (The|Which) canary", answer=NOTED),))
    async with TestServer(Upstream().application()) as upstream:
        endpoint = str(upstream.make_url("")).rstrip("/")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("REACT_MEM_PROXY_URL", f"{endpoint}/v1")
            patch.setenv("REACT_MEM_MCP_GROUPS", "refine")
            async with (
                serve(home, model) as served,
                await MemoryBus.connect(served.stack.address) as bus,
                MemoryManager.open(home / "data", user="someone") as manager,
            ):
                scene = Scene(home=home, bus=bus, manager=manager, served=served, endpoint=endpoint, model=model)
                yield {name: kind(scene) for name, kind in INTERFACES.items()}
