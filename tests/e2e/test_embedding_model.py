"""A laptop's user names another embedding model: memories are found before, while and after, also after a kill -9."""

import json
import time
from pathlib import Path

import pytest

from .command import EMBEDDINGS, ReactMem

OTHER = "e5-small-v2"
TURNS = 500
TOLD = {
    "Which instrument does my brother play?": "My brother Farid plays the cello in an orchestra.",
    "Where did I move?": "I moved to Utrecht in March.",
    "What must the dog not eat?": "My dog Miso is allergic to chicken.",
    "When is the dentist?": "My dentist's appointment is on the ninth of June.",
    "What colour is the car?": "I bought a green car last week.",
}
LONGEST_S = 240.0


def chat(file: Path) -> Path:
    """What was told, among much else."""
    told = list(TOLD.values())
    every = TURNS // len(told)
    messages = [
        {
            "role": "user",
            "content": told[n // every] if n % every == 7 and n // every < len(told) else f"Item {n}: {n * 37} kg.",
        }
        for n in range(TURNS)
    ]
    file.write_text(json.dumps({"messages": messages}) + "\n", encoding="utf-8")
    return file


def found(memory: ReactMem) -> int:
    """Questions whose answer is among the five memories shown."""
    count = 0
    for question, answer in TOLD.items():
        shown = memory.json("memories", "search", question)["memories"][:5]
        count += any(answer in each["content"] for each in shown)
    return count


def left(memory: ReactMem) -> int | None:
    """Records to be embedded anew; None when the change is over."""
    stats = memory.json("jobs", "list")["stats"]
    return int(stats["records_to_embed"]) if "records_to_embed" in stats else None


def diagnosis(memory: ReactMem) -> str:
    return memory.run("doctor").out


def indexes(memory: ReactMem) -> list[str]:
    return sorted(folder.name for folder in (memory.home / "data" / "vectors").iterdir() if folder.is_dir())


@pytest.mark.slow
def test_another_embedding_model_takes_over_while_memories_are_found(tmp_path: Path) -> None:
    before, after = ReactMem(tmp_path), ReactMem(tmp_path, embeddings=OTHER)
    with before.up() as stack:
        before.json("import", "chatml", str(chat(tmp_path / "chat.jsonl")))
        assert found(before) == len(TOLD)
        stack.interrupt()
    with after.up() as stack:
        deadline = time.monotonic() + LONGEST_S
        while (now := left(after)) is not None and now >= TURNS - 50 and time.monotonic() < deadline:
            pass
        stack.kill()
    assert stack.ready["embeddings"].endswith(f", taking over from {EMBEDDINGS}")
    assert now is not None, "the change was over before the stack was killed: make the chat longer"
    assert now < TURNS - 50
    with after.up() as stack:
        assert found(after) == len(TOLD)  # while it goes on
        told = diagnosis(after)
        assert f"changing from {EMBEDDINGS} to {OTHER}" in told or left(after) is None
        while left(after) is not None:
            assert time.monotonic() < deadline, diagnosis(after)
        assert found(after) == len(TOLD)
        assert indexes(after) == [f"episodes--{OTHER}-384", f"facts--{OTHER}-384"]
        assert "changing" not in diagnosis(after)
        stack.interrupt()
    with ReactMem(tmp_path, embeddings="").up() as stack:  # without a wish it stays
        assert stack.ready["embeddings"].startswith(f"{OTHER} (")
        assert "taking over" not in stack.ready["embeddings"]
