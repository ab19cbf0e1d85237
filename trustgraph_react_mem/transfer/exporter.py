"""A scope as lines, page by page.  A cursor says behind which record the next page begins.

Records come in the order of importing: what others point to first, a switch that ends writing last.  Within a tier the order
is that of keys, not of time, so that what is stored or forgotten meanwhile moves nothing out of a page.
"""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from ..errors import BadRequest
from ..memory.ports import Place
from ..memory.records import Episode
from ..memory.scope import Scope
from ..memory.sizes import travelling
from ..repositories.core import MemoryCore
from .lines import change_line, conversation_line, fact_line, line_of, weights_line

PAGE_BYTES = 1_000_000  # of a page as it travels
BATCH = 200
ALL = 2**31 - 1
FIRST: Place = ("", -1, "")

Mark = Sequence[Any]  # the place of a record in its tier: what is behind it follows
Placed = AsyncIterator[tuple[str, Mark]]  # a line, and its place


class ScopeExport:
    def __init__(self, core: MemoryCore) -> None:
        self._facts, self._archive, self._episodes = core.graph.facts, core.graph.archive, core.graph.episodes
        self._conversations, self._weights, self._switches = core.graph.conversations, core.graph.weights, core.graph.switches

    async def page(self, scope: Scope, cursor: str, limit: int, *, page_bytes: int = PAGE_BYTES) -> tuple[list[str], str]:
        """Lines behind ``cursor`` ("": from the start) and the next cursor, "" at the end.

        At most ``limit`` lines, and of about ``page_bytes``, but at least one.

        Raises: BadRequest (a cursor that no export gave).
        """
        tiers: dict[str, Callable[[Scope, Mark], Placed]] = {
            "conversation": self._of_conversations,
            "fact": self._of_facts,
            "relation": self._of_relations,
            "supersession": self._of_replacements,
            "episode": self._of_episodes,
            "reward": self._of_rewards,
            "weights": self._of_weights,
            "switches": self._of_switches,
        }
        begin, mark = _read_cursor(cursor, list(tiers))
        lines: list[str] = []
        size, reached = 0, cursor
        for name in list(tiers)[begin:]:
            try:
                async for line, place in tiers[name](scope, mark):
                    size += travelling(line)
                    if lines and (len(lines) == limit or size > page_bytes):
                        return lines, reached
                    lines.append(line)
                    reached = json.dumps([name, *place], ensure_ascii=False)
            except (TypeError, ValueError, IndexError) as error:
                if not mark:
                    raise
                raise _no_cursor(cursor) from error
            mark = ()
        return lines, ""

    # -- the tiers ---------------------------------------------------------------------------------------------------

    async def _of_conversations(self, scope: Scope, mark: Mark) -> Placed:
        """The exchanges of each, then what holds of it as a whole.  Mark: conversation, number of exchanges that were told."""
        name, told = (str(mark[0]), int(mark[1])) if mark else ("", 0)
        known = sorted(await self._conversations.listing(scope, limit=ALL), key=lambda each: each.id)
        for conversation in (each for each in known if each.id >= name):
            whole = await self._conversations.get(scope, conversation.id, undone=True)
            if whole is None or (whole.id == name and told > len(whole.invocations)):
                continue
            done = told if whole.id == name else 0
            for number, invocation in enumerate(whole.invocations[done:], start=done + 1):
                yield line_of("invocation", invocation), [whole.id, number]
            yield conversation_line(whole), [whole.id, len(whole.invocations) + 1]

    async def _of_facts(self, scope: Scope, mark: Mark) -> Placed:
        """Each with its changes behind it, oldest first.

        Mark: place of the fact before it; its own id, and the version of the newest change that was told.
        """
        before: Place = (str(mark[0]), int(mark[1]), str(mark[2])) if mark else FIRST
        begun, told = (str(mark[3]), int(mark[4])) if mark else ("", 0)
        while batch := await self._archive.export_page(scope, after=before, limit=BATCH):
            for export_page in batch:
                done = told if export_page.fact.id == begun else 0
                if not done:
                    yield fact_line(export_page), [*before, export_page.fact.id, 1]
                for entry in export_page.changes:
                    if entry.version > done:
                        yield change_line(entry), [*before, export_page.fact.id, entry.version]
                before = export_page.place

    async def _of_relations(self, scope: Scope, mark: Mark) -> Placed:
        for relation in await self._facts.relations(scope):
            place = [relation.fact_id, relation.subject, relation.predicate, relation.object]
            if place > list(mark):
                yield line_of("relation", relation), place

    async def _of_replacements(self, scope: Scope, mark: Mark) -> Placed:
        for new, old in sorted(await self._archive.replacements(scope)):
            if [new, old] > list(mark):
                yield line_of("supersession", {"new": new, "old": old}), [new, old]

    async def _of_episodes(self, scope: Scope, mark: Mark) -> Placed:
        known: list[Episode] = []
        while page := await self._episodes.listing(scope, undone=True, limit=BATCH, offset=len(known)):
            known += page
        for episode in sorted(known, key=lambda each: each.id):
            if [episode.id] > list(mark):
                yield line_of("episode", episode), [episode.id]

    async def _of_rewards(self, scope: Scope, mark: Mark) -> Placed:
        for logged in await self._weights.reward_log(scope):
            place = [logged.at.isoformat(timespec="microseconds"), logged.job_id]
            if place > list(mark):
                yield line_of("reward", logged), place

    async def _of_weights(self, scope: Scope, mark: Mark) -> Placed:
        stored = await self._weights.load(scope)
        if stored is not None and not mark:
            yield weights_line(stored), [stored.version]

    async def _of_switches(self, scope: Scope, mark: Mark) -> Placed:
        """Those of conversations first, the user's own last."""
        listed = await self._switches.listing(scope)
        for name in [*sorted(set(listed) - {""}), *({""} & set(listed))]:
            place = [1 if name == "" else 0, name]
            if place > list(mark):
                row = {"conversation_id": name, "read": listed[name].read, "write": listed[name].write}
                yield line_of("switches", row), place


def _read_cursor(cursor: str, tiers: Sequence[str]) -> tuple[int, Mark]:
    if not cursor:
        return 0, ()
    try:
        name, *mark = json.loads(cursor)
        return tiers.index(name), mark
    except (ValueError, TypeError):
        raise _no_cursor(cursor) from None


def _no_cursor(cursor: str) -> BadRequest:
    return BadRequest(f"data = {cursor[:80]!r} is no place in an export: leave it empty, or take what the page before named")
