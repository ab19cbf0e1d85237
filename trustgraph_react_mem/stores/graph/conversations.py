"""Conversations and their invocations in a Cypher graph.

Invariant: the positions in a conversation are 0, 1, 2, ... in the order of appending.  Concurrent writers are serialised by
compare-and-set on the number of turns: a writer that loses reads again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from ...errors import Conflict
from ...memory.codec import decode_fields, encode_fields
from ...memory.records import Conversation, Invocation, check_not_reserved
from ...memory.scope import Scope
from ...memory.timefmt import sortable_time
from .engine import CypherStore, GraphEngine, Row, retry_conflicts, scope_root, uid

AREA = "conversations"
SESSIONS = "refinements"  # area of the roots of refinement sessions
ATTEMPTS = 16
PROPERTIES = ("id", "at", "position", "undone_at", "operation")
PACKED = ("query", "summary", "result", "speaker", "succeeded", "steps", "recalled_ids")


class CypherConversationGraph(CypherStore):
    """``ConversationGraph`` over either engine."""

    area = AREA

    async def append(self, scope: Scope, invocation: Invocation) -> bool:
        return await self.append_many(scope, [invocation]) == 1

    async def append_many(self, scope: Scope, invocations: Sequence[Invocation]) -> int:
        for invocation in invocations:
            check_not_reserved("the conversation id", invocation.conversation_id)
            check_not_reserved("the id of the invocation", invocation.id)
        return await retry_conflicts(lambda: self.append_to(scope, [scope_root(scope, AREA)], invocations), ATTEMPTS)

    async def append_to(
        self,
        scope: Scope,
        roots: Sequence[str],
        invocations: Sequence[Invocation],
        *,
        metadata: Mapping[str, str] | None = None,
        expected: int | None = None,
        ended: bool = False,
    ) -> int:
        """Append what is not stored to one conversation, which is created below ``roots`` if needed.  Returns the number.

        ``metadata``: of a new conversation.  ``expected``: number of its turns.  ``ended``: it counts as ended, so that the
        inactivity of conversations does not concern it.

        Raises: Conflict (it does not have the expected number of turns, or another writer came first).
        """
        wanted = {uid(scope, invocation.id): invocation for invocation in invocations}
        # A repeated job brings invocations that are stored already.
        for row in await self._read("known_invocations", uids=list(wanted)) if wanted else ():
            del wanted[row["uid"]]
        new = list(wanted.values())
        if not new:
            return 0
        key, times = uid(scope, new[0].conversation_id), sorted(sortable_time(each.at) for each in new)
        before = next(iter(await self._rows([key])), None)
        # Positions follow from the number of turns that was read.  If another writer appends first, that number has changed
        # or the conversation exists: the write fails as a conflict.
        first = before["turns"] if before else 0
        if expected not in (None, first):
            raise Conflict(f"the refinement session has {first} events, not {expected}: read it again")
        entry: Row = {"uid": key, "scope": scope.key, "turns": first + len(new)}
        if before is None:
            entry |= {"id": new[0].conversation_id, "metadata": json.dumps(metadata or {}, ensure_ascii=False)}
            entry |= {"started_at": times[0], "last_at": times[-1], "ended_at": times[0] if ended else ""}
            statements = [
                *(self._statement("merge_scope", uid=root, scope=scope.key) for root in roots),
                self._statement("create_conversation", **entry),
                *(self._statement("keep_conversation", expect=1, root=root, uid=key) for root in roots),
            ]
        else:
            entry |= {"last_at": max(times[-1], before["last_at"]), "ended_at": before["started_at"] if ended else ""}
            statements = [self._statement("extend_conversation", expect=1, **entry, expected=first)]
        rows = [_row(scope, replace(each, position=first + n)) for n, each in enumerate(new)]
        await self._engine.write([*statements, self._statement("create_invocations", rows=rows)])
        return len(rows)

    async def get(self, scope: Scope, conversation_id: str, *, limit: int = 0, undone: bool = False) -> Conversation | None:
        rows = await self._rows([uid(scope, conversation_id)])
        if not rows:
            return None
        first = max(0, rows[0]["turns"] - limit) if limit else 0
        invocations = await self._invocations(scope, conversation_id, first, undone=undone)
        if first and len(invocations) < limit and not undone:
            # Some of the newest are undone, so older ones are needed to reach the limit.
            invocations = await self._invocations(scope, conversation_id, 0, undone=False)
        return replace(_conversation(rows[0]), invocations=tuple(invocations[-limit:] if limit else invocations))

    async def _invocations(self, scope: Scope, conversation_id: str, first: int, *, undone: bool) -> list[Invocation]:
        rows = await self._read("invocations", uid=uid(scope, conversation_id), first=first)
        return [_invocation(row) for row in rows if undone or not row["undone_at"]]

    async def invocations(self, scope: Scope, ids: Sequence[str]) -> list[Invocation]:
        uids = [uid(scope, record_id) for record_id in dict.fromkeys(ids)]
        return [_invocation(row) for row in await self._read("invocations_by_id", uids=uids)] if uids else []

    async def rewrite(self, scope: Scope, invocations: Sequence[Invocation]) -> None:
        rows = [{"uid": uid(scope, each.id), "record": _row(scope, each)["record"]} for each in invocations]
        if rows:
            await self._write("rewrite", rows=rows)

    async def list_changed_since(self, scope: Scope, at: datetime) -> list[Invocation]:
        return [_invocation(row) for row in await self._read("changed_since", scope=scope.key, at=sortable_time(at))]

    async def list_marked_by(self, scope: Scope, operation: str) -> list[Invocation]:
        return [_invocation(row) for row in await self._read("marked_by", scope=scope.key, operation=operation)]

    async def mark_undone(self, scope: Scope, ids: Sequence[str], at: datetime | None, operation: str) -> None:
        if ids:
            uids = [uid(scope, record_id) for record_id in ids]
            await self._write("mark_undone", uids=uids, at=sortable_time(at), operation=operation)

    async def listing(self, scope: Scope, *, limit: int = 100, offset: int = 0) -> list[Conversation]:
        return await self.find("listing", root=scope_root(scope, AREA), limit=limit, offset=offset)

    async def list_within(
        self, scope: Scope, prefix: str, after: datetime, until: datetime, *, limit: int
    ) -> list[Conversation]:
        times = {"after": sortable_time(after), "until": sortable_time(until)}
        return await self.find("within", root=scope_root(scope, AREA), prefix=prefix, limit=limit, **times)

    async def idle_since(self, before: datetime, *, limit: int = 100) -> list[Conversation]:
        return await self.find("idle_since", before=sortable_time(before), limit=limit)

    async def end(self, scope: Scope, conversation_id: str, *, at: datetime) -> bool:
        return bool(await self._write("end", uid=uid(scope, conversation_id), scope=scope.key, at=sortable_time(at)))

    async def set_metadata(self, scope: Scope, conversation_id: str, values: Mapping[str, str]) -> None:
        key = uid(scope, conversation_id)

        async def once() -> None:
            rows = await self._rows([key])
            if not rows:
                return
            expected = rows[0]["metadata"]
            merged = {key: value for key, value in (json.loads(expected) | dict(values)).items() if value or ":" not in key}
            metadata = json.dumps(merged, ensure_ascii=False)
            await self._write("set_metadata", expect=1, uid=key, scope=scope.key, expected=expected, metadata=metadata)

        await retry_conflicts(once, ATTEMPTS)

    async def forget(self, scope: Scope, conversation_id: str) -> None:
        """Remove the conversation and its refinement sessions."""
        key, root = uid(scope, conversation_id), _sessions_root(scope, conversation_id)
        own = [self._statement(name, uid=key) for name in ("forget_invocations", "forget")]
        names = ("forget_events_of_root", "forget_sessions_of_root", "forget_scope_root")
        await self._engine.write([*own, *(self._statement(name, root=root) for name in names)])

    async def forget_scope(self, scope: Scope) -> None:
        await self._engine.write(
            [
                self._statement("forget_scope_invocations", scope=scope.key),
                self._statement("forget_scope_conversations", scope=scope.key),
                self._statement("forget_scope_root", root=scope_root(scope, AREA)),
                self._statement("forget_session_roots", scope=scope.key, prefix=_sessions_root(scope)),
            ]
        )

    async def count(self, scope: Scope) -> Mapping[str, int]:
        (row,) = await self._read("conversations_and_turns", root=scope_root(scope, AREA))
        return {"conversations": int(row["n"]), "invocations": int(row["turns"] or 0)}

    async def find(self, statement: str, /, **parameters: object) -> list[Conversation]:
        """What a statement of ``conversations.cypher`` finds, without invocations."""
        found = await self._read(statement, **parameters)
        return [_conversation(row) for row in await self._rows([row["uid"] for row in found])]

    async def _rows(self, keys: list[str]) -> list[Row]:
        if not keys:
            return []
        rows = {row["uid"]: row for row in await self._read("conversations", uids=keys)}
        return [rows[key] for key in keys if key in rows]


class CypherRefinementGraph(CypherStore):
    """``RefinementGraph`` over either engine.

    A session is a Conversation node under two roots: one for all sessions of the scope, and one for those of a conversation.
    """

    area = AREA

    def __init__(self, engine: GraphEngine) -> None:
        super().__init__(engine)
        self._conversations = CypherConversationGraph(engine)

    async def append(
        self, scope: Scope, events: Sequence[Invocation], *, of: str, metadata: Mapping[str, str], expected: int | None = None
    ) -> int:
        roots = [_sessions_root(scope), *([_sessions_root(scope, of)] if of else [])]
        append = partial(self._conversations.append_to, scope, roots, events, metadata=metadata, expected=expected, ended=True)
        return await retry_conflicts(append, ATTEMPTS if expected is None else 1)

    async def listing(self, scope: Scope, *, of: str = "", limit: int = 100, offset: int = 0) -> list[Conversation]:
        return await self._conversations.find("listing", root=_sessions_root(scope, of), limit=limit, offset=offset)

    async def silent_since(self, scope: Scope, before: datetime, *, limit: int = 100) -> list[Conversation]:
        root = _sessions_root(scope)
        return await self._conversations.find("silent_since", root=root, before=sortable_time(before), limit=limit)

    async def count(self, scope: Scope, *, of: str = "") -> int:
        (row,) = await self._read("conversations_and_turns", root=_sessions_root(scope, of))
        return int(row["n"])


def _sessions_root(scope: Scope, conversation_id: str = "") -> str:
    """Key of the root of the sessions of a conversation; "": of the whole scope."""
    root = scope_root(scope, SESSIONS)
    return f"{root}|{conversation_id}" if conversation_id else root


def _row(scope: Scope, invocation: Invocation) -> Row:
    return {
        "uid": uid(scope, invocation.id),
        "conversation_uid": uid(scope, invocation.conversation_id),
        "scope": scope.key,
        "conversation": invocation.conversation_id,
        **encode_fields(invocation, PROPERTIES, time=sortable_time),
        "record": json.dumps(encode_fields(invocation, PACKED), ensure_ascii=False, separators=(",", ":")),
    }


def _invocation(row: Row) -> Invocation:
    return Invocation(
        conversation_id=row["conversation"],
        **decode_fields(Invocation, PROPERTIES, row),
        **decode_fields(Invocation, PACKED, json.loads(row["record"])),
    )


def _conversation(row: Row) -> Conversation:
    told = decode_fields(Conversation, ("id", "started_at", "last_at", "ended_at", "turns"), row)
    return Conversation(scope=Scope.from_key(row["scope"]), metadata=json.loads(row["metadata"]), **told)
