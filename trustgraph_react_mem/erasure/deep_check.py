"""Read everything that is stored, and report what is damaged or does not agree: ``react-mem doctor --deep``.

Checked for every scope:
- each fact and episode can be read, and the content of an active fact has the digest that was stored with it
- each has a point, each point a record, and the payload of the point equals the record; a changed byte in either differs
- the vectors of each point are finite and of length 1, as the engine stores them
- each conversation with its invocations and each refinement session with its events can be read, and the payload of each
  waiting job can be opened

Not checked: the text of invocations beyond that it can be read, and bytes of the engine files that hold no record.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import ScopeErased
from ..indexing.document import describes
from ..memory.ports import IndexPoint
from ..memory.records import Episode, Fact
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..repositories.episodes import EpisodeMemory
from ..repositories.facts import FactMemory
from .forget_part import episode_pages, fact_pages
from .refinements import session_pages

PAGE = 200
NORM_TOLERANCE = 1e-2
SHOWN_IDS = 5


@dataclass(slots=True, kw_only=True)
class DeepReport:
    """What was read, and what is wrong.  ``damage``: kind of damage -> ids of records, or names of scopes."""

    scopes: int = 0
    records: int = 0
    points: int = 0
    conversations: int = 0
    damage: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, names: Sequence[str]) -> None:
        if names:
            self.damage.setdefault(kind, []).extend(names)

    def describe(self) -> str:
        """What is damaged, in one line; "" if nothing is."""
        return "; ".join(
            f"{len(names)} {kind} ({', '.join(names[:SHOWN_IDS])}{', ...' if len(names) > SHOWN_IDS else ''})"
            for kind, names in self.damage.items()
        )


async def check_deeply(core: MemoryCore) -> DeepReport:
    """Read every scope.  Raises: EngineUnavailable (an engine does not answer at all)."""
    report = DeepReport()
    scopes: set[Scope] = set()
    for memory in (core.facts, core.episodes):
        scopes |= (await memory.graph.count_by_scope()).keys()
        scopes |= {each for counts, _ in await memory.router.ask_all(lambda index: index.scopes()) for each in counts}
    for workspace in sorted({scope.workspace for scope in scopes}):
        scopes |= set(await core.graph.scopes.scopes(workspace))
    for scope in sorted(scopes, key=lambda each: each.key):
        report.scopes += 1
        for part, check in _CHECKS.items():
            try:
                await check(core, scope, report)
            except Exception as error:
                # Broad because a damaged row can fail in any way, and the rest must still be read.
                report.add(f"scopes whose {part} cannot be read", [f"{scope.key}: {type(error).__name__}"])
    return report


async def _check_facts(core: MemoryCore, scope: Scope, report: DeepReport) -> None:
    records: dict[str, Fact | Episode] = {}
    async for page in fact_pages(core.facts, scope):
        records |= {fact.id: fact for fact in page}
        active = [fact for fact in page if fact.status == "active"]
        known = await core.facts.graph.by_digests(scope, [(fact.content, fact.kind) for fact in active])
        report.add("facts without their digest", [fact.id for fact, same in zip(active, known, strict=True) if same is None])
    await _check_points(core.facts, scope, records, report)


async def _check_episodes(core: MemoryCore, scope: Scope, report: DeepReport) -> None:
    records: dict[str, Fact | Episode] = {}
    async for page in episode_pages(core.episodes, scope):
        records |= {episode.id: episode for episode in page}
    await _check_points(core.episodes, scope, records, report)


async def _check_points(
    memory: FactMemory | EpisodeMemory, scope: Scope, records: dict[str, Fact | Episode], report: DeepReport
) -> None:
    report.records += len(records)
    missing = {record.id for record in records.values() if _has_vectors(record)}
    async for points in _points(memory, scope):
        report.points += len(points)
        report.add("points without a record", [point.id for point in points if point.id not in records])
        known = [point for point in points if point.id in records]
        report.add("points that differ from their record", [p.id for p in known if not describes(p.payload, records[p.id])])
        report.add("points with damaged vectors", [point.id for point in known if not _is_sound(point)])
        missing -= {point.id for point in points}
    report.add("records without a point", sorted(missing))


async def _points(memory: FactMemory | EpisodeMemory, scope: Scope) -> AsyncIterator[list[IndexPoint]]:
    space = await memory.router.read_index(scope)
    async for points in space.index.scan(scope, with_vectors=True, batch=PAGE):
        yield points


async def _check_conversations(core: MemoryCore, scope: Scope, report: DeepReport) -> None:
    read = 0
    while page := await core.graph.conversations.listing(scope, limit=PAGE, offset=read):
        read += len(page)
        for talk in page:
            await core.graph.conversations.get(scope, talk.id, undone=True)
    async for page in session_pages(core.graph, scope):
        read += len(page)
        for session in page:
            await core.graph.conversations.get(scope, session.id, undone=True)
    report.conversations += read


async def _check_jobs(core: MemoryCore, scope: Scope, report: DeepReport) -> None:
    for entry in await core.graph.job_store.listing(scope, states=("deferred", "dead"), limit=100_000):
        if entry.sealed_payload:
            try:
                await core.graph.keyring.open(scope, entry.sealed_payload)
            except ScopeErased:
                report.add("jobs whose payload cannot be opened", [entry.job_id])


def _has_vectors(record: Fact | Episode) -> bool:
    if not record.indexed:
        return False  # it gets them when the jobs service runs
    return record.status != "undone" if isinstance(record, Fact) else record.undone_at is None


def _is_sound(point: IndexPoint) -> bool:
    lengths = [float(np.linalg.norm(vector)) for vector in point.vectors.values()]
    return all(np.isfinite(length) and (length == 0 or abs(length - 1) < NORM_TOLERANCE) for length in lengths)


_CHECKS = {
    "facts": _check_facts,
    "episodes": _check_episodes,
    "conversations": _check_conversations,
    "jobs": _check_jobs,
}
