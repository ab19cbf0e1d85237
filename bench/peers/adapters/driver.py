"""Runs in a product's own environment: stores the turns of a workload, asks its questions, measures, and writes the result.

``python -m bench.peers.adapters.NAME WORKLOAD EMBEDDINGS HOME RESULT``.  Only the standard library is imported here.  Times are
without the waiting for embeddings, which are the same for all and come from the endpoint ``EMBEDDINGS``.
"""

import json
import os
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

LIMIT = 20  # memories that each question asks for
EMBEDDING_TIMEOUT_S = 600.0
PROGRESS_EVERY = 50  # questions


class Embeddings:
    """The OpenAI-compatible endpoint.  ``seconds``: spent waiting for it.  ``texts``: passages that were embedded."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.seconds = 0.0
        self.texts = 0

    def vectors(self, texts: Sequence[str], role: str) -> list[list[float]]:
        """``role``: query or passage."""
        rows = self.post("/embeddings", {"model": role, "input": list(texts)})["data"]
        return [row["embedding"] for row in rows]

    def post(self, path: str, body: dict[str, Any]) -> Any:
        began = time.perf_counter()
        request = urllib.request.Request(f"{self.url}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=EMBEDDING_TIMEOUT_S) as answer:
            found = json.load(answer)
        self.seconds += time.perf_counter() - began
        if body["model"] == "passage":
            self.texts += len(body["input"])
        return found


class Peer(Protocol):
    """``product``: name of its package.  A scope is one dialogue, which no question of another may see."""

    product: str

    def add(self, scope: str, session: str, turns: Sequence[dict[str, str]]) -> None:
        """Store the turns of one session: ``id``, ``speaker``, ``role``, ``text``, ``said_at``."""
        ...

    def search(self, scope: str, asked: dict[str, str], limit: int) -> list[tuple[str, str]]:
        """Ids of the turns and what would be shown, best first.  ``asked``: ``text``, ``asked_at``."""
        ...

    def close(self) -> None: ...


def said(turn: dict[str, str]) -> str:
    """The text given to products that know no speaker."""
    return f"{turn['speaker']}: {turn['text']}"


def main(open_peer: Callable[[Embeddings, Path], Peer]) -> None:
    workload, url, home, result = sys.argv[1:]
    embeddings = Embeddings(url)
    before_mb = resident_mb()
    folder = Path(home)
    folder.mkdir(parents=True, exist_ok=True)
    peer = open_peer(embeddings, folder)
    dialogues = json.loads(Path(workload).read_text(encoding="utf-8"))
    added, embedded = [], 0
    for dialogue in dialogues:
        for session, turns in dialogue["sessions"].items():
            seconds = _timed(embeddings, lambda: peer.add(dialogue["id"], session, turns))[0]  # noqa: B023 (called at once)
            added.append({"turns": len(turns), "seconds": seconds})
        print(f"  stored {sum(each['turns'] for each in added)} turns", file=sys.stderr, flush=True)
    embedded = embeddings.texts
    stored_mb = resident_mb()
    answered = []
    for dialogue in dialogues:
        for asked in dialogue["questions"]:
            seconds, found = _timed(embeddings, lambda: peer.search(dialogue["id"], asked, LIMIT))  # noqa: B023
            order, texts = [turn for turn, _ in found[:LIMIT]], [text for _, text in found[:LIMIT]]
            row = {"dialogue": dialogue["id"], "number": asked["number"], "turns": order, "texts": texts}
            answered.append({**row, "ms": 1000 * seconds})
            if len(answered) % PROGRESS_EVERY == 0:
                print(f"  asked {len(answered)} questions", file=sys.stderr, flush=True)
    searched_mb = resident_mb()
    peer.close()
    figures = {
        "version": version(peer.product),
        "added": added,
        "answered": answered,
        "embedded": embedded,
        "memory_mb": {"before": before_mb, "stored": stored_mb, "searched": searched_mb},
        "disk_bytes": sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file()),
    }
    Path(result).write_text(json.dumps(figures), encoding="utf-8")
    sys.stderr.flush()
    os._exit(0)  # a product's threads need not end


def _timed(embeddings: Embeddings, work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds without the waiting for embeddings, and the result."""
    waited, began = embeddings.seconds, time.perf_counter()
    found = work()
    return time.perf_counter() - began - (embeddings.seconds - waited), found


def resident_mb() -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0
