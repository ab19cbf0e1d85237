"""What is learned after a turn, end to end: topic, worker, handlers, real stores."""

from pathlib import Path

from jobs_support import ANN, open_memory

FACTS = {
    "facts": [
        {
            "fact": "Ann moved from Oslo to Bergen in May",
            "kind": "semantic",
            "entities": ["Ann", "Oslo", "Bergen"],
            "relations": [["Ann", "lives in", "Bergen"]],
            "importance": 0.8,
            "lines": [0],
        },
        {"fact": "Ann owns a yacht called Neptune", "importance": 0.9, "lines": [0]},
    ]
}


async def test_a_turn_becomes_two_verbatim_records_and_an_invocation(tmp_path: Path) -> None:
    async with open_memory(tmp_path) as memory:
        job = await memory.say("I moved from Oslo to Bergen in May.", "Congratulations!")
        await memory.settled()
        question, answer = await memory.turns()
        assert (question.content, question.speaker, question.trust, question.position) == (
            "I moved from Oslo to Bergen in May.",
            "Ann",
            "user",
            0,
        )
        assert (answer.content, answer.trust, answer.position) == ("Congratulations!", "assistant", 1)
        assert question.said_at is not None
        conversation = await memory.stores.conversations.get(ANN, "c1")
        assert conversation is not None
        assert [item.query for item in conversation.invocations] == ["I moved from Oslo to Bergen in May."]
        assert await memory.state(job) == "done"


async def test_the_end_of_a_conversation_extracts_supported_facts_only(tmp_path: Path) -> None:
    answers = {
        "memory-extract-facts": FACTS,
        "memory-reflect-topics-speaker-1": {"extracted_memories": "NO_TRAIT"},
        "memory-promote": {"facts": [], "episode": {"goal": "Tell about the move", "outcome": "told"}},
    }
    async with open_memory(tmp_path, answers=answers) as memory:
        await memory.say("I moved from Oslo to Bergen in May.", "Congratulations!", end=True)
        await memory.settled()
        [fact] = await memory.learned()
        assert fact.content == "Ann moved from Oslo to Bergen in May"
        assert (fact.trust, fact.status, fact.trigger, fact.speaker) == ("user", "active", "end", "Ann")
        assert fact.turn_ids == ((await memory.turns())[0].id,)
        assert await memory.facts.neighbours(ANN, ["Bergen"]) == [fact.id]
        [extract] = [entry for entry in await memory.worker.listing(ANN) if entry.kind == "extract"]
        assert "unsupported=1" in extract.summary
