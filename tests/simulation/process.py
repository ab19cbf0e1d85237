"""A process of the simulated write side: the real rules, worker and handlers over simulated stores, bus and models."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tests.doubles.core import PORTS, core_over, ports
from tests.simulation.faults import REFUSED_WORD, Faults, Faulty, Life
from trustgraph_react_mem.bus.local.in_process import InProcessBus
from trustgraph_react_mem.bus.notify import BusChangeNotifier
from trustgraph_react_mem.erasure.reconcile import Reconciler
from trustgraph_react_mem.erasure.sweep import DelayedReindexer, ErasureSweeper
from trustgraph_react_mem.erasure.undo import Undo
from trustgraph_react_mem.errors import ModelAnswerError, RequestRefused
from trustgraph_react_mem.jobs.retry import WorkerLimits
from trustgraph_react_mem.jobs.scope_gate import ScopeGate
from trustgraph_react_mem.jobs.worker import JobWorker
from trustgraph_react_mem.learning.context import HandlerContext
from trustgraph_react_mem.learning.handler_table import build_handlers
from trustgraph_react_mem.memory.ports import Completion, JsonValue, Matrix, ScopeFence
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.repositories.episodes import EpisodeMemory
from trustgraph_react_mem.repositories.facts import FactMemory
from trustgraph_react_mem.retrieval.retriever import Retriever
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

if TYPE_CHECKING:
    from tests.simulation.simulation import World


OPERATIONS = ("add", "add", "add", "replace", "replace", "keep", "end", "same", "rule", "plan", "later", "none")
COMING = ("2026-03-01", "2026-03-02", "2026-03-02", "2026-03-03", "2027-03")  # when plans come true: some do in a life


class CachedEmbedder(HashedEmbedder):
    """The same texts come again and again.  Those with one word are always refused."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self._known: dict[str, Any] = {}

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        if any(REFUSED_WORD in text for text in texts):
            raise RequestRefused("simulated: one of the texts is not allowed")
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, await self.vectors(new), strict=True))
            self.calls.clear()
        return np.stack([self._known[text] for text in texts]) if texts else (await self.vectors([""]))[:0]


class FickleModel:
    """Reads its prompts as a good model would, unless it is away, talks nonsense or invents."""

    def __init__(self, random: Random, faults: Faults, life: Life) -> None:
        self._random, self._faults, self._life = random, faults, life
        self._nonsense = random.choice((0.0, 0.1, 0.4))

    async def prompt(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        await self._faults.pass_through(self._life, "model", f"asking {prompt_id}")
        self._faults.end_by(self._life, str(variables))
        if not self._faults.off:
            await asyncio.sleep(self._random.choice((0.1, 1.0, 8.0, 25.0)))
            if self._random.random() < self._nonsense:
                if self._random.random() < 0.3:
                    raise self._random.choice((ModelAnswerError, RequestRefused))("simulated nonsense")
                wrong: Any = self._random.choice((None, [], {}, {"items": "none"}, [1, 2], {"episode": 3}))
                return Completion(text="As a model I think that", object=wrong, in_tokens=40, out_tokens=10)
        answer = self._answer(prompt_id, variables)
        await self._faults.pass_through(self._life, "model", f"after {prompt_id}")
        if isinstance(answer, str):
            return Completion(text=answer, in_tokens=100, out_tokens=20)
        return Completion(object=answer, in_tokens=100, out_tokens=20)

    def _answer(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Any:
        if prompt_id == "memory-understand":
            episode = {"goal": "talk", "outcome": "talked", "steps": [], "lessons": []} if variables["ended"] else None
            return {"items": list(self._items(variables)), "episode": episode}
        if prompt_id == "memory-record-episode":
            lessons = [{"when": "asked", "what": "look first"}]
            return {"goal": variables.get("question"), "outcome": variables.get("answer"), "lessons": lessons}
        if prompt_id == "memory-insight":
            return {"insights": []}
        return self._random.choice(("Nothing.", "?"))

    def _items(self, variables: Mapping[str, JsonValue]) -> Iterator[dict[str, Any]]:
        """Items of every operation, and some that no check may let through.  Asked again, it answers otherwise."""
        lines: Any = variables["lines"]
        rules: Any = variables["rules"]
        entries: Any = variables["entries"]
        for line in [line for line in lines if not line["speaker"].startswith("Tool") for _ in range(2)]:
            own = line["speaker"] != "Assistant"
            shown = [entry for entry in (*entries, *rules) if own or self._random.random() < 0.3]
            old = self._random.sample(shown, min(len(shown), self._random.choice((1, 1, 2))))
            found = self._random.choice(OPERATIONS if own else ("none", "none", "add", "replace", "end"))
            if found == "none":
                continue
            item = {
                "op": {"keep": "replace", "rule": "add", "later": "replace", "plan": "add"}.get(found, found),
                "old": [each["name"] for each in old] if found not in ("add", "rule", "plan") else [],
                "keep": f"A part: {old[0]['text']}"[:300] if found == "keep" and old else "",
                "kind": {"rule": "rule", "plan": "plan", "later": self._random.choice(("plan", "state"))}.get(found, "state"),
                "text": line["text"],
                "from": self._random.choice(COMING) if found in ("later", "plan") else "",
                "line": line["number"],
                "quote": line["text"],
                "topic": self._random.choice(("drawers", "tea", "")),
            }
            yield item
        yield {"op": "add", "kind": "state", "text": "Somebody owns yachts in Monaco", "line": 0, "quote": "yachts in Monaco"}
        yield {"op": "add", "kind": "state", "text": "Somebody owns 99999 yachts", "line": 0, "quote": lines[0]["text"]}
        yield {"op": "end", "old": ["F99", "R99"], "line": 0, "quote": lines[0]["text"]}


class SharedNotices:
    """``ChangeNotifier`` of all processes: what one of them changes, the retrievers of all that live hear at once."""

    def __init__(self) -> None:
        self._listeners: list[tuple[Life, BusChangeNotifier]] = []

    def join(self, life: Life, retriever: Retriever) -> None:
        own = BusChangeNotifier(InProcessBus())
        own.subscribe(retriever.changed)
        self._listeners = [(each, notices) for each, notices in self._listeners if not each.dead] + [(life, own)]

    async def changed(self, scope: Scope, store: str, ids: Sequence[str] = (), forgotten: Sequence[str] = ()) -> None:
        for _, notices in self._listeners:
            await notices.changed(scope, store, ids, forgotten)


@dataclass(slots=True)
class Process:
    """What one life of a process consists of: a worker of jobs, and the rules that its services use.

    ``repaired``: its last repair left nothing to another one, as a scope does that is closed by a process that died.
    """

    life: Life
    facts: FactMemory
    episodes: EpisodeMemory
    retriever: Retriever
    worker: JobWorker
    undo: Undo
    fence: ScopeFence
    reconciler: Reconciler
    sweeper: ErasureSweeper
    reindexer: DelayedReindexer
    repaired: bool = False


def opened(world: "World", life: Life) -> Process:
    """A process in that life, over the world's stores, topic and indexes."""
    stores, faults, clock, random = world.stores, world.faults, world.clock, world.random

    def graph(port: Any) -> Any:
        return Faulty(port, faults, life, "graph")

    notices = world.notices
    fact_index = Faulty(world.fact_index, faults, life, "vectors", "facts index")
    episode_index = Faulty(world.episode_index, faults, life, "vectors", "episodes index")
    embedder = Faulty(world.embedder, faults, life, "embedder")
    faulty = ports(stores, **{name: graph(getattr(stores, name)) for name in PORTS})
    core = core_over(faulty, fact_index, embedder, episodes=episode_index, notifier=notices, clock=clock)
    keyring, fence = core.graph.keyring, core.graph.fence
    retriever = Retriever(fact_index, embedder, weight_store=core.graph.weights, clock=clock)
    notices.join(life, retriever)
    model = FickleModel(random, faults, life)
    gate = ScopeGate()
    context = HandlerContext(
        core=core,
        model_for=lambda workspace, flow: model,
        settings_for=lambda workspace, flow: world.settings,
        gate=gate,
    )
    worker = JobWorker(
        source=world.topic.consumer(keyring, life),
        gate=gate,
        handlers=build_handlers(context),
        graph=core.graph,
        publisher=world.topic.publisher(keyring, life),
        clock=clock,
        limits=WorkerLimits(
            model_slots=random.choice((1, 2)),
            model_backlog=random.choice((3, 1000)),
            sweep_every_s=60.0,
            # Processes that die by chance do so much more often here than elsewhere, and no job is to blame.
            interrupted_runs=3 if faults.deadly else 10**9,
        ),
        random=Random(random.random()),
    )
    reconciler = Reconciler(core, fence=fence)
    sweeper = ErasureSweeper(core, reconciler)
    reindexer = DelayedReindexer(core)
    return Process(life, core.facts, core.episodes, retriever, worker, Undo(core), fence, reconciler, sweeper, reindexer)
