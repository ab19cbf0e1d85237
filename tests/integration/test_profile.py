"""The profile of a person: what it is made of, when it is shown, and that it goes with its sources."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.integration.jobs_support import ANN, BOB, Memory, open_memory
from tests.integration.test_job_attacks import everything
from trustgraph_react_mem.erasure.forget import forget_job
from trustgraph_react_mem.memory.ports import JsonValue
from trustgraph_react_mem.memory.profile import MOST_PROFILE_TOKENS, PROFILE, PROFILE_SOURCE
from trustgraph_react_mem.memory.records import Fact, FactStatus, Trust
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.tokens import count_tokens
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.retrieval.retriever import Retriever
from trustgraph_react_mem.schema import Fact as WireFact
from trustgraph_react_mem.settings import AgentMemSettings

SHARED = Scope(workspace="w", user="", collection="default")
ON = AgentMemSettings(
    enable_profile=True,
    drift_threshold=0.0,
    enable_auto_fact_extraction=False,
    enable_prospective_reflection=False,
    enable_episode_recording=False,
    consolidate_after_facts=0,
    insight_after_episodes=0,
)
HARBOUR, CHESS = "The user works at the harbour", "The user plays chess with Nora"


def told(*sentences: tuple[str, list[int]]) -> Mapping[str, JsonValue]:
    return {"memory-profile": {"sentences": [{"text": text, "lines": list(lines)} for text, lines in sentences]}}


async def learn(
    memory: Memory, content: str, *, scope: Scope = ANN, trust: Trust = "user", importance: float = 0.5, speaker: str = ""
) -> Fact:
    memory.clock.advance(60)
    now = memory.clock.now()
    fact = Fact(
        id=f"{scope.user}-{content}",
        scope=scope,
        kind="semantic",
        content=content,
        created_at=now,
        trust=trust,
        importance=importance,
        speaker=speaker,
    )
    [stored] = await memory.facts.store(scope, [fact])
    return stored


async def run(memory: Memory, scope: Scope = ANN) -> str:
    """The summary of a profile job."""
    memory.clock.advance(60)
    job = await memory.submit("profile", {}, scope=scope)
    await memory.settled(scope)
    return await memory.summary(job)


async def shown(memory: Memory, scope: Scope = ANN, *, hot_records: int = 1000, question: str = "") -> WireFact | None:
    space = await memory.facts.router.read_index(scope)
    retriever = Retriever(space.index, space.embedder, clock=memory.clock, hot_records=hot_records)
    query = RetrievalQuery(question=question, top_k=10 if question else 0, profile=True, rerank="off")
    found = await retriever.retrieve(scope, query)
    assert not any(PROFILE in fact.metadata for fact in found.facts), "the profile took the place of a memory"
    return found.profile


async def text(memory: Memory, scope: Scope = ANN, *, hot_records: int = 1000) -> str:
    profile = await shown(memory, scope, hot_records=hot_records)
    return profile.content if profile else ""


async def stored(memory: Memory, status: FactStatus = "active", scope: Scope = ANN) -> list[Fact]:
    return await memory.facts.graph.listing(scope, statuses=(status,), source=PROFILE_SOURCE)


@pytest.mark.parametrize("hot_records", [1000, 0])
async def test_the_end_of_a_conversation_makes_a_profile_of_supported_sentences(hot_records: int) -> None:
    answers = told((f"{HARBOUR} and plays chess with Nora.", [0, 1]), ("The user has three boats.", [0]), ("Nora is 50.", [1]))
    async with open_memory(settings=ON, answers=answers) as memory:
        await learn(memory, CHESS, importance=0.4)
        await learn(memory, HARBOUR, importance=0.9)
        await memory.say("Bye", end=True)
        await memory.settled()
        profile = await shown(memory, hot_records=hot_records, question="who plays chess at the harbour?")
        assert profile is not None
        assert profile.content == f"{HARBOUR} and plays chess with Nora."
        assert (profile.kind, profile.trust, profile.status) == ("reflective", "assistant", "active")
        [entry] = [each for each in await memory.worker.admin.listing(ANN, limit=100) if each.kind == "profile"]
        assert (entry.trigger, entry.summary) == ("end", "facts=2 sentences=1 unsupported=2")


async def test_off_nothing_is_made() -> None:
    off = ON.model_copy(update={"enable_profile": False})
    async with open_memory(settings=off, model=None) as memory:
        await learn(memory, HARBOUR)
        await memory.say("Bye", end=True)
        await memory.settled()
        assert await text(memory) == ""
        assert "profile" not in {each.kind for each in await memory.worker.admin.listing(ANN, limit=100)}


NONSENSE: tuple[JsonValue, ...] = (
    {"sentences": []},
    {"sentences": "none"},
    {"sentences": [1, None, {"text": 3, "lines": [0]}, {"text": HARBOUR}, {"text": HARBOUR, "lines": [7, "0", True]}]},
    {"sentences": [{"text": "The user lives on the moon.", "lines": [0, 1]}]},
    {"sentences": [{"text": "word " * 400, "lines": [0]}]},
    "I would rather not.",
)


@pytest.mark.parametrize("answer", [None, *NONSENSE])
async def test_without_a_usable_answer_the_facts_are_taken_as_they_are(answer: JsonValue) -> None:
    model = None if answer is None else "scripted"
    async with open_memory(settings=ON, model=model, answers={"memory-profile": answer}) as memory:
        await learn(memory, CHESS, importance=0.4)
        await learn(memory, "The user plays chess with Nora now", importance=0.3)  # adds nothing
        await learn(memory, HARBOUR, importance=0.9)
        await run(memory)
        assert await text(memory) == f"{HARBOUR}. {CHESS}."


async def test_a_profile_is_short() -> None:
    async with open_memory(settings=ON, model=None) as memory:
        for n in range(40):
            await learn(memory, " ".join(f"w{n}x{k}" for k in range(6)))
        await run(memory)
        assert 0 < count_tokens(await text(memory)) <= MOST_PROFILE_TOKENS


@pytest.mark.parametrize("trust", ["assistant", "tool", "document", "import"])
async def test_only_what_the_person_said_counts(trust: Trust) -> None:
    async with open_memory(settings=ON, model=None) as memory:
        await learn(memory, HARBOUR, trust=trust)
        assert await run(memory) == "facts=0"
        await learn(memory, CHESS)
        await run(memory)
        assert await text(memory) == f"{CHESS}."


async def test_of_several_speakers_none_is_taken_for_the_user() -> None:
    async with open_memory(settings=ON, model=None) as memory:
        await learn(memory, HARBOUR, speaker="Ann")
        await run(memory)
        assert await text(memory) == f"{HARBOUR}."
        await learn(memory, CHESS, speaker="Ben")
        assert await run(memory) == "facts=0"


async def test_a_person_who_uses_several_programs_is_one_speaker() -> None:
    """Before, the label of a program that names nobody counted as another person, and the profile was empty."""
    async with open_memory(settings=ON, model=None) as memory:
        await learn(memory, HARBOUR, speaker="Ann")
        await learn(memory, CHESS, speaker="User")
        await run(memory)
        assert await text(memory) == f"{CHESS}. {HARBOUR}."
        await learn(memory, "The user sings", speaker="Ben")
        await run(memory)
        assert await text(memory) == f"{CHESS}."


async def test_users_do_not_see_each_other_and_a_shared_memory_has_no_profile() -> None:
    async with open_memory(settings=ON, model=None) as memory:
        await learn(memory, HARBOUR)
        await learn(memory, CHESS, scope=BOB)
        await learn(memory, CHESS, scope=SHARED)
        await run(memory)
        await run(memory, BOB)
        assert await run(memory, SHARED) == "shared"
        assert (await text(memory), await text(memory, BOB), await text(memory, SHARED)) == (f"{HARBOUR}.", f"{CHESS}.", "")


async def test_a_new_profile_supersedes_the_former_and_undo_restores_it() -> None:
    async with open_memory(settings=ON, model=None) as memory:
        await learn(memory, HARBOUR)
        await run(memory)
        assert await run(memory) == "facts=1 unchanged"
        await learn(memory, CHESS)
        await run(memory)
        [now] = await stored(memory)
        assert await text(memory) == f"{CHESS}. {HARBOUR}."
        await memory.undo.undo(ANN, now.id, by="test")
        assert await text(memory) == f"{HARBOUR}."
        assert await run(memory) == "facts=2 unchanged"  # what a person undid is not made again from the same facts
        await memory.undo.undo(ANN, now.id, by="test")
        assert await text(memory) == f"{CHESS}. {HARBOUR}."


@pytest.mark.parametrize("hot_records", [1000, 0])
async def test_a_sentence_is_shown_only_while_its_source_holds(hot_records: int) -> None:
    async with open_memory(settings=ON, model=None) as memory:
        harbour = await learn(memory, HARBOUR)
        chess = await learn(memory, CHESS)
        await run(memory)
        new = replace(harbour, id="new", content="The user works at the airport", created_at=memory.clock.now())
        await memory.facts.supersede(ANN, [harbour.id], new)
        assert await text(memory, hot_records=hot_records) == f"{CHESS}."
        await memory.facts.update(ANN, replace(chess, content="The user plays chess with Olga", version=chess.version + 1))
        assert await text(memory, hot_records=hot_records) == ""
        await run(memory)
        assert await text(memory, hot_records=hot_records) == "The user works at the airport. The user plays chess with Olga."


async def test_an_undone_source_takes_the_profile_with_it_until_it_is_restored() -> None:
    async with open_memory(settings=ON, model=None) as memory:
        harbour = await learn(memory, HARBOUR)
        await learn(memory, CHESS)
        await run(memory)
        await memory.undo.undo(ANN, harbour.id, by="test")
        assert await text(memory) == ""
        assert await stored(memory) == []
        await memory.undo.undo(ANN, harbour.id, by="test")
        assert await text(memory) == f"{CHESS}. {HARBOUR}."
        await memory.undo.undo(ANN, harbour.id, by="test")
        await run(memory)
        assert await text(memory) == f"{CHESS}."


async def test_a_forgotten_source_is_gone_from_every_profile() -> None:
    """Also from one that a model wrote, where the words of a fact may be in the sentence of another."""
    answers = told(("The user works at the zanzibar and plays chess with Nora.", [1, 0]), (CHESS, [0]))
    async with open_memory(settings=ON, answers=answers) as memory:
        secret = await learn(memory, "The user works at the zanzibar")
        await learn(memory, CHESS)
        await run(memory)
        await learn(memory, "The user likes tea")  # and a newer version
        await run(memory)
        assert len(await stored(memory)) == len(await stored(memory, "superseded")) == 1
        job = forget_job(ANN, "record", at=memory.clock.now(), ids=[secret.id])
        await memory.worker.pending.publish([job])
        await memory.settled()
        receipt = json.loads(await memory.summary(job))
        assert receipt["places"]["graph.facts"] == {"found": 3, "removed": 3, "left": 0}
        assert "zanzibar" not in await everything(memory)
        assert await stored(memory) == await stored(memory, "superseded") == []
        memory.model.answers["memory-profile"] = ""
        await run(memory)
        assert "zanzibar" not in await text(memory)


async def test_expired_facts_leave_with_the_profiles_made_from_them() -> None:
    settings = ON.model_copy(update={"fact_ttl_days": 7})
    async with open_memory(settings=settings, model=None) as memory:
        await learn(memory, "The user works at the zanzibar")
        memory.clock.advance(5 * 86400)
        await learn(memory, CHESS)
        await run(memory)
        memory.clock.advance(3 * 86400)
        await memory.submit("retain", {})
        await memory.settled()
        assert "zanzibar" not in await everything(memory)
        assert CHESS in await everything(memory)
