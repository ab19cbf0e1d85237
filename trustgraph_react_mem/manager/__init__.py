"""The memory manager: memory for a standalone program, without a message bus.

    async with MemoryManager.open("memory") as memory:
        await memory.add([{"role": "user", "content": "My dog Miso is allergic to chicken"}])
        print(await memory.retrieve("What must the dog not eat?"))
        await memory.learn("dataset-format", "CSV with headers, semicolon-delimited")
        print(await memory.recall("dataset-format"))

Working memory is kept in the process.  Episodic, semantic and procedural memory and what was said are in the same stores as
those of agents: an agent recalls what a program has stored in the agent's scope, and the other way round, with one ranking.
The first call that needs the stores opens them and the embedding model.  If a stack serves the directory, the calls go to it.
Text is screened for secrets and personal data before it is stored, and a user's memory switches apply.

``SyncMemoryManager`` has the same methods for programs that are not asynchronous.

Source: memory manager specification.
"""

from .entries import LAYERS, AddResult, Layer, MemoryEntry, MemoryStats
from .manager import MemoryManager
from .sync import SyncMemoryManager

__all__ = ["LAYERS", "AddResult", "Layer", "MemoryEntry", "MemoryManager", "MemoryStats", "SyncMemoryManager"]
