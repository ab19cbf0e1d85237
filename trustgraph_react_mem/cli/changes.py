"""`undo`, `rollback`, `forget`, `conversations`."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from ..errors import BadRequest, EngineUnavailable, NotFound
from ..memory import requests
from ..memory.requests.fields import Limit
from ..schema import Fact, FactsResponse
from .application import app
from .connection import call, connect, send
from .console import count_of, escape
from .jobs import wait_for_files
from .options import CHECK_FAILED, Session, YesOption, command, confirm, option
from .views import format_memory, show_receipt

FORGET_TIMEOUT_S = 300.0
_UNITS = {"minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_AGO = re.compile(r"(\d+)\s*(minute|hour|day|week)s?\s+ago")


@command(app, "undo")
async def undo(
    session: Session,
    name: Annotated[str, typer.Argument(metavar="ID", help="Record id, or the name of an undo or rollback.")],
) -> None:
    """Revert the last change of a record, or a whole undo or rollback.

    Nothing is erased. If the last change created the record, the record and everything derived from it are no longer recalled,
    but stay in the history. A second `undo` restores them.
    """
    response = await send(session, requests.UndoChange(id=name), timeout_s=FORGET_TIMEOUT_S)
    show_revert(session, response, f"undone: {name}")
    for fact in response.facts:
        state = "no longer recalled" if fact.status == "undone" else fact.status
        session.screen.say(f"  now {state}: {escape(format_memory(vars(fact)))}")
    session.screen.data({"undone": name, "now": response.facts, **response.stats})


def show_revert(session: Session, response: FactsResponse, what: str) -> None:
    changed = {name: int(response.stats[name]) for name in ("facts", "episodes", "exchanges")}
    parts = [count_of(number, name[:-1]) for name, number in changed.items() if number]
    session.screen.say(f"{escape(what)} ({', '.join(parts) or 'nothing changed'})")
    if operation := response.stats["operation"]:
        session.screen.say(f"`react-mem undo {operation}` reverts this")


@command(app, "rollback")
async def rollback(
    session: Session,
    to: Annotated[str, typer.Option("--to", help="Time to return to: ISO 8601, '2 hours ago' or 'yesterday'.")],
    yes: YesOption = False,
) -> None:
    """Return a scope to its state at a given time.

    Nothing is erased. Later changes are reverted, and records created later are no longer recalled. Everything stays in the
    history. The command prints a name; `react-mem undo NAME` reverts the rollback.
    """
    at = parse_past_time(to)
    confirm(
        session,
        yes,
        f"Revert every change since {at.isoformat()} for user {session.options.user!r}? "
        "Memories created since then are no longer recalled. `undo` restores them.",
    )
    response = await send(session, requests.RollBack(at=at.isoformat()), timeout_s=FORGET_TIMEOUT_S)
    show_revert(session, response, f"{count_of(response.count, 'change')} since {at.isoformat()} reverted")
    session.screen.data({"to": at.isoformat(), "changes": response.count, **response.stats})


def parse_past_time(text: str, now: datetime | None = None) -> datetime:
    """ISO 8601 (local time if it has no zone), "N minutes|hours|days|weeks ago", or "yesterday" (24 hours ago).

    Raises:
        BadRequest: any other text, or a time in the future.
    """
    moment = now or datetime.now(UTC)
    wanted = text.strip().lower()
    ago = _AGO.fullmatch(wanted)
    if ago:
        try:
            return moment - timedelta(seconds=int(ago[1]) * _UNITS[ago[2]])
        except (OverflowError, ValueError):
            raise BadRequest(f"{text!r} is not a time: it is before year 1") from None
    if wanted == "yesterday":
        return moment - timedelta(days=1)
    try:
        at = datetime.fromisoformat(text.strip()).astimezone(UTC)
    except ValueError:
        raise BadRequest(f"{text!r} is not a time: write it as 2026-03-01T12:00 or '2 hours ago'") from None
    if at > moment:
        raise BadRequest(f"{text!r} is in the future: pass a time in the past")
    return at


@command(app, "forget")
async def forget(
    session: Session,
    context: typer.Context,
    record_id: Annotated[str, typer.Argument(help="Id of the record to erase.", show_default=False)] = "",
    conversation: Annotated[str, typer.Option("--conversation", help="Erase a conversation and all derived memories.")] = "",
    everyone: Annotated[bool, typer.Option("--everyone", help="Erase all memories of the workspace.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Skip confirmation. Single records are never confirmed.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the files have been rewritten without the words.")] = False,
) -> int | None:
    """Erase memories for good and print a receipt: records found, removed and left in each store, verified by a second scan.

    Pass one of: a record ID, `--conversation`, `--user NAME` (all memories of the user), `--collection NAME` (one collection of
    the user) or `--everyone`. Together with an ID or `--conversation`, `--user` and `--collection` select the scope.

    Answers that repeat a record are separate records. The command names them.
    """
    level = _choose_level(context, record_id, conversation, everyone)
    confirm(
        session, yes or level == "record", f"Forget the {level} for good ({_describe_target(session, level, conversation)})?"
    )
    async with connect(session) as bus:
        repeats: list[Fact] = []
        if record_id:
            repeats = (await call(session, bus, requests.FindRepeats(ids=[record_id]))).facts
        ids = [record_id] if record_id else []
        # A job, so that an interrupted erasure resumes.
        request = requests.erase(level, ids, conversation, timeout_s=FORGET_TIMEOUT_S, **session.scope_fields)
        done = await bus.call(request)
        if not done.data:
            told = f"`react-mem jobs show {done.job_id}` shows its receipt"
            raise EngineUnavailable(f"timeout: the erasure continues in the background; {told}")
        receipt: dict[str, Any] = json.loads(done.data)
        if wait:
            receipt = await wait_for_files(bus, session, done.job_id, receipt)
    places = receipt.get("places", {}).values()
    left = sum(int(place.get("left", 0)) for place in places)
    if left or any(int(place.get("found", 0)) for place in places):
        show_receipt(session.screen, receipt)
    elif level in ("record", "conversation"):
        listing = "memories list" if level == "record" else "conversations"
        raise NotFound(
            f"no {level} {record_id or conversation!r} in this scope: nothing was found and nothing was forgotten "
            f"(`react-mem {listing}` shows the ids)"
        )
    else:
        target = escape(_describe_target(session, level, conversation))
        session.screen.say(f"{target}: nothing was found, nothing was forgotten")
    for fact in repeats:
        session.screen.note(f"still stored: {fact.id} repeats it; `react-mem forget {fact.id}` erases it")
    repeated_in = {"repeated_in": [fact.id for fact in repeats]} if record_id else {}
    session.screen.data({"level": level, "receipt": receipt, **repeated_in})
    return CHECK_FAILED if left or receipt.get("complete") is False else None


def _choose_level(context: typer.Context, record_id: str, conversation: str, everyone: bool) -> str:
    """A user or a collection is erased only if the command line names it, never because of an environment variable."""
    named = {
        option
        for option in ("user", "collection")
        if getattr(context.get_parameter_source(option), "name", "") == "COMMANDLINE"
    }
    chosen = [
        level for level, given in (("record", record_id), ("conversation", conversation), ("workspace", everyone)) if given
    ]
    if not chosen and named:
        return "collection" if "collection" in named else "user"
    if len(chosen) != 1:
        raise BadRequest(
            "say what to forget with one of: ID, --conversation ID, --user NAME, --collection NAME, --everyone "
            f"(given: {', '.join(chosen) or 'none'})"
        )
    return chosen[0]


def _describe_target(session: Session, level: str, conversation: str) -> str:
    options = session.options
    return {
        "conversation": f"{conversation!r} of user {options.user!r}",
        "user": f"user {options.user!r}, every collection",
        "collection": f"collection {options.collection!r} of user {options.user!r}",
        "workspace": f"workspace {options.workspace!r}, every user",
    }.get(level, "")


@command(app, "conversations")
async def conversations(
    session: Session,
    conversation_id: Annotated[str, typer.Argument(help="Show the exchanges of this conversation.", show_default=False)] = "",
    limit: Annotated[int, option(Limit)] = 20,
) -> None:
    """List the conversations of a scope, or show the exchanges of one."""
    if conversation_id:
        found = await send(session, requests.GetConversation(conversation_id=conversation_id, limit=limit))
        if not found.conversation or not found.conversation.invocations:
            raise NotFound(f"no conversation {conversation_id!r} in this scope: `react-mem conversations` lists them")
        rows = [[item.timestamp[:16], item.query, item.result] for item in found.conversation.invocations]
        session.screen.table("exchanges", ["when", "question", "answer"], rows)
        session.screen.data({"conversation": found.conversation})
        return
    response = await send(session, requests.ListConversations(limit=limit))
    rows = []
    for each in response.conversations:
        last_at, turns = (each.metadata.get(name, "") for name in ("last_at", "turns"))
        rows.append([each.conversation_id, "ended" if each.ended else "open", last_at[:16], turns])
    session.screen.table("conversations", ["id", "state", "last", "exchanges"], rows)
    session.screen.data({"conversations": response.conversations})
