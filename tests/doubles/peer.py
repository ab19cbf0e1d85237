"""A memory for the harness of ``make peers``: it finds the turns that share the most words with the question."""

from collections.abc import Sequence
from pathlib import Path

from bench.peers.adapters.driver import Embeddings, main, said


class SharedWords:
    product = "pytest"  # any package that is installed: its version is reported

    def __init__(self, embeddings: Embeddings, home: Path) -> None:
        self._embeddings, self._home = embeddings, home
        self._turns: dict[str, list[tuple[str, str]]] = {}

    def add(self, scope: str, session: str, turns: Sequence[dict[str, str]]) -> None:
        self._embeddings.vectors([said(turn) for turn in turns], "passage")
        self._turns.setdefault(scope, []).extend((turn["id"], said(turn)) for turn in turns)
        (self._home / "turns").write_text(str(self._turns), encoding="utf-8")

    def search(self, scope: str, asked: dict[str, str], limit: int) -> list[tuple[str, str]]:
        words = set(asked["text"].lower().strip("?").split())
        return sorted(self._turns[scope], key=lambda turn: -len(words & set(turn[1].lower().split())))[:limit]

    def close(self) -> None:
        pass


if __name__ == "__main__":
    main(SharedWords)
