"""`memories`."""

import sys
from typing import Annotated, Any

import typer

from ..bus.external_client import MemoryBus
from ..errors import BadRequest, NotFound
from ..memory.records import FACT_KINDS, TOPIC
from ..memory.requests import (
    GetEpisode,
    GetFactHistory,
    GetFacts,
    ListEpisodes,
    ListFacts,
    ListTopics,
    RetrieveEpisodes,
    RetrieveFacts,
    StoreFact,
)
from ..memory.requests.fields import Found, Limit, Offset, Threshold
from ..memory.text.printable import is_blank
from ..schema import Episode, Fact, FactsResponse, HistoryEntry
from .application import app
from .connection import connect
from .console import Screen, escape
from .options import Session, command, option
from .views.records import memory_row, show_history, show_ranked

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
    async with connect(session) as bus:
        stored = await bus.call(StoreFact(content=content, source=SOURCE, **session.scope_fields))
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
        await _list_episodes(session, status, limit, offset)
        return
    request = ListFacts(kinds=kinds, status=status, about=about, limit=limit, offset=offset, **session.scope_fields)
    async with connect(session) as bus:
        response = await bus.call(request)
    require_readable(response)
    rows = [memory_row(fact) for fact in response.facts]
    narrowed = bool(kinds or about or offset or status != "active")
    empty = "none of these" if narrowed else "nothing is remembered in this scope"
    session.screen.table("memories", COLUMNS, rows, empty=empty)
    session.screen.data({"memories": response.facts, "count": response.count})


async def _list_episodes(session: Session, status: str, limit: int, offset: int) -> None:
    if status not in ("active", "all"):
        raise BadRequest(f"--status {status}: episodes are listed as active or all")
    request = ListEpisodes(status="" if status == "active" else status, limit=limit, offset=offset, **session.scope_fields)
    async with connect(session) as bus:
        response = await bus.call(request)
    require_readable(response)
    _show_episodes(session.screen, response.episodes, "no episode in this scope")
    session.screen.data({"episodes": response.episodes, "count": response.count})


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
    kinds = _check_kinds(kind)
    if EPISODE in kinds:
        _check_words(words)
        async with connect(session) as bus:
            found = await bus.call(RetrieveEpisodes(query=words, top_k=top, threshold=threshold, **session.scope_fields))
        require_readable(found)
        _show_episodes(session.screen, list(found.episodes), "nothing came up")
        session.screen.data({"query": words, "episodes": found.episodes})
        return
    async with connect(session) as bus:
        response = await retrieve(bus, session, words, top=top, kinds=kinds, threshold=threshold)
    show_ranked(session.screen, response.facts)
    session.screen.data({"query": words, "memories": response.facts})


async def retrieve(
    bus: MemoryBus, session: Session, words: str, *, top: int, kinds: list[str], threshold: float = 0.0
) -> FactsResponse:
    _check_words(words)
    response = await bus.call(RetrieveFacts(query=words, top_k=top, kinds=kinds, threshold=threshold, **session.scope_fields))
    require_readable(response)
    return response


def _check_words(words: str) -> None:
    if is_blank(words):
        raise BadRequest("the query is empty: pass the words to search for")


def require_readable(response: Any) -> None:
    """Raises: BadRequest (reading is switched off)."""
    if response.stats.get("read") == "off":
        raise BadRequest("reading memory is switched off: `react-mem switch --read on [--conversation ID]` switches it on")


@command(memories_app, "show")
async def show(session: Session, record_id: IdArgument) -> None:
    """Show all fields of a fact or an episode."""
    async with connect(session) as bus:
        record, history = await _record(bus, session, record_id)
    for name, value in vars(record).items():
        if value not in ("", 0, 0.0, None, [], {}, -1):
            session.screen.say(f"[bold]{name:16}[/bold] {escape(_line(value))}")
    show_history(session.screen, history, record if isinstance(record, Fact) else None)
    session.screen.data({"record": record, "history": history})


@command(memories_app, "topics")
async def topics(
    session: Session,
    limit: Annotated[int, option(Limit)] = 50,
) -> None:
    """Show what is known, grouped by topic, the newest first."""
    async with connect(session) as bus:
        found = await bus.call(ListTopics(limit=limit, **session.scope_fields))
        require_readable(found)
    rows = [[fact.metadata[TOPIC], fact.timestamp[:10], fact.content] for fact in found.facts]
    session.screen.table("topics", ["topic", "newest", "what is known"], rows, empty="nothing is known by topic yet")
    session.screen.data({"topics": found.facts})


async def _record(bus: MemoryBus, session: Session, record_id: str) -> tuple[Any, list[HistoryEntry]]:
    facts = await bus.call(GetFacts(ids=[record_id], **session.scope_fields))
    require_readable(facts)
    if facts.facts:
        history = await bus.call(GetFactHistory(id=record_id, **session.scope_fields))
        return facts.facts[0], history.history
    episodes = await bus.call(GetEpisode(id=record_id, **session.scope_fields))
    if not episodes.episodes:
        raise NotFound(
            f"no record {record_id!r} for user {session.options.user!r} in collection {session.options.collection!r}: "
            "`react-mem memories list` shows the ids"
        )
    return episodes.episodes[0], []


def _check_kinds(kinds: list[str] | None) -> list[str]:
    kinds = ["procedural" if kind == "rule" else kind for kind in kinds or []]
    for kind in kinds:
        if kind not in KINDS:
            raise BadRequest(f"--kind {kind}: unknown kind; use one of {', '.join(KINDS)}")
    if EPISODE in kinds and set(kinds) != {EPISODE}:
        raise BadRequest("--kind episode cannot be combined with other kinds: list them separately")
    return kinds


def _line(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
