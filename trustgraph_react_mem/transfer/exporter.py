"""Export of a scope as pages of lines.  A cursor names the last record of the previous page.

Records are ordered for the import: referenced records first, and switches last, because they can turn writing off.  Within a
section, records are sorted by key and not by time, so that concurrent writes and erasures do not shift records between pages.
"""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from ..errors import BadRequest
from ..memory.ports import Place
from ..memory.records import Conversation, Episode
from ..memory.scope import Scope
from ..memory.sizes import wire_size
from ..repositories.core import MemoryCore
from .lines import change_line, conversation_line, fact_line, line_of, refinement_line, weights_line

PAGE_BYTES = 1_000_000  # size of a page on the bus
BATCH = 200
ALL = 2**31 - 1
FIRST: Place = ("", -1, "")

Mark = Sequence[Any]  # sort key of the last exported record within its section
Placed = AsyncIterator[tuple[str, Mark]]  # a line and its sort key


class ScopeExport:
    """Reads scopes as pages of lines."""

    def __init__(self, core: MemoryCore) -> None:
        self._archive, self._episodes = core.graph.archive, core.graph.episodes
        self._conversations, self._refinements = core.graph.conversations, core.graph.refinements
        self._weights, self._switches = core.graph.weights, core.graph.switches

    async def page(self, scope: Scope, cursor: str, limit: int, *, page_bytes: int = PAGE_BYTES) -> tuple[list[str], str]:
        """The lines after ``cursor`` ("": from the start) and the next cursor ("" at the end).

        A page has at most ``limit`` lines and about ``page_bytes``, but at least one line.

        Raises: BadRequest (the cursor does not come from an export).
        """
        tiers: dict[str, Callable[[Scope, Mark], Placed]] = {
            "conversation": self._export_conversations,
            "refinement": self._export_refinements,
            "fact": self._export_facts,
            "supersession": self._export_replacements,
            "episode": self._export_episodes,
            "reward": self._export_rewards,
            "weights": self._export_weights,
            "switches": self._export_switches,
        }
        begin, mark = _read_cursor(cursor, list(tiers))
        lines: list[str] = []
        size, reached = 0, cursor
        for name in list(tiers)[begin:]:
            try:
                async for line, place in tiers[name](scope, mark):
                    size += wire_size(line)
                    if lines and (len(lines) == limit or size > page_bytes):
                        return lines, reached
                    lines.append(line)
                    reached = json.dumps([name, *place], ensure_ascii=False)
            except (TypeError, ValueError, IndexError) as error:
                if not mark:
                    raise
                raise _bad_cursor(cursor) from error
            mark = ()
        return lines, ""

    # -- sections ----------------------------------------------------------------------------------------------------

    async def _export_conversations(self, scope: Scope, mark: Mark) -> Placed:
        """The invocations of each conversation, then the conversation.  Mark: conversation id, number of lines exported."""
        name, exported = (str(mark[0]), int(mark[1])) if mark else ("", 0)
        known = await self._conversations.listing(scope, limit=ALL)
        async for whole, done in self._rest_of(scope, known, name, exported):
            for number, invocation in enumerate(whole.invocations[done:], start=done + 1):
                yield line_of("invocation", invocation), [whole.id, number]
            if done <= len(whole.invocations):
                yield conversation_line(whole), [whole.id, len(whole.invocations) + 1]

    async def _export_refinements(self, scope: Scope, mark: Mark) -> Placed:
        """The events of each refinement session.  Mark: name of the session, number of events exported."""
        name, exported = (str(mark[0]), int(mark[1])) if mark else ("", 0)
        known = await self._refinements.listing(scope, limit=ALL)
        async for whole, done in self._rest_of(scope, known, name, exported):
            for number, stored in enumerate(whole.invocations[done:], start=done + 1):
                if (line := refinement_line(stored)) is not None:
                    yield line, [whole.id, number]

    async def _rest_of(
        self, scope: Scope, known: Sequence[Conversation], name: str, exported: int
    ) -> AsyncIterator[tuple[Conversation, int]]:
        """The conversations from ``name`` on, by id, each with the number of its lines that were exported before."""
        for each in sorted((each for each in known if each.id >= name), key=lambda each: each.id):
            if (whole := await self._conversations.get(scope, each.id, undone=True)) is not None:
                yield whole, exported if whole.id == name else 0

    async def _export_facts(self, scope: Scope, mark: Mark) -> Placed:
        """Each fact, followed by its changes, oldest first.

        Mark: place of the previous fact; id of this fact and version of its last exported change.
        """
        before: Place = (str(mark[0]), int(mark[1]), str(mark[2])) if mark else FIRST
        begun, exported = (str(mark[3]), int(mark[4])) if mark else ("", 0)
        while batch := await self._archive.export_page(scope, after=before, limit=BATCH):
            for each in batch:
                done = exported if each.fact.id == begun else 0
                if not done:
                    yield fact_line(each), [*before, each.fact.id, 1]
                for entry in each.changes:
                    if entry.version > done:
                        yield change_line(entry), [*before, each.fact.id, entry.version]
                before = each.place

    async def _export_replacements(self, scope: Scope, mark: Mark) -> Placed:
        for new, old in sorted(await self._archive.replacements(scope)):
            if [new, old] > list(mark):
                yield line_of("supersession", {"new": new, "old": old}), [new, old]

    async def _export_episodes(self, scope: Scope, mark: Mark) -> Placed:
        known: list[Episode] = []
        while page := await self._episodes.listing(scope, undone=True, limit=BATCH, offset=len(known)):
            known += page
        for episode in sorted(known, key=lambda each: each.id):
            if [episode.id] > list(mark):
                yield line_of("episode", episode), [episode.id]

    async def _export_rewards(self, scope: Scope, mark: Mark) -> Placed:
        for logged in await self._weights.reward_log(scope):
            place = [logged.at.isoformat(timespec="microseconds"), logged.job_id]
            if place > list(mark):
                yield line_of("reward", logged), place

    async def _export_weights(self, scope: Scope, mark: Mark) -> Placed:
        stored = await self._weights.load(scope)
        if stored is not None and not mark:
            yield weights_line(stored), [stored.version]

    async def _export_switches(self, scope: Scope, mark: Mark) -> Placed:
        """The switches of conversations, then those of the user."""
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
        raise _bad_cursor(cursor) from None


def _bad_cursor(cursor: str) -> BadRequest:
    return BadRequest(f"data = {cursor[:80]!r} is not a place in an export: leave it empty, or use the cursor of the last page")
