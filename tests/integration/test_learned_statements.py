"""What extraction and reflection keep of a model's statements, through real jobs and stores.

The scripted conversation is on Sunday, 2026-03-01.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.doubles.jobs import InTurn
from tests.integration.jobs_support import ANN, Memory, open_memory
from trustgraph_react_mem.memory.ports import JsonValue
from trustgraph_react_mem.settings import AgentMemSettings

# All facts are compared, also those that the test embeddings find less alike than real ones do.
EVERY_TURN = AgentMemSettings(
    extract_each_invocation=True, drift_threshold=0.0, promote_at_end=False, near_duplicate_threshold=0.3
)


def facts(*texts: str, **more: object) -> dict[str, object]:
    return {"facts": [{"fact": text, "lines": [0], **more} for text in texts]}


NURSE = "Ann lives in Oslo, works as a nurse, and is allergic to nuts"


async def learn(
    memory: Memory, said: str, *texts: str, answer: str = "Noted.", turn: Mapping[str, JsonValue] | None = None, **more: object
) -> str:
    """Say something, extract the texts from it, and return the summary of the extraction.  ``turn``: fields of the turn."""
    memory.model.answers["memory-extract-facts"] = facts(*texts, **more)
    await memory.say(said, answer, **(turn or {}))  # type: ignore[arg-type]
    await memory.settled()
    entries = [entry for entry in await memory.worker.admin.listing(ANN) if entry.kind == "extract"]
    return max(entries, key=lambda entry: entry.updated_at).summary


async def contents(memory: Memory) -> list[str]:
    return [fact.content for fact in await memory.learned()]


@pytest.mark.parametrize(
    ("said", "claimed"),
    [
        ("The dose of warfarin is 1.5 mg a day", "Ann's dose of warfarin is 15 mg a day"),
        ("I owe Bob money", "Bob owes Ann money"),
        ("I never eat fish", "Ann eats fish"),
        ("What may I not cook for Leila?", "What may I not cook for Leila?"),
        ("What may I not cook for Leila?", "Ann asks what she may not cook for Leila"),
        ("Wo wohne ich?", "Ann möchte wissen, wo sie wohnt"),
        ("Hello there, thanks!", "Ann said hello and thanks"),
        ("I moved to Bergen", "The assistant noted that"),
    ],
)
async def test_a_false_statement_is_not_stored(said: str, claimed: str) -> None:
    async with open_memory(settings=EVERY_TURN, answers={}) as memory:
        await learn(memory, said, claimed)
        assert await contents(memory) == []


@pytest.mark.parametrize(
    ("said", "claimed"),
    [
        ("I have two cats", "Ann has 2 cats"),
        ("We start at 5pm", "Ann starts at 17:00"),
        ("My dentist appointment is next Friday", "Ann's dentist appointment is on 2026-03-06"),
    ],
)
async def test_the_same_value_in_other_words_is_stored(said: str, claimed: str) -> None:
    async with open_memory(settings=EVERY_TURN, answers={}) as memory:
        await learn(memory, said, claimed)
        assert await contents(memory) == [claimed]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I take medication A in the morning", "I take medication B in the morning"),
        ("I paid Bob 50 euros", "I paid Bob 70 euros"),
        ("I like coffee", "I like coffee without sugar"),
        ("I studied in Oslo", "I moved from Oslo to Bergen"),
    ],
)
async def test_two_facts_stay_two(first: str, second: str) -> None:
    async with open_memory(settings=EVERY_TURN, answers={}) as memory:
        for text in (first, second):
            claim = text.replace("I take", "Ann takes").replace("I like", "Ann likes").replace("I ", "Ann ")
            await learn(memory, text, claim, changes=True)
        assert len(await contents(memory)) == 2


async def test_a_state_that_changed_is_superseded() -> None:
    async with open_memory(settings=EVERY_TURN, answers={}) as memory:
        await learn(memory, "I live in Oslo", "Ann lives in Oslo")
        await learn(memory, "I live in Bergen", "Ann lives in Bergen")
        assert await contents(memory) == ["Ann lives in Bergen"]


async def test_an_older_conversation_that_is_imported_ends_no_newer_state() -> None:
    async with open_memory(settings=EVERY_TURN, answers={}) as memory:
        await learn(memory, "I live in Bergen", "Ann lives in Bergen")
        years_ago: dict[str, JsonValue] = {
            "conversation": "imported",
            "asked_at": "2021-05-04T10:00:00+00:00",
            "answered_at": "2021-05-04T10:00:05+00:00",
        }
        await learn(memory, "I live in Oslo", "Ann lives in Oslo", turn=years_ago)
        [bergen] = [fact for fact in await memory.learned() if fact.content == "Ann lives in Bergen"]
        assert (bergen.status, bergen.valid_to) == ("active", None)
        assert memory.asked["imported"] == 0


async def test_a_plan_does_not_end_the_present_state() -> None:
    async with open_memory(settings=EVERY_TURN, answers={}) as memory:
        await learn(memory, "I live in Oslo", "Ann lives in Oslo")
        await learn(memory, "I live in Bergen from May on", "Ann lives in Bergen from May on", valid_from="2026-05-01")
        assert len(await contents(memory)) == 2


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ({"relation": "same"}, ["Ann enjoys green tea"]),
        ({"relation": "both"}, ["Ann enjoys green tea", "Ann likes green tea"]),
        ({"relation": "replaces"}, ["Ann likes green tea"]),
        ("I think so", ["Ann enjoys green tea", "Ann likes green tea"]),
    ],
)
async def test_the_model_decides_where_rules_cannot(answer: Any, kept: list[str]) -> None:
    answers = {"memory-relate-facts": answer}
    async with open_memory(settings=EVERY_TURN, answers=answers) as memory:
        await learn(memory, "I enjoy green tea", "Ann enjoys green tea")
        await learn(memory, "I like green tea", "Ann likes green tea")
        assert await contents(memory) == kept
        assert memory.model.called("memory-relate-facts") >= 1


async def test_a_relative_time_is_stored_with_its_dates() -> None:
    async with open_memory(settings=EVERY_TURN, answers={}) as memory:
        await learn(memory, "I fly to Rome next week", "Ann flies to Rome next week")
        [fact] = await memory.learned()
        assert fact.content == "Ann flies to Rome next week (2026-03-02 to 2026-03-08)"
        assert fact.valid_from is not None
        assert fact.valid_from.date().isoformat() == "2026-03-02"


async def test_extraction_shows_speaker_and_date_of_each_line() -> None:
    async with open_memory(settings=EVERY_TURN, answers={}) as memory:
        await learn(memory, "I like tea", "Ann likes tea")
        lines: Any = next(variables for name, variables in memory.model.calls if name == "memory-extract-facts")["lines"]
        assert [(line["speaker"], line["date"]) for line in lines] == [
            ("Ann", "2026-03-01, Sunday"),
            ("Assistant", "2026-03-01, Sunday"),
        ]


@pytest.mark.parametrize(
    ("valid_from", "valid_to", "stored"),
    [
        ("2026-03-05", "2026-03-20", ("2026-03-05", "2026-03-20")),
        ("2026-04", "2026-06", ("2026-04-01", "2026-06-30")),
        ("2027", "present", ("2027-01-01", None)),
        ("2026-05-01", "2026-03-05", (None, None)),
        ("0001-01-01", "9999-12-31", (None, None)),
        ("2026-03-05", "2026-03-05", ("2026-03-05", None)),
        (5, ["x"], (None, None)),
    ],
)
async def test_times_of_validity_are_read_and_checked(
    valid_from: object, valid_to: object, stored: tuple[str | None, str | None]
) -> None:
    async with open_memory(settings=EVERY_TURN, answers={}) as memory:
        await learn(memory, "I stay with my aunt", "Ann stays with her aunt", valid_from=valid_from, valid_to=valid_to)
        [fact] = await memory.learned()
        assert tuple(at and at.date().isoformat() for at in (fact.valid_from, fact.valid_to)) == stored


async def test_an_answer_of_the_assistant_replaces_no_topic_of_a_person() -> None:
    """The assistant's wrong answer to a question becomes no person's topic and takes nothing away from one."""
    answers = {
        "memory-extract-facts": {"facts": []},
        "memory-promote": {"facts": [], "episode": {}},
        "memory-reflect-topics-speaker-1": InTurn(
            {"extracted_memories": [{"summary": "Ann lives in Oslo and works as a nurse", "reference": [0]}]},
            {"extracted_memories": [{"summary": "Ann lives in Hamburg", "reference": [0, 1]}]},
        ),
        "memory-update-topics": 'Merge(0, "Ann lives in Hamburg and works as a nurse in Oslo")',
    }
    async with open_memory(answers=answers) as memory:
        await memory.say("I live in Oslo and work as a nurse", "Noted.", conversation="s1", end=True)
        await memory.settled()
        await memory.say("Where do I live now?", "You, Ann, live in Hamburg.", conversation="s2", end=True)
        await memory.settled()
        topics = {fact.content: fact.trust for fact in await memory.learned(kinds=("topic",))}
        assert topics["Ann lives in Oslo and works as a nurse"] == "user"
        assert topics.get("Ann lives in Hamburg", "assistant") == "assistant"


async def test_a_merge_that_leaves_facts_out_is_refused() -> None:
    answers = {
        "memory-extract-facts": {"facts": []},
        "memory-promote": {"facts": [], "episode": {}},
        "memory-reflect-topics-speaker-1": InTurn(
            {"extracted_memories": [{"summary": NURSE, "reference": [0]}]},
            {"extracted_memories": [{"summary": "Ann lives in Bergen", "reference": [0]}]},
        ),
        "memory-update-topics": 'Merge(0, "Ann lives in Bergen")',
    }
    async with open_memory(answers=answers) as memory:
        await memory.say("I live in Oslo, I work as a nurse, and I am allergic to nuts", conversation="s1", end=True)
        await memory.settled()
        await memory.say("I live in Bergen", conversation="s2", end=True)
        await memory.settled()
        assert len(await memory.learned(kinds=("topic",))) == 2
