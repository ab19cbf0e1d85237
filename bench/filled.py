"""Fills the embedded stores with many memories, without an embedding model.

``python -m bench.filled HOME COUNT PROFILE VECTORS`` does this in a separate process, so that its memory can be measured.  It
prints seconds and megabytes of memory and disk as JSON.  ``VECTORS``: a file with the vector of each of ``SUBJECTS``.  A memory
gets one near that of its subject, so that questions find it.
"""

import asyncio
import json
import os
import resource
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from trustgraph_react_mem.bootstrap import open_stores
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.embedding import PROFILES, EmbeddingProfile
from trustgraph_react_mem.memory.ports import Embedder, Matrix
from trustgraph_react_mem.memory.records import Fact, derived_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.repositories.core import MemoryCore
from trustgraph_react_mem.store_settings import StoreSettings

from .bank import open_embedder
from .sentences import SUBJECTS, Utterance, sentences, subject_of

FOLDER = Path("build/bench")
USER = "bench"
CONVERSATION_TURNS = 200


@dataclass(frozen=True)
class Figures:
    count: int
    seconds: float
    memory_mb: float
    disk_mb: float


def bytes_of(place: Path) -> int:
    """Bytes on disk of a folder.  Holes take none."""
    return sum(file.stat().st_blocks * 512 for file in place.rglob("*") if file.is_file())


class RandomDirections:
    """An ``Embedder`` that returns random unit vectors."""

    def __init__(self, profile: EmbeddingProfile) -> None:
        self.profile = profile
        self._rng = np.random.default_rng(11)

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        drawn = self._rng.standard_normal((len(texts), self.profile.dimension), dtype=np.float32)
        unit: Matrix = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
        return unit


class NearSubjects(RandomDirections):
    """An ``Embedder`` that returns unit vectors near the subject's.  ``vectors``: those of ``SUBJECTS``."""

    def __init__(self, profile: EmbeddingProfile, vectors: Matrix) -> None:
        super().__init__(profile)
        self._vectors = dict(zip(SUBJECTS, vectors, strict=True))

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        subjects = np.stack([self._vectors[subject_of(text)] for text in texts])
        near = subjects + 0.2 * await super().embed(texts, role=role)
        unit: Matrix = near / np.linalg.norm(near, axis=1, keepdims=True)
        return unit


class Silent:
    """A change notifier without listeners."""

    async def changed(self, scope: Scope, store: str, ids: Sequence[str] = (), forgotten: Sequence[str] = ()) -> None:
        return None


def environment(home: Path) -> dict[str, str]:
    """Environment variables of a stack that uses the stores."""
    return {
        **os.environ,
        "REACT_MEM_HOME": str(home),
        "REACT_MEM_KEYS": str(home) + "-keys",
        "REACT_MEM_USER": USER,
        "REACT_MEM_HTTP_PORT": "0",
    }


def turn_of(utterance: Utterance, scope: Scope, record_id: str, place: int) -> Fact:
    return Fact(
        id=record_id,
        scope=scope,
        kind="turn",
        content=utterance.text,
        speaker=utterance.speaker,
        created_at=utterance.said_at,
        said_at=utterance.said_at,
        position=place,
    )


async def fill(settings: StoreSettings, count: int, embedder: Embedder) -> Figures:
    """Store ``count`` turns in one scope, in conversations of ``CONVERSATION_TURNS`` turns."""
    stores = await open_stores(settings, embedder.profile)
    facts = MemoryCore.over(stores.graph, stores.models(embedder), Silent(), SystemClock()).facts
    scope = Scope(workspace="default", user=USER, collection="default")
    began = time.perf_counter()
    said = sentences(count, seed=3)
    for number in range(0, -(-count // CONVERSATION_TURNS)):
        part = said[number * CONVERSATION_TURNS :][:CONVERSATION_TURNS]
        turns = [turn_of(each, scope, derived_id("bank", number, place), place) for place, each in enumerate(part)]
        await facts.add_turns(scope, f"bank-{number}", turns)
    seconds = time.perf_counter() - began
    await stores.close()
    disk = bytes_of(settings.home)
    memory_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Figures(count=count, seconds=seconds, memory_mb=memory_kb / 1024, disk_mb=disk / 2**20)


async def filled_apart(home: Path, count: int, env: Mapping[str, str] | None = None) -> Figures:
    """Fill stores in a child process, for the model of the stack.  ``env``: names the stores if they are not in ``home``."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    vectors = FOLDER / "subjects.npy"
    async with open_embedder() as model:
        np.save(vectors, await model.embed(SUBJECTS, role="passage"))
    command = [sys.executable, "-m", "bench.filled", str(home), str(count), model.profile.name, str(vectors)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, env=env or environment(home))
    try:
        out, _ = await process.communicate()
    finally:
        if process.returncode is None:  # cancelled
            process.kill()
            await process.wait()
    if process.returncode:
        raise RuntimeError(f"filling {count} memories failed with exit code {process.returncode}; see its output above")
    return Figures(**json.loads(out))


_filled: dict[int, Figures] = {}


async def shared(count: int) -> tuple[Path, Figures]:
    """Filled stores that the rows of one run share.  Filled at the first call."""
    home = (FOLDER / f"bank-{count}").resolve()
    if count not in _filled:
        for folder in (home, Path(f"{home}-keys")):
            shutil.rmtree(folder, ignore_errors=True)
        _filled[count] = await filled_apart(home, count)
    return home, _filled[count]


def main() -> None:
    home, count, name, vectors = sys.argv[1:]
    embedder = NearSubjects(PROFILES[name], np.load(vectors))
    print(json.dumps(asdict(asyncio.run(fill(StoreSettings(home=Path(home)), int(count), embedder)))))


if __name__ == "__main__":
    main()
