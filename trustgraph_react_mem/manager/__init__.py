"""The memory manager: four layers of memory for a standalone program, without a message bus.

    async with MemoryManager.open("memory") as memory:
        await memory.learn("dataset-format", "CSV with headers, semicolon-delimited")
        await memory.append("episodic", "Analyzed security of src/: two findings", task="security-scan")
        print(await memory.recall("dataset-format"))
        print(await memory.search("episodic", "security vulnerabilities"))

Working memory is kept in the process.  Episodic, semantic and procedural memory use the same stores as agents: an agent recalls
what a program has learned in the agent's scope, and the other way round.  The first call that needs the stores opens them and
the embedding model.  Text is screened for secrets and personal data before it is stored, and a user's memory switches apply.

Source: memory manager specification.
"""

from .entries import LAYERS, Layer, MemoryEntry, MemoryStats
from .manager import MemoryManager

__all__ = ["LAYERS", "Layer", "MemoryEntry", "MemoryManager", "MemoryStats"]
