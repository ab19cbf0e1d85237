"""Text completion, prompts and embeddings over a real broker, asked by TrustGraph's own clients."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trustgraph.base import EmbeddingsClientSpec, FlowProcessor, PromptClientSpec, TextCompletionClientSpec
from trustgraph.schema import PromptRequest, TextCompletionRequest

from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.processor_mixin import DirectBus
from trustgraph_react_mem.config import system_prompt
from trustgraph_react_mem.processors import embedded_config, embeddings, prompt, text_completion
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder
from trustgraph_react_mem.testing.scripted_model import Rule, ScriptedModel

WORDS = "one two three four"
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
TEMPLATES = {
    "ask": {"prompt": "Ask {{who}}: {% for x in things %}{{x.name}};{% endfor %}"},
    "number": {"prompt": "number {{n}}", "response-type": "json", "schema": SCHEMA},
    "lines": {"prompt": "lines", "response-type": "jsonl", "schema": SCHEMA},
}
RULES = [
    Rule(when="slow", answer="late", delay_s=2.0),
    Rule(when="limited", error="rate-limit"),
    Rule(when="down", error="unavailable"),
    Rule(when="number never", answer="no"),
    Rule(when="It cannot be used", answer='{"a": 2}'),
    Rule(when="number good", answer='Sure: ```json\n{"a": 1,}\n```'),
    Rule(when="number mended", answer='{"a": "two"}'),
    Rule(when="lines", answer='{"a": 1}\n{"b": 1}\n{"a":'),
    Rule(when="Ask", answer=WORDS),
]


def topics(service: str, *names: str) -> dict[str, str]:
    found = {name: f"{name}:tg:{service}:w:f" for name in ("request", "response")}
    return found | {f"{other}-{kind}": f"{kind}:tg:{other}:w:f" for other in names for kind in ("request", "response")}


class Caller(DirectBus, FlowProcessor):
    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        for spec, name in (
            (TextCompletionClientSpec, "text-completion"),
            (PromptClientSpec, "prompt"),
            (EmbeddingsClientSpec, "embeddings"),
        ):
            self.register_specification(spec(f"{name}-request", f"{name}-response"))


@dataclass
class Running:
    model: ScriptedModel
    embedder: HashedEmbedder
    flow: Any


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Running]:
    config = tmp_path / "config.json"
    async with PulsarLite(tmp_path / "bus") as broker:
        base = {"pulsar_host": broker.url, "pubsub_backend": "pulsar", "taskgroup": None}
        service = embedded_config.Processor(**base, id="config-svc", path=str(config))
        definitions = {
            "text-completion": topics("text-completion"),
            "prompt": topics("prompt", "text-completion"),
            "embeddings": topics("embeddings"),
            "caller": topics("x", "text-completion", "prompt", "embeddings"),
        }
        model, embedder = ScriptedModel(rules=RULES, default="nothing"), HashedEmbedder()
        started: list[Any] = [service]
        await service.start()
        await put(service, {f"processor:{name}": {"f": {"topics": given}} for name, given in definitions.items()})
        await put(service, {"prompt": {f"template.{name}": entry for name, entry in TEMPLATES.items()}})
        processors: list[Any] = [
            text_completion.Processor(**base, chat_model=model),
            prompt.Processor(**base),
            embeddings.Processor(**base, embedding_model=embedder),
            Caller(**base, id="caller"),
        ]
        for processor in processors:
            started.append(processor)
            await processor.start()
        yield Running(model=model, embedder=embedder, flow=processors[-1].flows["w", "f"])
        for processor in reversed(started):
            await processor.stop()


async def put(service: Any, entries: dict[str, dict[str, Any]]) -> None:
    from trustgraph.schema import ConfigValue

    values = [
        ConfigValue(type=kind, key=key, value=json.dumps(value))
        for kind, given in entries.items()
        for key, value in given.items()
    ]
    service.file.put("w", values)


async def test_the_services_speak_trustgraphs_messages(running: Running) -> None:
    """One stack for all of it: starting it takes longer than asking."""
    flow, model = running.flow, running.model
    completion, prompts, embedding = flow("text-completion-request"), flow("prompt-request"), flow("embeddings-request")

    answer = await completion.text_completion(system="s", prompt="Ask", timeout=10)
    assert (answer.text, answer.model, answer.out_token) == (WORDS, "scripted", 4)
    assert (model.calls[-1].system, model.calls[-1].prompt) == ("s", "Ask")

    pieces: list[Any] = []

    async def keep(piece: Any) -> None:
        pieces.append(piece)

    result = await completion.text_completion_stream(system="", prompt="Ask", handler=keep, timeout=10)
    assert "".join(piece.response for piece in pieces) == WORDS
    assert [piece.end_of_stream for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    assert len(pieces) > 3
    assert result.out_token == 4

    listed = await completion.request(TextCompletionRequest(operation="list-models"), timeout=10)
    assert [found.id for found in listed.models] == ["scripted"]

    # A model that takes its time, and one that refuses, hold nobody up.
    slow = asyncio.create_task(completion.text_completion(system="", prompt="slow", timeout=60))
    refusals = await asyncio.gather(
        *(completion.request(TextCompletionRequest(prompt=text), timeout=10) for text in ("limited", "down"))
    )
    assert [refusal.error.type for refusal in refusals] == ["too-many-requests", "llm-error"]
    assert not slow.done()
    slow.cancel()

    # Prompts: filled in as stock does, behind the system text, with the tokens of the model.
    asked = await prompts.prompt("ask", {"who": "Ann", "things": [{"name": "x"}, {"name": "y"}]}, timeout=10)
    assert (asked.text, asked.out_token, asked.model) == (WORDS, 4, "scripted")
    assert (model.calls[-1].system, model.calls[-1].prompt) == (system_prompt(), "Ask Ann: x;y;")

    told: list[tuple[str, bool]] = []

    def tell(text: str, end: bool) -> None:
        told.append((text, end))

    await prompts.prompt("ask", {"who": "Ann", "things": []}, timeout=10, streaming=True, chunk_callback=tell)
    assert "".join(text for text, _ in told) == WORDS
    assert [end for _, end in told] == [False] * (len(told) - 1) + [True]

    # JSON: read leniently, mended once, refused after that; lines keep what fits.
    assert (await prompts.prompt("number", {"n": "good"}, timeout=10)).object == {"a": 1}
    assert model.calls[-1].schema == SCHEMA
    before = len(model.calls)
    assert (await prompts.prompt("number", {"n": "mended"}, timeout=10)).object == {"a": 2}
    assert len(model.calls) == before + 2
    broken = await prompts.request(PromptRequest(id="number", terms={"n": '"never"'}), timeout=10)
    assert broken.error.type == "model-answer-error"
    assert (await prompts.prompt("lines", {}, timeout=10)).objects == [{"a": 1}]

    # Errors name what was wrong; the reply always comes.
    missing = await prompts.request(PromptRequest(id="nope"), timeout=10)
    assert (missing.error.type, "template.nope" in missing.error.message) == ("prompt-missing", True)
    wrong = await prompts.request(PromptRequest(id="ask", terms={"who": "no json"}), timeout=10)
    assert (wrong.error.type, "'who'" in wrong.error.message) == ("bad-request", True)
    limited = await prompts.request(PromptRequest(id="ask", terms={"who": '"limited"'}), timeout=10)
    assert limited.error.type == "too-many-requests"

    vectors = await embedding.embed(["a b", "c"], timeout=10)
    np.testing.assert_allclose(np.array(vectors), await running.embedder.vectors(["a b", "c"]), atol=1e-6)
    assert await embedding.embed([], timeout=10) == []
