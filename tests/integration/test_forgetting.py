"""What a person expects to be gone is gone: the words of a forgotten turn wherever they were copied, and nothing else."""

import json
from pathlib import Path

from jobs_support import ANN, open_memory
from test_job_attacks import everything

from trustgraph_react_mem.memory.ports import JsonValue
from trustgraph_react_mem.reflect.forget import forget_job
from trustgraph_react_mem.reflect.redaction import FORGOTTEN
from trustgraph_react_mem.settings import AgentMemSettings


async def test_the_words_of_a_forgotten_turn_are_gone_from_its_conversation_too(tmp_path: Path) -> None:
    """Invocation, its steps and summary, the conversation's summary and episode; the rest of it stays, with a mark."""
    word = "zanzibar"
    steps = [{"thought": f"keep {word}", "action": "look", "arguments": f'{{"for": "{word}"}}', "observation": f"no {word}"}]
    settings = AgentMemSettings(promote_at_end=True, drift_threshold=0.0, fact_quota=0, episode_quota=0)
    answers = {
        "memory-extract-facts": {"facts": []},
        "memory-reflect-topics-speaker-1": {"extracted_memories": "NO_TRAIT"},
        "memory-record-episode": {"goal": f"keep {word}", "outcome": "kept", "lessons": ""},
        "memory-promote": {"facts": [], "episode": {"goal": f"talk about {word}", "outcome": "talked", "lessons": ""}},
        "memory-compact": f"They spoke of {word}.",
        "memory-summarise-invocation": f"The PIN is {word}.",
    }
    async with open_memory(tmp_path, answers=answers, settings=settings) as memory:
        await memory.say("My cat is called Minka.", "A nice name.")
        await memory.say(
            f"My PIN is {word}.", "I shall keep it to myself. " * 80, steps=steps, explanation={"recalled": {"gate": "x"}}
        )
        await memory.say("Thank you.", "You are welcome.", end=True)
        await memory.settled()
        await memory.submit("compact", {"conversation_id": "c1", "keep_last": 1})
        await memory.settled()
        before = await everything(memory)
        assert before.count(word) > 6
        (turn,) = [turn for turn in await memory.turns() if word in turn.content]
        job = forget_job(ANN, "record", at=memory.clock.now(), ids=[turn.id])
        await memory.worker.submit(job)
        await memory.settled()
        receipt = json.loads(await memory.summary(job))
        assert receipt["places"]["graph.invocations"] == {"found": 1, "removed": 1, "left": 0}
        assert receipt["places"]["graph.episodes"] == {"found": 2, "removed": 2, "left": 0}
        assert word not in await everything(memory)
        conversation = await memory.stores.conversations.get(ANN, "c1")
        assert conversation is not None
        first, second, third = conversation.invocations
        assert (first.query, third.query) == ("My cat is called Minka.", "Thank you.")
        assert (second.query, second.steps) == (FORGOTTEN, (FORGOTTEN,))
        assert second.result.startswith("I shall keep it")  # the answer is a record of its own
        assert json.loads(conversation.metadata[f"why:{second.id}"]) == {"recalled": {"gate": "x"}}
        assert [turn.content for turn in await memory.turns()][:2] == ["My cat is called Minka.", "A nice name."]
        # the same once more, and the answer's words with it
        (answer,) = [turn for turn in await memory.turns() if turn.content.startswith("I shall keep it")]
        job = forget_job(ANN, "record", at=memory.clock.now(), ids=[turn.id, answer.id])
        await memory.worker.submit(job)
        await memory.settled()
        conversation = await memory.stores.conversations.get(ANN, "c1")
        assert conversation is not None
        assert [item.result for item in conversation.invocations] == ["A nice name.", FORGOTTEN, "You are welcome."]


async def test_a_conversation_that_takes_the_id_of_a_forgotten_one_ends_anew(tmp_path: Path) -> None:
    """Also when its requests have the ids of the forgotten ones: it is reflected on once more."""
    topic = {"extracted_memories": [{"summary": "Ann likes tea", "reference": [0]}]}
    answers = {"memory-reflect-topics-speaker-1": topic, "memory-extract-facts": {"facts": []}, "memory-update-topics": "Add()"}
    settings = AgentMemSettings(drift_threshold=0.0, promote_at_end=False)
    async with open_memory(tmp_path, answers=answers, settings=settings) as memory:
        for life in range(2):
            memory.clock.advance(60)
            at = memory.clock.now().isoformat()
            request: dict[str, JsonValue] = {
                "conversation_id": "c1",
                "invocation_id": "c1-0",
                "question": "I like tea.",
                "answer": "So do I.",
                "speaker": "Ann",
                "asked_at": at,
                "answered_at": at,
                "steps": [],
                "succeeded": True,
                "recalled": [],
                "retrieval": None,
                "end_of_conversation": True,
            }
            await memory.submit("record", request, job_id=f"record {life}")
            await memory.settled()
            assert [fact.content for fact in await memory.learned()] == ["Ann likes tea"], life
            await memory.worker.submit(forget_job(ANN, "conversation", at=memory.clock.now(), conversation_id="c1"))
            await memory.settled()
            assert await memory.learned() == []
