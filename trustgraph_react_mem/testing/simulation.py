"""A whole write side in one process and one event loop, its people and its misfortunes, all decided by one seed.

People ask, end conversations, read, undo and forget; a worker lives, dies and lives again; bus, stores, clock and models are
simulated, the rules, the worker and its handlers are the real ones.  ``simulate(seed)`` returns what was broken at the end,
and the newest events; the same seed gives the same life.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any, Literal

from ..errors import MemoryServiceError, ModelAnswerError
from ..memory.episodes import EpisodeMemory
from ..memory.facts import FactMemory
from ..memory.ports import Completion, Job, JsonValue, Matrix
from ..memory.reconcile import Reconciler
from ..memory.records import derived_id
from ..memory.scope import Scope
from ..recall.notices import LocalNotices
from ..recall.retrieve import RetrievalQuery, Retriever
from ..reflect.erasure import Level
from ..reflect.forget import forget_job
from ..reflect.handlers import build_handlers
from ..reflect.invocation import turn_id
from ..reflect.reward import RewardHandler
from ..reflect.worker import JobWorker, WorkerLimits
from ..reflect.workshop import Workshop
from ..settings import AgentMemSettings
from .faults import Died, Faults, Faulty, Life
from .hashed_embedder import HashedEmbedder
from .small_stores import MemoryStores
from .topic import SimulatedTopic
from .vector_index import MemoryVectorIndex
from .virtual_time import LoopClock, Stuck, run_in_virtual_time

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
SPAN_S = 120.0  # in which people are active
LONGEST_WAIT_S = 6 * 86_400.0
REPEATED = "We like tea and cake on Sundays"

SCOPES = (
    ("amber", Scope(workspace="w", user="ann", collection="default")),
    ("birch", Scope(workspace="w", user="bob", collection="default")),
    ("cedar", Scope(workspace="w", user="ann", collection="work")),
    ("daisy", Scope(workspace="w", user="", collection="default")),
)


@dataclass(slots=True, kw_only=True)
class Turn:
    """One request of a person.  ``token`` occurs in nothing else; ``confirmed``: the broker said it has it."""

    scope: Scope
    conversation: str
    invocation: str
    token: str
    question: str
    job_id: str
    steps: bool
    rewarded: bool
    ended: bool
    confirmed: bool = False
    gone: Literal["", "question", "all"] = ""


@dataclass(slots=True)
class Parts:
    """What a test may replace by something broken, to see that it is found."""

    topic: Callable[[Faults], SimulatedTopic] = SimulatedTopic
    index: Callable[[Any], MemoryVectorIndex] = MemoryVectorIndex
    stores: Callable[[LoopClock], MemoryStores] = MemoryStores
    limit_s: float = LONGEST_WAIT_S  # after which everything should long be over


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    seed: int
    broken: tuple[str, ...]
    events: tuple[str, ...]
    counts: Mapping[str, int]


class CachedEmbedder(HashedEmbedder):
    """The same texts come again and again."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self._known: dict[str, Any] = {}

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, await self.vectors(new), strict=True))
            self.calls.clear()
        matrix = (await self.vectors([""]))[:0] if not texts else None
        return matrix if matrix is not None else _rows([self._known[text] for text in texts])


def _rows(vectors: Sequence[Any]) -> Matrix:
    import numpy as np

    return np.stack(vectors)


class FickleModel:
    """Reads its prompts as a good model would, unless it is away, talks nonsense or invents."""

    def __init__(self, random: Random, faults: Faults, life: Life) -> None:
        self._random, self._faults, self._life = random, faults, life
        self._nonsense = random.choice((0.0, 0.1, 0.4))

    async def prompt(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        await self._faults.pass_through(self._life, "model", f"asking {prompt_id}")
        if not self._faults.off:
            await asyncio.sleep(self._random.choice((0.1, 1.0, 8.0)))
            if self._random.random() < self._nonsense:
                if self._random.random() < 0.3:
                    raise ModelAnswerError("simulated nonsense")
                wrong: Any = self._random.choice((None, [], {}, {"facts": "none"}, [1, 2], {"episode": 3}))
                return Completion(text="As a model I think that", object=wrong, in_tokens=40, out_tokens=10)
        answer = self._answer(prompt_id, variables)
        await self._faults.pass_through(self._life, "model", f"after {prompt_id}")
        if isinstance(answer, str):
            return Completion(text=answer, in_tokens=100, out_tokens=20)
        return Completion(object=answer, in_tokens=100, out_tokens=20)

    def _answer(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Any:
        lines: Any = variables.get("lines") or []
        said = [line for line in lines if line["speaker"] not in ("Assistant", "Tool")]
        facts = [{"fact": line["text"], "lines": [line["number"]], "importance": 0.8} for line in said]
        if prompt_id == "memory-extract-facts":
            return {"facts": [*facts, {"fact": "Somebody owns 99 yachts in Monaco", "lines": [0]}]}
        if prompt_id == "memory-promote":
            return {"facts": facts[:1], "episode": {"goal": "talk", "outcome": "talked", "lessons": ""}}
        if prompt_id.startswith("memory-reflect-topics"):
            summaries = [{"summary": line["text"], "reference": [line["number"]]} for line in said[:2]]
            return {"extracted_memories": summaries or "NO_TRAIT"}
        if prompt_id == "memory-record-episode":
            return {"goal": variables.get("question"), "outcome": variables.get("answer"), "lessons": "look first"}
        return self._random.choice(("Add()", "Merge(0, nothing that was said)", "?"))


@dataclass(slots=True)
class Process:
    """What one life of the working process consists of."""

    life: Life
    facts: FactMemory
    episodes: EpisodeMemory
    retriever: Retriever
    worker: JobWorker


class World:
    """Durable state, the people, and the process of the moment."""

    def __init__(self, seed: int, parts: Parts) -> None:
        self.random = Random(seed)
        self.faults = Faults.of(self.random, span_s=SPAN_S)
        self.clock = LoopClock(START)
        self.stores = parts.stores(self.clock)
        self.embedder = CachedEmbedder(48)
        self.fact_index = parts.index(self.embedder.profile)
        self.episode_index = parts.index(self.embedder.profile)
        self.topic = parts.topic(self.faults)
        self.people = list(SCOPES[: self.random.choice((2, 3, 4))])
        self.tokens = {scope: token for token, scope in self.people}
        self.settings = AgentMemSettings(
            extract_every_turns=self.random.choice((0, 2, 3)),
            extract_overlap=self.random.choice((0, 1)),
            extract_each_invocation=self.random.random() < 0.3,
            drift_threshold=0.0,
            promote_at_end=self.random.random() < 0.5,
            enable_prospective_reflection=self.random.random() < 0.5,
            daily_token_budget=self.random.choice((0, 0, 600)),
        )
        self.turns: list[Turn] = []
        self.forgotten: list[tuple[Scope, Level, str]] = []  # scope, level, token
        self.erased_jobs: dict[str, int] = {}  # ids published before their scope's erasure was asked for: number published then
        self.broken: list[str] = []
        self.counts = {"asked": 0, "lives": 0, "receipts": 0, "reads": 0, "undone": 0}
        self.process: Process | None = None
        self._stopping = asyncio.Event()

    # ------------------------------------------------------------------------------------------------ the process

    def opened(self, life: Life) -> Process:
        stores, faults, clock = self.stores, self.faults, self.clock

        def graph(port: Any) -> Any:
            return Faulty(port, faults, life, "graph")

        notices = LocalNotices()
        fact_index = Faulty(self.fact_index, faults, life, "vectors", "facts index")
        episode_index = Faulty(self.episode_index, faults, life, "vectors", "episodes index")
        embedder = Faulty(self.embedder, faults, life, "embedder")
        keyring, ledger, weights = graph(stores.keyring), graph(stores.ledger), graph(stores.weights)
        facts = FactMemory(graph(stores.facts), fact_index, embedder, notices, clock)
        episodes = EpisodeMemory(graph(stores.episodes), episode_index, embedder, notices)
        notices.retriever = retriever = Retriever(fact_index, embedder, weight_store=weights, clock=clock)
        model = FickleModel(self.random, faults, life)
        holder: list[JobWorker] = []
        workshop = Workshop(
            facts=facts,
            episodes=episodes,
            conversations=graph(stores.conversations),
            switches=graph(stores.switches),
            weights=weights,
            ledger=ledger,
            keyring=keyring,
            notifier=notices,
            clock=clock,
            model_for=lambda workspace, flow: model,
            settings_for=lambda workspace, flow: self.settings,
            scopes_of=graph(stores.scopes).scopes,
            quiet=lambda scope: holder[0].quiet(scope),
            paused=lambda scope: holder[0].paused(scope),
            reward=RewardHandler(weights=weights, index=fact_index, embedder=embedder, clock=clock, notifier=notices),
        )
        worker = JobWorker(
            source=self.topic.consumer(keyring, life),
            handlers=build_handlers(workshop),
            ledger=ledger,
            publisher=self.topic.publisher(keyring, life),
            keyring=keyring,
            clock=clock,
            limits=WorkerLimits(
                model_lanes=self.random.choice((1, 2)), model_backlog=self.random.choice((3, 1000)), sweep_every_s=60.0
            ),
            random=Random(self.random.random()),
        )
        holder.append(worker)
        return Process(life, facts, episodes, retriever, worker)

    async def lives(self) -> None:
        """One life after the other until the world stops."""
        while not self._stopping.is_set():
            life = Life(self.counts["lives"] + 1)
            self.counts["lives"] += 1
            self.faults.note(f"life {life.number} begins")
            self.process = process = self.opened(life)
            tasks = [asyncio.create_task(process.worker.run()), asyncio.create_task(self._tending(process))]
            ends = [asyncio.create_task(life.over.wait()), asyncio.create_task(self._stopping.wait())]
            await asyncio.wait([*tasks, *ends], return_when=asyncio.FIRST_COMPLETED)
            by_itself = not life.dead and not self._stopping.is_set()
            life.die()
            for task in (*tasks, *ends):
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            if by_itself:
                self.broken.append(f"the worker ended by itself: {[_told(result) for result in results]}")
                self._stopping.set()
            self.process = None
            await asyncio.sleep(self.random.choice((0.0, 1.0, 20.0)))

    async def _tending(self, process: Process) -> None:
        reconciler = Reconciler(process.facts, process.episodes)
        while True:
            try:
                await reconciler.repair()
            except MemoryServiceError as error:
                self.faults.note(f"repair waits: {type(error).__name__}")
            await asyncio.sleep(60.0)

    # ------------------------------------------------------------------------------------------------ people

    async def person(self, token: str, scope: Scope) -> None:
        acts: list[tuple[float, Callable[[str, Scope], Any]]] = [
            (0.72, self._ask),
            (0.80, self._read),
            (0.86, self._undo),
            (0.91, self._forget_record),
            (0.96, self._forget_conversation),
            (1.00, self._forget_collection),
        ]
        for _ in range(self.random.randrange(4, 12)):
            await asyncio.sleep(self.random.expovariate(10 / SPAN_S))
            drawn = self.random.random()
            act = next(act for share, act in acts if drawn <= share)
            await act(token, scope)
        await self._ask(token, scope)

    async def _ask(self, token: str, scope: Scope) -> None:
        number = len(self.turns)
        mark = f"{token}q{number}z"
        conversation = f"c{self.random.randrange(2)}"
        repeated = self.random.random() < 0.15
        question = REPEATED if repeated else f"I keep the {mark} in drawer {self.random.randrange(10, 99)}"
        retrieval = await self._retrieval(scope, question)
        turn = Turn(
            scope=scope,
            conversation=conversation,
            invocation=f"{conversation}-{number}",
            token=mark,
            question=question,
            job_id=derived_id("record", scope.key, number),
            steps=self.random.random() < 0.3,
            rewarded=retrieval is not None,
            ended=self.random.random() < 0.2,
        )
        at = self.clock.now()
        payload: dict[str, JsonValue] = {
            "conversation_id": conversation,
            "invocation_id": turn.invocation,
            "question": question,
            "answer": f"I noted {mark}.",
            "speaker": scope.user.title() or "User",
            "asked_at": at.isoformat(),
            "answered_at": at.isoformat(),
            "steps": [{"thought": "t", "action": "look", "arguments": "{}", "observation": "nothing"}] if turn.steps else [],
            "succeeded": True,
            "recalled": [],
            "retrieval": retrieval,
            "end_of_conversation": turn.ended,
            "flow": "default",
            "explanation": {"recalled": {"gate": "search"}},
        }
        self.turns.append(turn)
        self.counts["asked"] += 1
        job = Job(id=turn.job_id, kind="record", scope=scope, payload=payload, created_at=at)
        try:
            await self.topic.publisher(self.stores.keyring, None).publish([job])
            turn.confirmed = True
        except MemoryServiceError:
            self.faults.note(f"{mark} was not confirmed")

    async def _retrieval(self, scope: Scope, question: str) -> JsonValue:
        if self.random.random() < 0.4:
            return None
        found = await self._retrieved(scope, question)
        if found is None or not found.candidate_ids:
            return None
        shown = list(found.candidate_ids[:3])
        return {
            "candidate_ids": list(found.candidate_ids),
            "shown_ids": shown,
            "cited": [self.random.randrange(len(shown))],
            "citation": "cited",
            "features": found.features.tolist(),
            "feature_names": list(found.feature_names),
            "query": question,
            "mode": "calibrated",
            "policy_version": found.policy_version,
            "seed": 0,
        }

    async def _retrieved(self, scope: Scope, question: str) -> Any:
        """What recall gives now; None when nobody answers.  Anything of others or of the forgotten is noted."""
        if self.process is None:
            return None
        self.counts["reads"] += 1
        gone = {mark for owner, _, mark in self.forgotten if owner == scope}
        try:
            found = await self.process.retriever.retrieve(scope, RetrievalQuery(text=question, candidates=50, top_k=20))
        except (MemoryServiceError, Died):
            return None
        for fact in found.facts:
            if any(mark in fact.content for mark in gone):
                self.broken.append(f"{scope.key}: recall returns what was forgotten: {fact.content!r}")
            if any(token in fact.content for owner, token in self.tokens.items() if owner != scope):
                self.broken.append(f"{scope.key}: recall returns what is another's: {fact.content!r}")
        return found

    async def _read(self, token: str, scope: Scope) -> None:
        await self._retrieved(scope, f"where do I keep the {token}")

    async def _undo(self, token: str, scope: Scope) -> None:
        if self.process is None:
            return
        try:
            learned = await self.process.facts.listing(scope, kinds=("semantic", "topic"), limit=5)
            if learned:
                await self.process.facts.undo(scope, self.random.choice(learned).id, by="person")
                self.counts["undone"] += 1
        except (MemoryServiceError, Died):
            self.faults.note(f"{token}: undo did not answer")

    async def _forget_record(self, token: str, scope: Scope) -> None:
        own = [turn for turn in self._own(scope) if turn.confirmed and not turn.gone and turn.question != REPEATED]
        if own:
            turn = self.random.choice(own)
            record = turn_id(scope, turn.conversation, turn.invocation, "question")
            if await self._forgotten(forget_job(scope, "record", at=self.clock.now(), ids=[record])):
                turn.gone = "question"
                self.forgotten.append((scope, "record", turn.question))
                self.check_forgotten(at="the receipt", newest=1)

    async def _forget_conversation(self, token: str, scope: Scope) -> None:
        name = f"c{self.random.randrange(2)}"
        own = [turn for turn in self._own(scope) if turn.conversation == name and turn.gone != "all"]
        if own and await self._forgotten(forget_job(scope, "conversation", at=self.clock.now(), conversation_id=name)):
            self._mark_gone(own, "conversation")

    async def _forget_collection(self, token: str, scope: Scope) -> None:
        own = [turn for turn in self._own(scope) if turn.gone != "all"]
        before = {job.id: len(self.topic.stored) for job in self.topic.stored if job.scope == scope}
        if own and await self._forgotten(forget_job(scope, "collection", at=self.clock.now())):
            self.erased_jobs |= before
            self._mark_gone(own, "collection")

    def _mark_gone(self, turns: Sequence[Turn], level: Level) -> None:
        for turn in turns:
            turn.gone = "all"
            self.forgotten.append((turn.scope, level, turn.token))
        self.check_forgotten(at="the receipt", newest=len(turns))

    async def _forgotten(self, job: Job) -> bool:
        """Ask until the broker has it, then wait for the receipt."""
        publisher = self.topic.publisher(self.stores.keyring, None)
        while True:
            try:
                await publisher.publish([job])
                break
            except MemoryServiceError:
                await asyncio.sleep(5.0)
        while True:
            for entry in await self.stores.ledger.get([job.id]):
                if entry.state == "done":
                    self.counts["receipts"] += 1
                    self.faults.note(f"receipt for {job.payload['level']} of {job.scope.key}: {job.id[:8]}")
                    receipt = json.loads(entry.summary)
                    if not receipt["complete"]:
                        self.broken.append(f"a receipt says that something is left: {entry.summary}")
                    return True
                if entry.state == "dead":
                    self.broken.append(f"an erasure failed for good: {entry.error}")
                    return False
            await asyncio.sleep(1.0)

    def _own(self, scope: Scope) -> list[Turn]:
        return [turn for turn in self.turns if turn.scope == scope]

    # ------------------------------------------------------------------------------------------------ the end

    async def run(self) -> None:
        lives = asyncio.create_task(self.lives())
        people = [asyncio.create_task(self.person(token, scope)) for token, scope in self.people]
        await self._unless_stopped(asyncio.gather(*people))
        self.faults.off = True
        # a tight budget would only spread the rest over many days
        self.settings = self.settings.model_copy(update={"daily_token_budget": 0})
        self.faults.note("nothing breaks any more")
        if self.process is not None and self.random.random() < 0.5:
            self.process.life.die()
        await self._unless_stopped(asyncio.ensure_future(self._drained()))
        if not self.broken:
            await self._replayed()
        self._stopping.set()
        await lives
        if not self.broken:
            await self._repaired()

    async def _unless_stopped(self, work: "asyncio.Future[Any]") -> None:
        stopped = asyncio.create_task(self._stopping.wait())
        await asyncio.wait([work, stopped], return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if work.done():
            work.result()
        else:
            work.cancel()

    async def _drained(self) -> None:
        while True:
            await asyncio.sleep(120.0)
            deferred = await self.stores.ledger.listing(None, states=("deferred", "queued", "running"), limit=1000)
            process = self.process
            left = self.topic.unacknowledged
            if process is not None and left and all(message.believed for message in left):
                process.life.die()  # they come again to the next consumer only
            if process is not None and not left and not deferred:
                stats = process.worker.stats()
                if stats["queued"] == stats["running"] == "0":
                    return

    async def _replayed(self) -> None:
        """Dead letters are replayed once, by somebody who mended what was wrong."""
        process = self.process
        for entry in await self.stores.ledger.listing(None, states=("dead",), limit=1000):
            if process is not None:
                await process.worker.replay(entry.scope, entry.job_id)
        await self._unless_stopped(asyncio.ensure_future(self._drained()))
        for entry in await self.stores.ledger.listing(None, states=("dead",), limit=1000):
            self.broken.append(f"{entry.kind} {entry.job_id[:8]} is dead also after its replay: {entry.error}")

    async def _repaired(self) -> None:
        facts = FactMemory(self.stores.facts, self.fact_index, self.embedder, LocalNotices(), self.clock)
        episodes = EpisodeMemory(self.stores.episodes, self.episode_index, self.embedder, LocalNotices())
        for _, scope in self.people:
            await Reconciler(facts, episodes).repair_scope(scope)

    def check_forgotten(self, *, at: str, newest: int = 0) -> None:
        from .invariants import still_there

        for scope, level, mark in self.forgotten[-newest:]:
            for place in still_there(self, scope, level, mark):
                self.broken.append(f"{scope.key}: {mark!r} is in {place} at {at}, though its {level} was forgotten")


def _told(result: object) -> str:
    if isinstance(result, BaseExceptionGroup):
        return f"{[_told(each) for each in result.exceptions]}"
    return f"{type(result).__name__}: {result}"


def simulate(seed: int, parts: Parts | None = None) -> Report:
    """One life.  ``broken`` is empty when everything held."""
    from .invariants import violations

    holder: list[World] = []

    async def main() -> None:
        world = World(seed, parts or Parts())
        holder.append(world)
        await world.run()
        if not world.broken:
            world.broken += violations(world)

    try:
        run_in_virtual_time(main(), limit_s=(parts or Parts()).limit_s)
    except Stuck as error:
        holder[0].broken.append(f"{error}: {_waiting_for(holder[0])}")
    world = holder[0]
    counts = {**world.counts, "jobs": len(world.topic.stored)}
    return Report(seed=seed, broken=tuple(dict.fromkeys(world.broken)), events=tuple(world.faults.events), counts=counts)


def _waiting_for(world: World) -> str:
    left = [f"{message.head.kind} {message.head.id[:8]}" for message in world.topic.unacknowledged]
    waiting = [f"{e.kind} {e.job_id[:8]}" for e in world.stores.ledger.entries.values() if e.state == "deferred"]
    stats = world.process.worker.stats() if world.process else {}
    return f"{len(left)} unacknowledged {left[:4]}, {len(waiting)} deferred {waiting[:4]}, {stats}"
