"""`why`, `feedback` and `switch`."""

import json
from typing import Annotated, Literal

import typer

from ..bus.external_client import MemoryBus
from ..errors import NotFound
from ..memory.former import until_note
from ..memory.requests import GetConversation, GetFacts, ListConversations, RateFacts, SwitchMemory
from ..memory.timefmt import read_zone
from ..turn_trace import TurnTrace
from .application import app
from .connection import call, connect, send
from .console import escape
from .options import Session, command
from .views import format_closing_line, format_timings, local_zone, show_recalled


@command(app, "why")
async def why(
    session: Session,
    conversation: Annotated[str, typer.Option("--conversation", help="Explain the last answer of this conversation.")] = "",
) -> None:
    """Explain the last answer: the recalled memories, and the reasons for their order.

    score: final score; before: score without what was learned from citations; p: share of the memory among all candidates
    (softmax of their scores); why: the features that add most to the score; `*`: cited by the answer.
    """
    async with connect(session) as bus:
        if not conversation:
            listed = await call(session, bus, ListConversations(limit=1))
            if not listed.conversations:
                raise NotFound("no conversation in this scope: ask a question first")
            conversation = listed.conversations[0].conversation_id
        trace = await _load_explanation(bus, session, conversation)
    show_recalled(session.screen, trace)
    session.screen.say(format_closing_line(trace))
    if timings := format_timings(trace.timings_ms()):
        session.screen.say(f"[dim]{escape(timings)}[/dim]")
    session.screen.data(trace.as_json())


async def _load_explanation(bus: MemoryBus, session: Session, conversation_id: str) -> TurnTrace:
    """The stored explanation of the newest answer.  It holds ids and scores; the texts are loaded again.  Raises: NotFound."""
    found = await call(session, bus, GetConversation(conversation_id=conversation_id, limit=20))
    invocations, metadata = (found.conversation.invocations, found.conversation.metadata) if found.conversation else ([], {})
    explained = (each for each in reversed(invocations) if f"why:{each.id}" in metadata)
    if (invocation := next(explained, None)) is None:
        raise NotFound(
            f"no explanation is stored for conversation {conversation_id!r} (its answers were given without memory, or were "
            "erased): `react-mem conversations` lists the others"
        )
    explanation = json.loads(metadata[f"why:{invocation.id}"])
    trace = TurnTrace(question=invocation.query, conversation_id=conversation_id, answer=invocation.result)
    trace.recalled, trace.cited = explanation.get("recalled") or {}, explanation.get("cited") or {}
    if ids := [str(item.get("id")) for item in trace.memories]:
        texts = {fact.id: fact for fact in (await call(session, bus, GetFacts(ids=ids))).facts}
        for item in trace.memories:
            fact = texts.get(str(item.get("id")))
            item["content"] = fact.content if fact else "(forgotten since)"
            item["speaker"] = fact.speaker if fact else ""
            item["until"] = until_note(fact, zone=read_zone(local_zone())) if fact else ""
    return trace


@command(app, "feedback")
async def feedback(
    session: Session,
    record_id: Annotated[str, typer.Argument(metavar="MEMORY", help="Id of a memory, as `react-mem why` shows it.")],
    rating: Annotated[Literal["+", "-"], typer.Argument(help="'+': useful, '-': not useful.")],
) -> None:
    """Rate a memory as useful or not useful for the last answer. The ranking learns from it."""
    value = 1 if rating == "+" else -1
    await send(session, RateFacts(ids=[record_id], rating=value))
    session.screen.say(f"rated {escape(record_id)} {rating}: the ranking learns from it in the background")
    session.screen.data({"id": record_id, "rating": value})


@command(app, "switch")
async def switch(
    session: Session,
    read: Annotated[Literal["on", "off"] | None, typer.Option(help="Allow recall.")] = None,
    write: Annotated[Literal["on", "off"] | None, typer.Option(help="Allow recording.")] = None,
    conversation: Annotated[str, typer.Option("--conversation", help="Only in this conversation.")] = "",
) -> None:
    """Show or change the persistent switches for reading and writing memory, for a user or one conversation."""
    reads, writes = (None if value is None else value == "on" for value in (read, write))
    response = await send(session, SwitchMemory(read=reads, write=writes, conversation_id=conversation))
    for name, value in response.stats.items():
        session.screen.say(f"[bold]{name:8}[/bold] {value}")
    session.screen.data(response.stats)
