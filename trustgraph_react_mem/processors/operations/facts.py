"""What each operation of the facts service does: the request's words into one call of the rules, and its result back."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, get_args

import numpy as np

from ...bootstrap import MemoryCore
from ...erasure.forget import forget_job
from ...erasure.receipt import Level
from ...erasure.undo import RevertResult
from ...errors import BadRequest, NotFound
from ...indexing.document import iso, wire_fact
from ...memory.fencing import exclusive
from ...memory.policies import DataPolicy
from ...memory.ports import Job, JsonValue, Switches, Vector
from ...memory.records import FACT_KINDS, Fact, FactKind, FactStatus, Trust, VersionEntry, in_language
from ...memory.scope import Scope
from ...memory.sizes import MOST_REPLY_BYTES, check_size, travelling
from ...retrieval.query import RetrievalQuery
from ...schema import Fact as WireFact
from ...schema import FactsRequest, FactsResponse, HistoryEntry
from ...settings import AgentMemSettings
from ..service import Operation, checked_time, new_id, patience_s, removed_beside
from .transcript_facts import imported_turns

MOST_CONTENT = 100_000
MOST_RECORDS = 10_000
BY = "facts-service"

Choice = TypeVar("Choice", bound=str)


class FactOperations:
    """For one flow: ``settings`` are that flow's."""

    def __init__(self, memory: MemoryCore, settings: AgentMemSettings, flow: str) -> None:
        self._memory = memory
        self._settings = settings
        self._flow = flow

    def table(self) -> Mapping[str, Operation]:
        return {
            "retrieve": self.retrieve,
            "store": self.store,
            "import": self.import_,
            "get": self.get,
            "list": self.list,
            "update": self.update,
            "forget": self.forget,
            "forget-scope": self.forget_scope,
            "history": self.history,
            "undo": self.undo,
            "rollback": self.rollback,
            "stats": self.stats,
            "export": self.export,
            "switch": self.switch,
            "feedback": self.feedback,
            "learn-status": self.learn_status,
            "weights": self.weights,
        }

    # --------------------------------------------------------------------------------------------------- reading

    async def retrieve(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        _between("top_k", request.top_k, 0, 500)
        _between("candidates", request.candidates, 1, 500)
        _between("rules", request.rules, 0, 100)
        if not 0 <= request.threshold <= 1:
            raise BadRequest(f"threshold {request.threshold} must lie between 0 and 1 (calibrated similarity)")
        if not request.query.strip() and not request.embedding:
            raise BadRequest("retrieve needs a query, or an embedding of one")
        rerank = _one_of("rerank", request.rerank or self._settings.rerank, ("off", "paper", "calibrated"))
        found = await self._memory.retriever.retrieve(
            scope,
            RetrievalQuery(
                question=request.query,
                vector=self._vector(request.embedding),
                top_k=request.top_k,
                candidates=max(request.candidates, request.top_k, 1),
                rules=request.rules,
                kinds=_kinds(request.kinds),
                threshold=request.threshold,
                rerank=rerank,
                sampling=self._settings.rerank_sampling,
                seed=request.seed,
                language=self._settings.language,
                asked_at=checked_time("asked_at", request.asked_at),
                exclude=request.exclude,
                conversation_id=request.conversation_id,
                patience_s=patience_s(request.deadline_ms),
            ),
        )
        stats = {f"{stage}_ms": f"{took:.2f}" for stage, took in found.timings_ms.items()}
        facts, left_out = _fitting(found.facts)
        if left_out:
            stats["left_out"] = str(left_out)
        return FactsResponse(
            facts=facts,
            rules=list(found.rules),
            count=len(facts),
            policy_version=found.policy_version,
            candidate_ids=list(found.candidate_ids),
            feature_names=list(found.feature_names),
            features=np.round(found.features.astype(np.float64), 6).ravel().tolist(),
            stats=stats
            | ({"abstained": "true"} if found.abstained else {})
            | ({"unranked": found.unranked} if found.unranked else {}),
        )

    async def get(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        """Those that are there; an unknown id is left out."""
        facts = await self._memory.facts.get(scope, _ids(request))
        return FactsResponse(facts=[wire_fact(fact) for fact in facts], count=len(facts))

    async def list(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        """Newest first; ``count`` is the number of active facts of those kinds."""
        _between("limit", request.limit, 1, MOST_RECORDS)
        _between("offset", request.offset, 0, 10**9)
        kinds = _kinds(request.kinds)
        status = _one_of("status", request.status or "active", get_args(FactStatus))
        facts = await self._memory.facts.listing(
            scope, kinds=kinds, statuses=(status,), source=request.source, limit=request.limit, offset=request.offset
        )
        counts = await self._memory.facts.count(scope)
        total = sum(number for kind, number in counts.items() if not kinds or kind in kinds)
        return FactsResponse(facts=[wire_fact(fact) for fact in facts], count=total)

    async def history(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        entries = await self._memory.facts.history(scope, _id(request))
        return FactsResponse(history=[_wire_entry(entry) for entry in entries], count=len(entries))

    async def stats(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        counts = await self._memory.facts.count(scope)
        vectors = await self._memory.stores.fact_index.count(scope)
        return FactsResponse(
            count=sum(counts.values()),
            stats={
                **{kind: str(number) for kind, number in counts.items()},
                "vectors": str(vectors),
                "embedding": self._memory.stores.profile.name,
            },
        )

    # --------------------------------------------------------------------------------------------------- writing

    async def store(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        """One fact; ``fact_id`` is the stored one's, which may have been there before."""
        await self._may_write(scope, request)
        kind = _one_of("kind", request.kind, [one for one in FACT_KINDS if one != "turn"])
        fact = Fact(
            id=request.id or new_id(),
            scope=scope,
            kind=kind,
            content=self._screened(scope, request.content),
            created_at=self._memory.clock.now(),
            trust=_one_of("trust", request.trust, get_args(Trust)),
            source=request.source,
            importance=_importance(request.importance, 0.5),
            condition=self._screened(scope, request.condition) if request.condition else "",
            action=self._screened(scope, request.action) if request.action else "",
            metadata=request.metadata,
        )
        fact = in_language(fact, self._settings.language)
        _check_size(fact)
        stored = (await self._memory.facts.store(scope, [fact], by=BY, trigger="store"))[0]
        if stored.status == "undone":  # named by its id, and wanted again, as it is told now
            if not await self._memory.undo.bring_back(scope, [stored.id], by=BY, trigger="store"):
                raise BadRequest("the fact rests on a memory that is taken back: undo that first")
            stored = (await self._memory.facts.store(scope, [fact], by=BY, trigger="store"))[0]
        return FactsResponse(fact_id=stored.id, facts=[wire_fact(stored)], count=1)

    async def import_(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        """Turns of one conversation (``source``), or the lines of an export (``data``); ``count``: how many were new."""
        await self._may_write(scope, request)
        if request.data:
            count = await self._memory.importer.lines(scope, request.data, self._policy(scope))
            await self._memory.notifier.changed(scope, "switches")
            return FactsResponse(count=count)
        if not request.turns:
            raise BadRequest("import needs turns, or data with the lines of an export")
        if not request.source:
            raise BadRequest("import needs a source: the id of the conversation that the turns belong to")
        turns = await imported_turns(
            self._memory.stores.graph.facts, scope, request.source, request.turns, self._policy(scope), self._memory.clock.now()
        )
        turns = [in_language(turn, self._settings.language) for turn in turns]
        again = await self._memory.undo.bring_back(scope, [turn.id for turn in turns], by=BY, trigger="import")
        return FactsResponse(count=again + await self._memory.facts.add_turns(scope, request.source, turns))

    async def update(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        """What the request names is changed, the rest stays."""
        await self._may_write(scope, request)
        record_id = _id(request)
        found = await self._memory.facts.get(scope, [record_id])
        if not found:
            raise NotFound(f"there is no fact {record_id!r} in this scope")
        old = found[0]
        changed = replace(
            old,
            content=self._screened(scope, request.content) if request.content else old.content,
            condition=self._screened(scope, request.condition) if request.condition else old.condition,
            action=self._screened(scope, request.action) if request.action else old.action,
            importance=_importance(request.importance, old.importance),
            metadata={**old.metadata, **request.metadata},
        )
        _check_size(changed)
        changed = in_language(changed, self._settings.language)
        stored = await self._memory.facts.update(scope, changed, by=BY, trigger="update")
        if request.status:
            status = _one_of("status", request.status, ("active", "quarantined"))
            await self._memory.facts.set_status(scope, [record_id], status, by=BY)
            stored = (await self._memory.facts.get(scope, [record_id]))[0]
        return FactsResponse(fact_id=stored.id, facts=[wire_fact(stored)], count=1)

    async def forget(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        """The records are gone on return; what was learned from them follows in a job, named in ``stats``."""
        ids = _ids(request)
        found = await self._memory.facts.get(scope, ids)
        said_in = [fact.invocation_id for fact in found if fact.kind == "turn"]
        job = forget_job(scope, "record", at=self._memory.clock.now(), ids=ids, invocation_ids=said_in)
        # first, and whatever is there: a broker that refuses leaves all as it was, and a retry has something to say
        await removed_beside(self._memory, job, lambda: self._memory.facts.forget(scope, ids))
        return FactsResponse(count=len(found), stats={"job": job.id})

    async def forget_scope(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        """An erasure of all places is a job; ``stats`` names it, its receipt is with the jobs service."""
        level = _one_of("level", request.level, [one for one in get_args(Level) if one != "record"])
        job = forget_job(scope, level, at=self._memory.clock.now(), conversation_id=request.conversation_id)
        await self._memory.publisher.publish([job])
        return FactsResponse(stats={"job": job.id, "level": level})

    async def undo(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        """``facts``: the record as it is now; ``count``: the records it changed."""
        record_id = _id(request)
        done = await self._alone(scope, lambda: self._memory.undo.undo(scope, record_id, by=BY))
        return FactsResponse(facts=[wire_fact(done.now)] if done.now else [], count=_number(done), stats=_told(done))

    async def rollback(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        at = checked_time("at", request.at)
        if at is None:
            raise BadRequest("rollback needs at: the time to return to, ISO 8601")
        done = await self._alone(scope, lambda: self._memory.undo.rollback(scope, at, by=BY))
        return FactsResponse(count=_number(done), stats=_told(done))

    async def _alone(self, scope: Scope, take_back: Callable[[], Awaitable[RevertResult]]) -> RevertResult:
        """A job that has read what is taken back must not write what it drew from it: it begins anew."""
        done = await exclusive(self._memory.stores.graph.fence, scope, take_back)
        self._memory.delayed_reindexer.look_after(scope, done)
        return done

    async def export(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        """``count`` lines, fewer than ``limit`` where they are long.

        ``stats["next"]``, given as ``data``, asks for those behind them; it is empty behind the last.
        """
        _between("limit", request.limit, 1, MOST_RECORDS)
        lines, cursor = await self._memory.exporter.page(scope, request.data, request.limit)
        return FactsResponse(data="".join(line + "\n" for line in lines), count=len(lines), stats={"next": cursor})

    # ------------------------------------------------------------------------------------------ choices, learning

    async def switch(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        """Sets what is given, and tells what holds now."""
        switches = self._memory.stores.graph.switches
        if request.read is not None or request.write is not None:
            own = await switches.get(scope, request.conversation_id)
            chosen = Switches(
                read=own.read if request.read is None else request.read,
                write=own.write if request.write is None else request.write,
            )
            await switches.set(scope, chosen, request.conversation_id)
            await self._memory.notifier.changed(scope, "switches")
        now = await switches.get(scope, request.conversation_id)
        return FactsResponse(stats={"read": "on" if now.read else "off", "write": "on" if now.write else "off"})

    async def feedback(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        """The ranking has one writer, the job worker: feedback is a job."""
        ids = _ids(request)
        if request.rating not in (1, -1):
            raise BadRequest(f"rating {request.rating} must be 1 (useful) or -1 (not useful)")
        known = {fact.id for fact in await self._memory.facts.get(scope, ids)}
        unknown = [record_id for record_id in ids if record_id not in known]
        if unknown:
            raise NotFound(f"there is no fact {unknown[0]!r} in this scope")
        entries: JsonValue = [{"id": record_id, "rating": request.rating} for record_id in ids]
        return await self._reward(scope, {"feedback": entries})

    async def learn_status(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        status = await self._memory.learning.learn_status(scope)
        return FactsResponse(data=json.dumps(status), policy_version=int(status.get("policy", {}).get("version", 0)))

    async def weights(self, scope: Scope, request: FactsRequest) -> FactsResponse:
        """Without ``data``: the weights; with: take these over."""
        if request.data:
            self._memory.learning.check_export(request.data)  # now, while somebody is there to hear of it
            return await self._reward(scope, {"import": request.data})
        return FactsResponse(data=await self._memory.learning.export_weights(scope))

    async def _reward(self, scope: Scope, payload: dict[str, JsonValue]) -> FactsResponse:
        settings: dict[str, Any] = self._settings.model_dump(by_alias=True, exclude_unset=True)
        job = Job(
            id=new_id(),
            kind="reward",
            scope=scope,
            payload={**payload, "flow": self._flow, "settings": settings},
            created_at=self._memory.clock.now(),
            trigger="management",
        )
        await self._memory.publisher.publish([job])
        return FactsResponse(stats={"job": job.id}, count=1)

    # ----------------------------------------------------------------------------------------------------- checks

    async def _switches(self, scope: Scope, request: FactsRequest) -> Switches:
        return await self._memory.stores.graph.switches.get(scope, request.conversation_id)

    async def _may_write(self, scope: Scope, request: FactsRequest) -> None:
        if not (await self._switches(scope, request)).write:
            raise BadRequest("writing memory is switched off for this user or conversation: switch write on first")

    def _policy(self, scope: Scope) -> DataPolicy:
        return DataPolicy(personal_data=self._settings.personal_data, secrets=self._settings.secrets, salt=scope.key)

    def _screened(self, scope: Scope, text: str) -> str:
        if not text.strip():
            raise BadRequest("content is empty: write what is to be remembered")
        if len(text) > MOST_CONTENT:
            raise BadRequest(f"content has {len(text)} characters: use at most {MOST_CONTENT}, or several facts")
        screened = self._policy(scope).screen(text)
        if screened.dropped:
            raise BadRequest("the content holds secrets or personal data that this flow's settings forbid to store")
        return screened.text

    def _vector(self, numbers: Sequence[float]) -> Vector | None:
        if not numbers:
            return None
        dimension = self._memory.stores.profile.dimension
        vector = np.asarray(numbers, dtype=np.float32)
        if vector.shape != (dimension,):
            raise BadRequest(
                f"the embedding has {len(numbers)} numbers, the memories {dimension} ({self._memory.stores.profile.name}): "
                "embed with the same model"
            )
        if not np.isfinite(vector).all():
            raise BadRequest("the embedding holds numbers that are not finite")
        return vector


def _ids(request: FactsRequest) -> Sequence[str]:
    ids = [one for one in [request.id, *request.ids] if one]
    if not ids:
        raise BadRequest(f"{request.operation} needs an id, or ids")
    _between("number of ids", len(ids), 1, MOST_RECORDS)
    return list(dict.fromkeys(ids))


def _id(request: FactsRequest) -> str:
    ids = _ids(request)
    if len(ids) != 1:
        raise BadRequest(f"{request.operation} takes one id, not {len(ids)}")
    return ids[0]


def _kinds(kinds: Sequence[str]) -> tuple[FactKind, ...]:
    return tuple(_one_of("kind", kind, FACT_KINDS) for kind in kinds)


def _one_of(name: str, value: str, allowed: Sequence[Any]) -> Any:
    if value not in allowed:
        raise BadRequest(f"{name} {value!r} is not one of {', '.join(allowed)}")
    return value


def _between(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise BadRequest(f"{name} {value} must lie between {least} and {most}")


def _importance(value: float | None, unnamed: float) -> float:
    if value is None:
        return unnamed
    if not 0 <= value <= 1:
        raise BadRequest(f"importance {value} must lie between 0 and 1")
    return value


def _fitting(facts: Sequence[WireFact]) -> tuple[list[WireFact], int]:
    """The best ones that one reply takes, and how many it does not."""
    size = 0
    for place, fact in enumerate(facts):
        size += travelling(fact.content)
        if size > MOST_REPLY_BYTES and place:
            return list(facts[:place]), len(facts) - place
    return list(facts), 0


def _check_size(fact: Fact) -> None:
    texts = [fact.content, fact.condition, fact.action, fact.source, fact.id, dict(fact.metadata)]
    check_size(f"the {fact.kind} fact with its metadata", texts)


def _number(done: RevertResult) -> int:
    return len(done.facts) + done.episodes + done.exchanges


def _told(done: RevertResult) -> dict[str, str]:
    numbers = {"facts": len(done.facts), "episodes": done.episodes, "exchanges": done.exchanges}
    return {"operation": done.operation, **{name: str(number) for name, number in numbers.items()}}


def _wire_entry(entry: VersionEntry) -> HistoryEntry:
    return HistoryEntry(
        record_id=entry.record_id,
        version=entry.version,
        change=entry.change,
        at=iso(entry.at),
        by=entry.by,
        trigger=entry.trigger,
        content=entry.content,
    )
