"""The scripted model is product: what tests and demonstrations rely on."""

import json
from pathlib import Path

import jsonschema
import pytest

from trustgraph_react_mem.config import prompts
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.testing.scripted_model import Rule, ScriptedModel, emptiest

MEMORIES = """Example:
Question: Where does Ann live?
<memories>
- Memory [0]: Ann: I like tea. (2024-01-05)
- Memory [1]: Ben: my sister bought a sailing boat in Porto. (2024-02-01)
</memories>

Question: Where was the sailing boat bought?
"""


async def test_rules_answer_in_order_and_in_turn() -> None:
    model = ScriptedModel(
        rules=[Rule(when="weather", answer=["rain", "sun"]), Rule(when="w", answer="w", times=1)], default="?"
    )
    asked = [ChatRequest(prompt=text) for text in ("the weather", "weather", "weather", "what", "what")]
    assert [(await model.complete(request)).text for request in asked] == ["rain", "sun", "sun", "w", "?"]
    assert (model.count("weather"), model.count()) == (3, 5)


@pytest.mark.parametrize("chunks", [0, 1, 3, 50])
async def test_the_pieces_are_the_answer(chunks: int) -> None:
    answer = "Thought: I know.\nFinal Answer: Paris. [0, 2]\n"
    model = ScriptedModel(rules=[Rule(answer=answer, chunks=chunks)])
    pieces = [piece async for piece in model.stream(ChatRequest(prompt="p"))]
    assert "".join(piece.text for piece in pieces) == answer
    assert [piece.final for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    assert pieces[-1].out_tokens == len(answer.split())


async def test_without_a_script_it_reads_the_memories_and_cites() -> None:
    answer = (await ScriptedModel().complete(ChatRequest(prompt=MEMORIES))).text
    assert answer.endswith("sailing boat in Porto. (2024-02-01) <cite>1</cite>")
    unknown = (await ScriptedModel().complete(ChatRequest(prompt="Question: What is the capital of Peru?\n"))).text
    assert unknown.endswith("<cite>none</cite>")


@pytest.mark.parametrize("prompt_id", [name for name, entry in prompts().items() if entry.get("schema")])
async def test_asked_for_json_it_gives_what_the_schema_allows(prompt_id: str) -> None:
    schema = prompts()[prompt_id]["schema"]
    jsonschema.validate(emptiest(schema), schema)


async def test_a_file_holds_the_script(tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    file.write_text(json.dumps({"rules": [{"when": "x", "answer": ["a", "b"]}], "default": "c"}))
    model = ScriptedModel.load(str(file))
    assert [(await model.complete(ChatRequest(prompt=text))).text for text in "xxy"] == ["a", "b", "c"]
