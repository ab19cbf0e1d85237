"""The bench of a large scope continues where it was interrupted."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from bench import large
from bench.filled import CONVERSATION_TURNS
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.repositories.facts import FactMemory


class Facts:
    """Counts what is stored.  ``most``: conversations until the run is interrupted."""

    def __init__(self, most: int) -> None:
        self.conversations: list[str] = []
        self.times: list[Any] = []
        self._most = most

    async def add_turns(self, scope: Any, conversation_id: str, turns: Sequence[Fact], *, batch: int) -> int:
        if len(self.conversations) == self._most:
            raise KeyboardInterrupt
        self.conversations.append(conversation_id)
        self.times += [turn.said_at for turn in turns]
        return len(turns)


async def run(done: Path, conversations: int, most: int) -> Facts:
    facts = Facts(most)
    await large.stored(cast(FactMemory, facts), done, conversations * CONVERSATION_TURNS)
    return facts


async def test_an_interrupted_run_continues_after_what_it_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "CONVERSATIONS", 2)
    done = tmp_path / "stored.jsonl"
    with pytest.raises(KeyboardInterrupt):
        await run(done, 5, most=3)
    facts = await run(done, 5, most=5)
    assert facts.conversations == ["bank-2", "bank-3", "bank-4"]
    assert facts.times == sorted(facts.times)
    assert (await run(done, 5, most=0)).conversations == []
    with pytest.raises(SystemExit, match="holds 1,000 memories, more than 200: delete it"):
        await run(done, 1, most=0)
