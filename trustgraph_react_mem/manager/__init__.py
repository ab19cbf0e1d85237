"""The memory manager: four layers of memory for a program of its own, without a bus.

    async with MemoryManager.open("memory") as memory:
        await memory.learn("dataset-format", "CSV with headers, semicolon-delimited")
        await memory.append("episodic", "Analyzed security of src/: two findings", task="security-scan")
        print(await memory.recall("dataset-format"))
        print(await memory.search("episodic", "security vulnerabilities"))

Working memory lives in the process; episodic, semantic and procedural memory are the same stores that agents use, so what a
program learns under a scope an agent of that scope recalls, and the other way round.  Stores and the embedding model are opened
at the first call that needs them.  Secrets and personal data are treated as everywhere: screened before anything is stored.  A
person's lasting switches hold here too.  Source: memory manager specification.
"""

from .entries import LAYERS, Layer, MemoryEntry, MemoryStats
from .manager import MemoryManager

__all__ = ["LAYERS", "Layer", "MemoryEntry", "MemoryManager", "MemoryStats"]
