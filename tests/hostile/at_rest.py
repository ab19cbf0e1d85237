"""What is stored, read while no stack runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from trustgraph_react_mem.bootstrap import open_graph_stores
from trustgraph_react_mem.memory.ports import KeyRing
from trustgraph_react_mem.store_settings import StoreSettings

from .machine import Machine


@asynccontextmanager
async def keys_at_rest(machine: Machine) -> AsyncIterator[KeyRing]:
    """The key ring over the data directory of a machine that stands still."""
    stores = await open_graph_stores(StoreSettings(home=machine.data, keys=machine.home / "keys"))
    try:
        yield stores.keyring
    finally:
        await stores.close()
