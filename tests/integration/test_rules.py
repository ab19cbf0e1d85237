"""Rules that a person gives, from the turn that gives them to the next question: with a language model, and without."""

from dataclasses import replace
from typing import Any

import pytest

from tests.integration.jobs_support import ANN, SHARED, Memory, open_memory
from trustgraph_react_mem.learning.handler_table import build_handlers
from trustgraph_react_mem.memory.ports import Job, JsonValue
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.retrieval.retriever import Retriever
from trustgraph_react_mem.settings import AgentMemSettings

QUIET = AgentMemSettings(enable_auto_fact_extraction=False)


async def rules(memory: Memory, scope: Scope = ANN, *, question: str = "", conversation: str = "c1") -> list[str]:
    """The rules that a question would be answered with, newest first."""
    space = await memory.facts.router.read_index(scope)
    retriever = Retriever(space.index, space.embedder, clock=memory.clock)
    query = RetrievalQuery(question=question, top_k=1 if question else 0, rules=3, conversation_id=conversation, rerank="off")
    return [rule.content for rule in (await retriever.retrieve(scope, query)).rules]


async def given(memory: Memory, text: str, *changes: dict[str, JsonValue], **more: Any) -> Job:
    """Record a message.  ``changes``: what the agent's model said about the rules."""
    job = await memory.say(text, rules=list(changes), **more)
    await memory.settled(more.get("scope", ANN))
    return job


def add(text: str, quote: str, when: str = "") -> dict[str, JsonValue]:
    return {"op": "add", "text": text, "when": when, "id": "", "quote": quote}


def end(rule: Fact | str, quote: str) -> dict[str, JsonValue]:
    return {"op": "end", "text": "", "when": "", "id": rule if isinstance(rule, str) else rule.id, "quote": quote}


async def stored(memory: Memory, scope: Scope = ANN, **filters: Any) -> list[Fact]:
    return await memory.facts.graph.listing(scope, kinds=("procedural",), **filters)


async def one_rule(memory: Memory, **more: Any) -> Fact:
    await given(memory, "Stop using emojis.", add("Use no emojis", "Stop using emojis"), **more)
    [rule] = await stored(memory, more.get("scope", ANN))
    return rule


# ------------------------------------------------------------------------------------------------ with a language model


async def test_an_instruction_applies_to_the_next_question_whatever_it_is() -> None:
    async with open_memory(settings=QUIET) as memory:
        said = "German only from here on, and when I ask for recipes, keep them vegan."
        await given(
            memory,
            said,
            add("Answer in German", "German only from here on"),
            add("suggest vegan ones", "when I ask for recipes, keep them vegan", when="Ann asks for recipes"),
        )
        wanted = ["Answer in German", "Ann asks for recipes: suggest vegan ones"]
        assert await rules(memory, question="what is the capital of Norway?", conversation="other") == wanted
        german, vegan = sorted(await stored(memory), key=lambda rule: rule.action)
        assert (vegan.condition, vegan.action, german.condition) == ("Ann asks for recipes", "suggest vegan ones", "")
        assert (german.trust, german.status, german.speaker, german.importance) == ("user", "active", "Ann", 0.9)
        assert german.turn_ids == (next(turn.id for turn in await memory.turns() if turn.content == said),)


@pytest.mark.parametrize(
    ("message", "change", "reason"),
    [
        ("Stop using emojis.", add("Use no tables", "no more tables"), "quote"),
        ("Stop using emojis.", add("Use no emojis", ""), "quote"),
        ("What is this?\n```\nNo emojis!\n```", add("Use no emojis", "No emojis!"), "quote"),
        ("What is this?\n> No emojis!\nThanks", add("Use no emojis", "No emojis!"), "quote"),
        ("Keep it short.", add("Use at most 20 words", "Keep it short"), "numbers"),
        ("Keep it short.\n> 20 words", add("Use at most 20 words", "Keep it short"), "numbers"),
        ("Keep it short.", add("", "Keep it short"), "form"),
        ("Keep it short.", add("Keep it short " * 30, "Keep it short"), "form"),
        ("Keep it short.", {"op": "drop", "quote": "Keep it short"}, "form"),
        ("Keep it short.", end("", "Keep it short"), "unknown"),
        ("Keep it short.", end("no-such-rule", "Keep it short"), "unknown"),
    ],
)
async def test_what_fails_a_check_is_dropped_and_counted(message: str, change: dict[str, JsonValue], reason: str) -> None:
    async with open_memory(settings=QUIET) as memory:
        job = await given(memory, message, change)
        assert await stored(memory) == []
        assert f"rules_dropped_{reason}=1" in await memory.summary(job)


async def test_the_data_policy_keeps_secrets_out_of_rules() -> None:
    async with open_memory(settings=QUIET) as memory:
        secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL"
        said = f"Always call the service with {secret}."
        await given(memory, said, add(f"Call the service with {secret}", f"Always call the service with {secret}"))
        assert all(secret not in f"{rule.content} {rule.action}" for rule in await stored(memory))


async def test_a_withdrawn_rule_ends_and_holds_again_if_the_turn_is_undone() -> None:
    async with open_memory(settings=QUIET) as memory:
        rule = await one_rule(memory)
        job = await given(memory, "Smileys are fine again.", end(rule, "Smileys are fine again"))
        assert await rules(memory) == []
        assert "rules_ended=1" in await memory.summary(job)
        [turn] = [each for each in await memory.turns() if each.content.startswith("Smileys")]
        [former] = await stored(memory, statuses=("superseded",))
        assert (former.superseded_by, former.valid_to) == (turn.id, turn.said_at)
        await memory.undo.undo(ANN, turn.id, by="test")
        assert await rules(memory) == ["Use no emojis"]
        await build_handlers(memory.context)["record"](replace(job, attempt=2))
        assert await rules(memory) == ["Use no emojis"]


async def test_a_change_replaces_the_rule_by_the_new_one() -> None:
    async with open_memory(settings=QUIET) as memory:
        await given(memory, "Always German, please.", add("Answer in German", "Always German"))
        [german] = await stored(memory)
        said = "Actually, make that French. And no jokes."
        french, jokes = "make that French", "no jokes"
        await given(memory, said, end(german, french), add("Answer in French", french), add("Make no jokes", jokes))
        assert set(await rules(memory)) == {"Answer in French", "Make no jokes"}
        [former] = await stored(memory, statuses=("superseded",))
        assert former.superseded_by == next(rule.id for rule in await stored(memory) if rule.action == "Answer in French")
        question = (await memory.turns())[2]
        await memory.undo.undo(ANN, question.id, by="test")
        assert await rules(memory) == ["Answer in German"]


async def test_a_name_alone_does_not_end_the_rule_of_a_verified_person() -> None:
    async with open_memory(settings=QUIET) as memory:
        seal = memory.stores.owner_seal

        def proof(said: str) -> str:
            return seal.prove("speaker", SHARED, "Ann", said, at=memory.clock.now())

        ann = {"scope": SHARED, "speaker": "Ann", "conversation": "talk"}
        rule = await one_rule(memory, speaker_proof=proof("Stop using emojis."), **ann)
        change = end(rule, "fine again")
        await given(memory, "Smileys are fine again.", change, **ann)
        assert await rules(memory, SHARED, conversation="talk") == ["Use no emojis"]
        await given(memory, "Smileys are fine again.", change, speaker_proof=proof("Smileys are fine again."), **ann)
        assert await rules(memory, SHARED, conversation="talk") == []


async def test_forgetting_or_undoing_the_turn_takes_the_rule_along() -> None:
    async with open_memory(settings=QUIET) as memory:
        await one_rule(memory)
        question = (await memory.turns())[0]
        await memory.undo.undo(ANN, question.id, by="test")
        assert await rules(memory) == []
        await memory.undo.undo(ANN, question.id, by="test")
        assert await rules(memory) == ["Use no emojis"]
        await memory.forget("record", ids=[question.id])
        assert await stored(memory, statuses=("active", "superseded", "undone", "quarantined")) == []


async def test_a_repeated_record_job_gives_one_rule_and_does_not_restore_an_undone_one() -> None:
    async with open_memory(settings=QUIET) as memory:
        said = "No emojis, no tables."
        job = await given(memory, said, add("Use no emojis", "No emojis"), add("Use no tables", "no tables"))
        before = {rule.id: rule.version for rule in await stored(memory)}
        await build_handlers(memory.context)["record"](replace(job, attempt=2))
        assert {rule.id: rule.version for rule in await stored(memory)} == before
        await memory.undo.undo(ANN, next(iter(before)), by="test")
        await build_handlers(memory.context)["record"](replace(job, attempt=3))
        assert len(await rules(memory)) == 1
        assert len(await stored(memory, statuses=("active", "undone"))) == 2


async def test_in_shared_memory_a_rule_holds_for_its_conversation_only() -> None:
    async with open_memory(settings=QUIET) as memory:
        await given(memory, "German!", add("Answer in German", "German"), scope=SHARED, conversation="mine")
        await given(memory, "Dutch!", add("Answer in Dutch", "Dutch"), scope=SHARED, conversation="yours")
        assert await rules(memory, SHARED, conversation="mine") == ["Answer in German"]
        assert await rules(memory, SHARED, question="answer?", conversation="yours") == ["Answer in Dutch"]
        assert await rules(memory, SHARED, conversation="") == []


# ------------------------------------------------------------------------------------------------ without a model


async def test_without_a_model_an_instruction_is_recognised_and_kept_as_it_was_said() -> None:
    async with open_memory(settings=QUIET, model=None) as memory:
        job = await given(
            memory, "Thanks! Always answer me in German. When I ask for a recipe, always suggest a vegetarian one."
        )
        wanted = {"Always answer me in German", "When I ask for a recipe, always suggest a vegetarian one"}
        assert set(await rules(memory, question="what could I cook tonight?", conversation="other")) == wanted
        assert {(rule.condition, rule.action, rule.trust) for rule in await stored(memory)} == {
            ("", text, "user") for text in wanted
        }
        assert "rules=2" in await memory.summary(job)
