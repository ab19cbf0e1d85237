"""`refine`: drafts, critiques and revisions of an answer."""

import json
import sys
from pathlib import Path
from typing import Annotated
from uuid import uuid4

import typer

from ...bus.external_client import MemoryBus
from ...errors import BadRequest, NotFound
from ...memory.clock import SystemClock
from ...memory.requests import AppendRefinement, ForgetRefinement, ListRefinements
from ...refine import tracking
from ...refine.machine import next_event
from ...refine.records import CompanionType, Phase
from ...refine.records import Session as RefinementSession
from ...refine.views import transcript
from ...refine.wire import session_from_wire, to_wire
from ..application import app
from ..connection import connect
from ..console import escape
from ..memories import require_readable
from ..options import Session, YesOption, command, confirm, write_file
from .view import as_json, follow, read_session, show_state, show_step, what_is_seen

refine_app = typer.Typer(help="Refinement of texts: drafts, critiques and revisions.", no_args_is_help=True)
app.add_typer(refine_app, name="refine")

SessionArgument = Annotated[str, typer.Argument(metavar="ID", help="Id of the session, as `refine list` shows it.")]


@command(refine_app, "add")
async def add(
    session: Session,
    phase: Annotated[Phase, typer.Argument(help="What the text is.")],
    text: Annotated[str, typer.Argument(help="The text. '-' reads it from standard input.")],
    session_id: Annotated[str, typer.Option("--session", help="Id of the session. Default: a new one.")] = "",
    query: Annotated[str, typer.Option("--query", help="The question that a draft answers. Default: the current one.")] = "",
    companion: Annotated[
        CompanionType | None,
        typer.Option("--companion", help="Kind of text. Default: that of the session, or generic."),
    ] = None,
    conversation: Annotated[str, typer.Option("--conversation", help="Conversation with which the session is forgotten.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Replace the current draft or the last revision.")] = False,
) -> None:
    """Append a draft, a critique or a revision to a session."""
    said = sys.stdin.read() if text == "-" else text
    async with connect(session) as bus:
        known = await _require(bus, session, session_id) if session_id else RefinementSession(id=str(uuid4()))
        event = next_event(
            known,
            phase,
            said,
            event_id=str(uuid4()),
            at=SystemClock().now(),
            query=query,
            conversation_id=conversation,
            companion_type=companion,
        )
        request = AppendRefinement(event=to_wire(event), expected=known.events, confirm=replace, **session.scope_fields)
        now = session_from_wire(known.id, (await bus.call(request)).events)
    session.screen.say(f"session {known.id}")
    show_state(session.screen, now)
    session.screen.data(as_json(now))


@command(refine_app, "list")
async def show_list(
    session: Session,
    conversation: Annotated[str, typer.Option("--conversation", help="Only sessions of this conversation.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of results.")] = 20,
) -> None:
    """List the sessions of a scope, newest first."""
    async with connect(session) as bus:
        found = await bus.call(ListRefinements(conversation_id=conversation, limit=limit, **session.scope_fields))
    require_readable(found)
    rows = [
        [each.session_id, each.companion_type, each.last_at[:16], str(each.events), each.conversation_id]
        for each in found.refinements
    ]
    columns = ["id", "companion", "last", "events", "conversation"]
    session.screen.table("refinement sessions", columns, rows, empty="no refinement sessions")
    session.screen.data({"sessions": found.refinements, "count": found.count})


@command(refine_app, "show")
async def show(session: Session, session_id: SessionArgument) -> None:
    """Show a session step by step, and what comes next."""
    async with connect(session) as bus:
        known = await _require(bus, session, session_id)
    for slot in known.slots:
        for event in slot.events:
            show_step(session.screen, event)
    show_state(session.screen, known)
    session.screen.data(as_json(known))


@command(refine_app, "view")
async def view(
    session: Session,
    phase: Annotated[Phase, typer.Argument(help="The phase.")],
    session_id: SessionArgument,
    query: Annotated[str, typer.Option("--query", help="The question of a draft. Default: the current one.")] = "",
) -> None:
    """Show what a draft, a critique or a revision sees of a session."""
    async with connect(session) as bus:
        seen = what_is_seen(await _require(bus, session, session_id), phase, query)
    for name, value in seen.items():
        session.screen.say(f"[bold]{name}[/bold]")
        session.screen.say(escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)))
    session.screen.data(seen)


@command(refine_app, "metrics")
async def metrics(
    session: Session,
    session_id: Annotated[str, typer.Option("--session", help="Session to measure. Default: the newest sessions.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of sessions.")] = 100,
) -> None:
    """Show durations of a session, or iterations and convergence of several."""
    async with connect(session) as bus:
        if session_id:
            known = await _require(bus, session, session_id)
            told = {**tracking.timing_metrics(known, SystemClock().now()), **tracking.iteration_timeline(known)}
        else:
            found = await bus.call(ListRefinements(limit=limit, **session.scope_fields))
            require_readable(found)
            read = [await read_session(bus, session, each.session_id) for each in found.refinements]
            told = tracking.global_metrics([each for each in read if each is not None])
    session.screen.say(escape(json.dumps(told, ensure_ascii=False, indent=2)))
    session.screen.data(told)


@command(refine_app, "watch")
async def watch(
    session: Session,
    session_id: SessionArgument,
    idle: Annotated[float, typer.Option("--idle", min=0.1, max=3600, help="Seconds without a step after which it ends.")] = 30,
) -> None:
    """Show the steps of a session as they come."""
    async with connect(session) as bus:
        known = await follow(bus, session, session_id, idle_s=idle)
    if known is None:
        raise _explain_unknown(session_id)
    show_state(session.screen, known)
    session.screen.data(as_json(known))


@command(refine_app, "transcript")
async def write_transcript(
    session: Session,
    session_id: SessionArgument,
    file: Annotated[Path | None, typer.Option("--out", show_default=False, help="File to write. Default: the screen.")] = None,
) -> None:
    """Write a session as Markdown."""
    async with connect(session) as bus:
        text = transcript(await _require(bus, session, session_id))
    if file is not None:
        if file.exists():
            raise BadRequest(f"--out {file} exists already: choose another name, or remove it")
        write_file(file, text)
        session.screen.say(f"wrote {escape(str(file))}")
    else:
        session.screen.say(escape(text))
    session.screen.data({"session_id": session_id, "file": str(file or ""), "markdown": text})


@command(refine_app, "forget")
async def forget(session: Session, session_id: SessionArgument, yes: YesOption = False) -> None:
    """Erase a session for good."""
    confirm(session, yes, f"Erase the refinement session {session_id!r} of user {session.options.user!r} for good?")
    async with connect(session) as bus:
        done = await bus.call(ForgetRefinement(session_id=session_id, **session.scope_fields))
    if not done.success:
        raise _explain_unknown(session_id)
    session.screen.say(f"erased {done.count} steps; `react-mem jobs show {done.stats['job']}` has the receipt")
    session.screen.data({"session_id": session_id, "steps": done.count, "job": done.stats["job"]})


async def _require(bus: MemoryBus, session: Session, session_id: str) -> RefinementSession:
    """Raises: NotFound, BadRequest (not a UUID)."""
    known = await read_session(bus, session, session_id)
    if known is None:
        raise _explain_unknown(session_id)
    return known


def _explain_unknown(session_id: str) -> NotFound:
    return NotFound(f"no refinement session {session_id!r} in this scope: `react-mem refine list` lists them")
