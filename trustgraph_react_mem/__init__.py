"""Memory for TrustGraph's agents: recall before the loop, durable learning after it, a ranking that learns.

The names below are for programs; docs/python.md shows their use.  Each is imported when it is first asked for, so that
``import trustgraph_react_mem`` itself loads nothing else.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bus.external_client import MemoryBus
    from .embedded import EmbeddedStack
    from .manager import MemoryManager, SyncMemoryManager
    from .schema import AgentRequest
    from .testing import ScriptedModel

__version__ = "0.2.0"
__all__ = ["AgentRequest", "EmbeddedStack", "MemoryBus", "MemoryManager", "ScriptedModel", "SyncMemoryManager", "__version__"]

_MODULES = {
    "AgentRequest": "schema",
    "EmbeddedStack": "embedded",
    "MemoryBus": "bus.external_client",
    "MemoryManager": "manager",
    "ScriptedModel": "testing",
    "SyncMemoryManager": "manager",
}

if not TYPE_CHECKING:  # a type checker would take every name for one that exists

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}: it has {', '.join(__all__)}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(f".{_MODULES[name]}", __name__), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
