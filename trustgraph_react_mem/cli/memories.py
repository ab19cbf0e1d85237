"""`memories`."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from ..errors import BadRequest, NotFound
from ..memory import requests
from ..memory.records import FACT_KINDS, TOPIC
from ..memory.requests.fields import Found, Limit, Offset, Threshold
from ..memory.text.printable import is_blank
from ..schema import Episode, Fact, HistoryEntry
from .application import app
from .connection import call, connect, prove, send
from .console import Screen, escape
from .options import Session, YesOption, command, confirm, option
from .views import explain_quarantine, format_memory, memory_row, show_ranked

memories_app = typer.Typer(help="Stored memories: add, list, search, show.", no_args_is_help=True)
app.add_typer(memories_app, name="memories")

IdArgument = Annotated[str, typer.Argument(help="Record id.")]
EPISODE = "episode"
SOURCE = "command line"
COLUMNS = ["id", "kind", "when", "memory"]
KINDS = (*FACT_KINDS, EPISODE)
KindOption = Annotated[
    list[str] | None, typer.Option("--kind", help=f"Only memories of this kind: {', '.join(KINDS)} (or rule). Repeatable.")
]


@command(memories_app, "add")
async def add(
    session: Session,
    text: Annotated[str, typer.Argument(help="What to remember. '-' reads it from standard input.")],
) -> None:
    """Remember a text as it is, as said by the user. No model is called."""
    content = sys.stdin.read().strip() if text == "-" else text
    if is_blank(content):
        raise BadRequest("the text is empty: write what to remember, as in: react-mem memories add 'Miso eats no chicken'")
    stored = await send(session, requests.StoreFact(content=content, source=SOURCE))
    session.screen.table("remembered", COLUMNS, [memory_row(fact) for fact in stored.facts])
    session.screen.data({"memories": stored.facts})


@command(memories_app, "list")
async def list_(
    session: Session,
    kind: KindOption = None,
    status: Annotated[
        str, typer.Option(help="Only this status: active, superseded, quarantined, undone; of episodes: active, all.")
    ] = "active",
    about: Annotated[str, typer.Option(metavar="NAME", help="Only facts about this person or thing.")] = "",
    limit: Annotated[int, option(Limit)] = 50,
    offset: Annotated[int, option(Offset)] = 0,
) -> None:
    """List the facts of a scope, newest first. `--kind episode` lists the episodes."""
    kinds = _check_kinds(kind)
    if EPISODE in kinds:
        if about:
            raise BadRequest("--about: episodes are not listed by name. Leave it out, or leave --kind episode out")
        if status not in ("active", "all"):
            raise BadRequest(f"--status {status}: episodes are listed as active or all")
        wanted = "" if status == "active" else status
        episodes = await send(session, requests.ListEpisodes(status=wanted, limit=limit, offset=offset))
        _show_episodes(session.screen, episodes.episodes, "no episode in this scope")
        session.screen.data({"episodes": episodes.episodes, "count": episodes.count})
        return
    request = requests.ListFacts(kinds=kinds, status=status, about=about, limit=limit, offset=offset)
    response = await send(session, request)
    narrowed = bool(kinds or about or offset or status != "active")
    empty = "none of these" if narrowed else "nothing is remembered in this scope"
    session.screen.table("memories", COLUMNS, [memory_row(fact) for fact in response.facts], empty=empty)
    session.screen.data({"memories": response.facts, "count": response.count})


def _show_episodes(screen: Screen, episodes: list[Episode], empty: str) -> None:
    rows = [
        [each.id, each.timestamp[:16], each.goal, "; ".join(part for part in (each.outcome, each.lessons) if part)]
        for each in episodes
    ]
    screen.table("episodes", ["id", "when", "goal", "outcome"], rows, empty=empty)


@command(memories_app, "search")
async def search(
    session: Session,
    words: Annotated[str, typer.Argument(help="Search text.")],
    kind: KindOption = None,
    top: Annotated[int, option(Found, "--top")] = 5,
    threshold: Annotated[float, option(Threshold)] = 0.0,
) -> None:
    """Show the memories that a question would recall, with scores and reasons. `--kind episode` searches the episodes."""
    if is_blank(words):
        raise BadRequest("the query is empty: pass the words to search for")
    kinds = _check_kinds(kind)
    if EPISODE in kinds:
        found = await send(session, requests.RetrieveEpisodes(query=words, top_k=top, threshold=threshold))
        _show_episodes(session.screen, found.episodes, "nothing came up")
        session.screen.data({"query": words, "episodes": found.episodes})
        return
    response = await send(session, requests.RetrieveFacts(query=words, top_k=top, kinds=kinds, threshold=threshold))
    show_ranked(session.screen, "memories", [vars(fact) for fact in response.facts])
    session.screen.data({"query": words, "memories": response.facts})


@command(memories_app, "show")
async def show(session: Session, record_id: IdArgument) -> None:
    """Show all fields of a fact or an episode, and its changes, newest first."""
    history: list[HistoryEntry] = []
    found: Sequence[Fact | Episode]
    async with connect(session) as bus:
        if found := (await call(session, bus, requests.GetFacts(ids=[record_id]))).facts:
            history = (await call(session, bus, requests.GetFactHistory(id=record_id))).history
        else:
            found = (await call(session, bus, requests.GetEpisode(id=record_id))).episodes
    if not found:
        raise NotFound(
            f"no record {record_id!r} for user {session.options.user!r} in collection {session.options.collection!r}: "
            "`react-mem memories list` shows the ids"
        )
    record = found[0]
    for name, value in vars(record).items():
        if value not in ("", 0, 0.0, None, [], {}, -1):
            line = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            session.screen.say(f"[bold]{name:16}[/bold] {escape(line)}")
    rows = [[str(e.version), e.at[:19], e.change, e.trigger, e.by, e.content] for e in history]
    session.screen.table("history", ["version", "at", "change", "trigger", "by", "content"], rows, empty="none")
    session.screen.data({"record": record, "history": history})


@command(memories_app, "topics")
async def topics(
    session: Session,
    limit: Annotated[int, option(Limit)] = 50,
) -> None:
    """Show what is known, grouped by topic, the newest first."""
    found = await send(session, requests.ListTopics(limit=limit))
    rows = [[fact.metadata[TOPIC], fact.timestamp[:10], fact.content] for fact in found.facts]
    session.screen.table("topics", ["topic", "newest", "what is known"], rows, empty="nothing is known by topic yet")
    session.screen.data({"topics": found.facts})


@command(memories_app, "release")
async def release(session: Session, record_id: IdArgument, yes: YesOption = False) -> None:
    """Release a quarantined memory: from now on it is recalled, and a rule is followed.

    `memories list --status quarantined` lists them with the reason. In a shared memory this needs the master key of the data.
    """
    async with connect(session) as bus:
        response = await call(session, bus, requests.GetFacts(ids=[record_id]))
        if not response.facts:
            raise NotFound(f"there is no memory {record_id!r} in this scope: `react-mem memories list` shows the ids")
        [fact] = response.facts
        if fact.status != "quarantined":
            raise BadRequest(f"memory {record_id!r} is {fact.status}, not quarantined: there is nothing to release")
        shown = format_memory(vars(fact))
        session.screen.say(f"{escape(shown)}\n[dim]{escape(explain_quarantine(fact))}[/dim]")
        confirm(session, yes, "Release it?")
        # The proof names the words that were shown: if they change meanwhile, it does not hold.
        proof = prove(session, "release", fact.id, fact.content, fact.condition, fact.action)
        await call(session, bus, requests.UpdateFact(id=record_id, status="active", proof=proof))
    session.screen.say(f"released {escape(record_id)}")
    session.screen.data({"released": record_id})


def _check_kinds(kinds: list[str] | None) -> list[str]:
    kinds = ["procedural" if kind == "rule" else kind for kind in kinds or []]
    for kind in kinds:
        if kind not in KINDS:
            raise BadRequest(f"--kind {kind}: unknown kind; use one of {', '.join(KINDS)}")
    if EPISODE in kinds and set(kinds) != {EPISODE}:
        raise BadRequest("--kind episode cannot be combined with other kinds: list them separately")
    return kinds
