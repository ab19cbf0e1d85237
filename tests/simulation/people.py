"""What people do in the simulated world, one act after the other, and what their services write beside it."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from tests.simulation.faults import DEADLY_WORD, NEWER_KIND, REFUSED_WORD, Died
from trustgraph_react_mem.erasure.forget import forget_job
from trustgraph_react_mem.erasure.receipt import Level
from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.fencing import exclusive, run_fenced, with_token
from trustgraph_react_mem.memory.ports import Job, JsonValue
from trustgraph_react_mem.memory.records import FACT_STATUSES, Fact, FactKind, derived_id, turn_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.retrieval.query import RetrievalQuery

if TYPE_CHECKING:
    from tests.simulation.simulation import World

SPAN_S = 120.0  # in which people are active
TRIES = 4  # of a person whose wish to take something back is not answered
REPEATED = "We like tea and cake on Sundays"


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


class People:
    def __init__(self, world: "World") -> None:
        self._world = world

    async def live(self, token: str, scope: Scope) -> None:
        """One person's span, one act after the other."""
        acts: list[tuple[float, Callable[[str, Scope], Any]]] = [
            (0.64, self._ask),
            (0.70, self._read),
            (0.85, self._undo),
            (0.89, self._forget_record),
            (0.93, self._forget_conversation),
            (1.00, self._forget_collection),
        ]
        for _ in range(self._world.random.randrange(4, 12)):
            await asyncio.sleep(self._world.random.expovariate(10 / SPAN_S))
            drawn = self._world.random.random()
            act = next(act for share, act in acts if drawn <= share)
            if self._world.random.random() < 0.3:
                self._world.beside(self._served(token, scope))
            await act(token, scope)
        await self._ask(token, scope)

    async def think_again(self, token: str, scope: Scope) -> None:
        """When all is learned and nothing fails any more, some of it is taken back."""
        for _ in range(self._world.random.randrange(4)):
            await self._undo(token, scope)

    async def _ask(self, token: str, scope: Scope) -> None:
        number = len(self._world.turns)
        mark = f"{token}q{number}z"
        conversation = f"c{self._world.random.randrange(2)}"
        repeated = self._world.random.random() < 0.15
        question = REPEATED if repeated else f"I keep the {mark} in drawer {self._world.random.randrange(10, 99)}"
        if not repeated and self._world.random.random() < 0.08:
            question = f"{question} {REFUSED_WORD}"
        if not repeated and self._world.faults.deadly and self._world.random.random() < 0.1:
            question = f"{question} {DEADLY_WORD}"
        retrieval = await self._retrieval(scope, question)
        turn = Turn(
            scope=scope,
            conversation=conversation,
            invocation=f"{conversation}-{number}",
            token=mark,
            question=question,
            job_id=derived_id("record", scope.key, number),
            steps=self._world.random.random() < 0.3,
            rewarded=retrieval is not None,
            ended=self._world.random.random() < 0.2,
        )
        at = self._world.clock.now()
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
        self._world.turns.append(turn)
        self._world.counts["asked"] += 1
        job = Job(id=turn.job_id, kind="record", scope=scope, payload=payload, created_at=at)
        try:
            await self._world.topic.publisher(self._world.stores.keyring, None).publish([job])
            turn.confirmed = True
            if self._world.random.random() < 0.04:
                newer = replace(job, id=derived_id("newer", job.id), kind=NEWER_KIND)
                await self._world.topic.publisher(self._world.stores.keyring, None).publish([newer])
        except MemoryServiceError:
            self._world.faults.note(f"{mark} was not confirmed")

    async def _retrieval(self, scope: Scope, question: str) -> JsonValue:
        if self._world.random.random() < 0.4:
            return None
        found = await self._retrieved(scope, question)
        if found is None or not found.candidate_ids:
            return None
        shown = list(found.candidate_ids[:3])
        return {
            "candidate_ids": list(found.candidate_ids),
            "shown_ids": shown,
            "cited": [self._world.random.randrange(len(shown))],
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
        process = self._world.process
        if process is None:
            return None
        self._world.counts["reads"] += 1
        gone = {mark for owner, _, mark in self._world.forgotten if owner == scope}
        try:
            found = await process.retriever.retrieve(scope, RetrievalQuery(question=question, candidates=50, top_k=20))
        except (MemoryServiceError, Died):
            return None
        for fact in found.facts:
            if any(mark in fact.content for mark in gone):
                self._world.broken.append(f"{scope.key}: recall returns what was forgotten: {fact.content!r}")
            if any(token in fact.content for owner, token in self._world.tokens.items() if owner != scope):
                self._world.broken.append(f"{scope.key}: recall returns what is another's: {fact.content!r}")
        return found

    async def _read(self, token: str, scope: Scope) -> None:
        await self._retrieved(scope, f"where do I keep the {token}")

    async def _undo(self, token: str, scope: Scope) -> None:
        for _ in range(TRIES):
            if await self._undone(token, scope):
                return
            await asyncio.sleep(self._world.random.choice((0.5, 5.0)))

    async def _undone(self, token: str, scope: Scope) -> bool:
        """Take something back: an operation, the newest changes, a turn or what was learned.  Whether it was answered."""
        process, random = self._world.process, self._world.random
        if process is None:
            return False
        try:
            undo, drawn = process.undo, random.random()
            if drawn < 0.3 and self._world.operations.get(scope):
                name = random.choice(self._world.operations[scope])
                work = partial(undo.undo, scope, name, by="person")
            elif drawn < 0.5:
                to = self._world.clock.now() - timedelta(seconds=random.choice((1, 10, 60)))
                work = partial(undo.rollback, scope, to, by="person")
            else:
                kinds: tuple[FactKind, ...] = ("turn",) if drawn < 0.65 else ("semantic", "procedural")
                known = await process.facts.graph.listing(scope, kinds=kinds, statuses=FACT_STATUSES, limit=8)
                if not known:
                    return False
                work = partial(undo.undo, scope, random.choice(known).id, by="person")
            done = await run_fenced(process.fence, scope, lambda: exclusive(process.fence, scope, work))
            process.reindexer.schedule(scope, done)
            self._world.operations.setdefault(scope, []).append(done.operation)
            self._world.counts["undone"] += len(done.facts)
            return True
        except (MemoryServiceError, Died) as error:
            self._world.faults.note(f"{token}: undo did not answer: {type(error).__name__}")
            return False

    async def _served(self, token: str, scope: Scope) -> None:
        """A service stores a fact or imports a few turns; when all is erased meanwhile, nothing of it may come after."""
        world, process = self._world, self._world.process
        if process is None:
            return
        try:
            claim = await process.fence.claim(scope)
            number = len(world.served)
            mark, source, at = f"{token}q{number}s", f"s{number}", world.clock.now()
            world.served.append((scope, mark, claim.erasures))
            with with_token(claim):
                if world.random.random() < 0.3:
                    told = Fact(
                        id=derived_id("served", mark),
                        scope=scope,
                        kind="semantic",
                        content=f"The {mark} lies there",
                        created_at=at,
                    )
                    await process.facts.store(scope, [told])
                else:
                    turns = [
                        Fact(
                            id=derived_id("served", mark, place),
                            scope=scope,
                            kind="turn",
                            content=f"Line {place} about the {mark}",
                            created_at=at,
                            position=place,
                        )
                        for place in range(3)
                    ]
                    await process.facts.add_turns(scope, source, turns[:1])
                    await asyncio.sleep(world.random.choice((0.0, 25.0, 25.0)))
                    await process.facts.add_turns(scope, source, turns)
        except (MemoryServiceError, Died) as error:
            world.faults.note(f"{token}: a service did not store: {type(error).__name__}")

    async def _forget_record(self, token: str, scope: Scope) -> None:
        """Often what was just said, while it is being learned from."""
        latest = self._world.random.random() < 0.7
        if latest:
            await self._ask(token, scope)
            await asyncio.sleep(self._world.random.choice((2.0, 5.0, 10.0)))
        own = [turn for turn in self._own(scope) if turn.confirmed and not turn.gone and turn.question != REPEATED]
        if own:
            turn = own[-1] if latest else self._world.random.choice(own)
            record = turn_id(scope, turn.conversation, turn.invocation, "question")
            if await self._forgotten(forget_job(scope, "record", at=self._world.clock.now(), ids=[record])):
                turn.gone = "question"
                self._world.forgotten.append((scope, "record", turn.question))
                self._world.check_forgotten(at="the receipt", newest=1)

    async def _forget_conversation(self, token: str, scope: Scope) -> None:
        name = f"c{self._world.random.randrange(2)}"
        own = [turn for turn in self._own(scope) if turn.conversation == name and turn.gone != "all"]
        if own and await self._forgotten(forget_job(scope, "conversation", at=self._world.clock.now(), conversation_id=name)):
            self._mark_gone(own, "conversation")

    async def _forget_collection(self, token: str, scope: Scope) -> None:
        """Often in the middle of something: a service is writing, and what was just said is being learned."""
        if self._world.random.random() < 0.7:
            await self._ask(token, scope)
            for _ in range(2):
                self._world.beside(self._served(token, scope))
            await asyncio.sleep(self._world.random.choice((0.1, 2.0, 10.0)))
        own = [turn for turn in self._own(scope) if turn.gone != "all"]
        before = {job.ref: len(self._world.topic.stored) for job in self._world.topic.stored if job.scope == scope}
        if own and await self._forgotten(forget_job(scope, "collection", at=self._world.clock.now())):
            self._world.erased_jobs |= before
            erasures = self._world.stores.fence.fence[scope].erasures
            written = [mark for owner, mark, earlier in self._world.served if owner == scope and earlier < erasures]
            self._world.forgotten += [(scope, "collection", mark) for mark in written]
            self._world.check_forgotten(at="the receipt", newest=len(written))
            self._mark_gone(own, "collection")

    def _mark_gone(self, turns: Sequence[Turn], level: Level) -> None:
        for turn in turns:
            turn.gone = "all"
            self._world.forgotten.append((turn.scope, level, turn.token))
        self._world.check_forgotten(at="the receipt", newest=len(turns))

    async def _forgotten(self, job: Job) -> bool:
        """Ask until the broker has it, then wait for the receipt."""
        publisher = self._world.topic.publisher(self._world.stores.keyring, None)
        while True:
            try:
                await publisher.publish([job])
                break
            except MemoryServiceError:
                await asyncio.sleep(5.0)
        while True:
            for entry in await self._world.stores.job_store.get([job.ref]):
                if entry.state == "done":
                    self._world.counts["receipts"] += 1
                    self._world.faults.note(f"receipt for {job.payload['level']} of {job.scope.key}: {job.id[:8]}")
                    receipt = json.loads(entry.summary)
                    if not receipt["complete"]:
                        self._world.broken.append(f"a receipt says that something is left: {entry.summary}")
                    return True
                if entry.state == "dead":
                    self._world.broken.append(f"an erasure failed for good: {entry.error}")
                    return False
            await asyncio.sleep(1.0)

    def _own(self, scope: Scope) -> list[Turn]:
        return [turn for turn in self._world.turns if turn.scope == scope]
