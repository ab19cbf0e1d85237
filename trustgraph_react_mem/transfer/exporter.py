"""Export of a scope as pages of lines.  A cursor names the last record of the previous page.

Records are ordered for the import: referenced records first, and switches last, because they can turn writing off.  Within a
section, records are sorted by key and not by time, so that concurrent writes and erasures do not shift records between pages.
"""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from ..errors import BadRequest
from ..memory.ports import Place
from ..memory.records import Conversation
from ..memory.scope import Scope
from ..memory.sizes import wire_size
from ..refine.stored import to_event
from ..repositories.core import MemoryCore
from ..repositories.pages import read_pages
from .lines import line_of

PAGE_BYTES = 1_000_000  # size of a page on the bus
BATCH = 200
ALL = 2**31 - 1
FIRST: Place = ("", -1, "")

Mark = list[Any]  # sort key of the last exported record within its section; empty at the start of a section
Placed = AsyncIterator[tuple[str, Mark]]  # a line and its sort key


class ScopeExport:
    """Reads scopes as pages of lines."""

    def __init__(self, core: MemoryCore) -> None:
        self._facts, self._episodes = core.graph.facts, core.graph.episodes
        self._conversations, self._refinements = core.graph.conversations, core.graph.refinements
        self._weights, self._switches = core.graph.weights, core.graph.switches
        #: In this order, with the types of their sort keys.
        self._sections: dict[str, tuple[list[type], Callable[[Scope, Mark], Placed]]] = {
            "conversation": ([str, int], self._export_conversations),
            "refinement": ([str, int], self._export_refinements),
            "fact": ([str, int, str, str, int], self._export_facts),
            "supersession": ([str, str], self._export_replacements),
            "episode": ([str], self._export_episodes),
            "reward": ([str, str], self._export_rewards),
            "weights": ([int], self._export_weights),
            "switches": ([int, str], self._export_switches),
        }

    async def page(self, scope: Scope, cursor: str, limit: int, *, page_bytes: int = PAGE_BYTES) -> tuple[list[str], str]:
        """The lines after ``cursor`` ("": from the start) and the next cursor ("" at the end).

        A page has at most ``limit`` lines and about ``page_bytes``, but at least one line.

        Raises: BadRequest (the cursor does not come from an export).
        """
        names = list(self._sections)
        first, mark = self._read_cursor(cursor) if cursor else (names[0], [])
        lines: list[str] = []
        size, reached = 0, cursor
        for name in names[names.index(first) :]:
            async for line, place in self._sections[name][1](scope, mark):
                if place <= mark:
                    continue
                size += wire_size(line)
                if lines and (len(lines) == limit or size > page_bytes):
                    return lines, reached
                lines.append(line)
                reached = json.dumps([name, *place], ensure_ascii=False)
            mark = []
        return lines, ""

    def _read_cursor(self, cursor: str) -> tuple[str, Mark]:
        """The section of the last record and its place there.  Raises BadRequest."""
        try:
            name, *mark = json.loads(cursor)
            if [type(each) for each in mark] == self._sections[name][0]:
                return name, mark
        except (ValueError, TypeError, KeyError):
            pass
        raise BadRequest(
            f"data = {cursor[:80]!r} is not a place in an export: leave it empty, or use the cursor of the last page"
        )

    # -- sections: lines from ``mark`` on, or from before it, in the order of their places ---------------------------

    async def _export_conversations(self, scope: Scope, mark: Mark) -> Placed:
        """The invocations of each conversation, then the conversation.  Mark: conversation id, number of lines exported."""
        async for whole in self._read_whole(scope, await self._conversations.listing(scope, limit=ALL), mark):
            for number, invocation in enumerate(whole.invocations, start=1):
                yield line_of("invocation", invocation), [whole.id, number]
            yield line_of("conversation", whole), [whole.id, len(whole.invocations) + 1]

    async def _export_refinements(self, scope: Scope, mark: Mark) -> Placed:
        """The events of each refinement session.  Mark: name of the session, number of events exported."""
        async for whole in self._read_whole(scope, await self._refinements.listing(scope, limit=ALL), mark):
            for number, stored in enumerate(whole.invocations, start=1):
                if (event := to_event(stored)) is not None:
                    marks = {"undone_at": stored.undone_at, "operation": stored.operation}
                    yield line_of("refinement", event.as_dict(), **marks), [whole.id, number]

    async def _read_whole(self, scope: Scope, known: Sequence[Conversation], mark: Mark) -> AsyncIterator[Conversation]:
        for each in sorted((each for each in known if [each.id] >= mark[:1]), key=lambda each: each.id):
            if (whole := await self._conversations.get(scope, each.id, undone=True)) is not None:
                yield whole

    async def _export_facts(self, scope: Scope, mark: Mark) -> Placed:
        """Each fact, followed by its changes, oldest first.

        Mark: place of the previous fact; id of this fact and version of its last exported change.
        """
        before: Place = (mark[0], mark[1], mark[2]) if mark else FIRST
        while batch := await self._facts.export_page(scope, after=before, limit=BATCH):
            for each in batch:
                born = {"stored_at": each.stored_at, "stored_by": each.stored_by, "stored_trigger": each.stored_trigger}
                yield line_of("fact", each.fact, **born), [*before, each.fact.id, 1]
                for entry in each.changes:
                    yield line_of("change", entry), [*before, each.fact.id, entry.version]
                before = each.place

    async def _export_replacements(self, scope: Scope, mark: Mark) -> Placed:
        for new, old in sorted(await self._facts.replacements(scope)):
            yield line_of("supersession", {"new": new, "old": old}), [new, old]

    async def _export_episodes(self, scope: Scope, mark: Mark) -> Placed:
        known = [each async for page in read_pages(self._episodes.listing, scope, undone=True) for each in page]
        for episode in sorted(known, key=lambda each: each.id):
            yield line_of("episode", episode), [episode.id]

    async def _export_rewards(self, scope: Scope, mark: Mark) -> Placed:
        for logged in await self._weights.reward_log(scope):
            yield line_of("reward", logged), [logged.at.isoformat(timespec="microseconds"), logged.job_id]

    async def _export_weights(self, scope: Scope, mark: Mark) -> Placed:
        stored = await self._weights.load(scope)
        if stored is not None and not mark:
            yield line_of("weights", stored), [stored.version]

    async def _export_switches(self, scope: Scope, mark: Mark) -> Placed:
        """The switches of conversations, then those of the user."""
        listed = await self._switches.listing(scope)
        for last, name in sorted((name == "", name) for name in listed):
            yield line_of("switches", listed[name], conversation_id=name), [int(last), name]
