"""Shows a refinement session step by step, also while it grows."""

import asyncio
from dataclasses import asdict
from typing import Any

from ...bus.external_client import MemoryBus
from ...memory.requests import GetRefinement
from ...memory.timefmt import format_time
from ...refine import tracking
from ...refine.machine import fold
from ...refine.records import Phase, RefinementEvent
from ...refine.records import Session as RefinementSession
from ...refine.views import critique_view, draft_view, revise_view
from ...refine.wire import from_wire, session_from_wire
from ..console import Screen, escape
from ..memories import require_readable
from ..options import Session

POLL_S = 0.5
_STYLES = {"draft": "bold", "critique": "yellow", "revise": "green"}


async def read_session(bus: MemoryBus, session: Session, session_id: str) -> RefinementSession | None:
    """Raises: BadRequest (not a UUID, or reading is switched off)."""
    found = await bus.call(GetRefinement(session_id=session_id, **session.scope_fields))
    require_readable(found)
    return session_from_wire(session_id, found.events) if found.success else None


def show_step(screen: Screen, event: RefinementEvent) -> None:
    details = [f"{event.elapsed_ms / 1000:.1f} s"] if event.elapsed_ms else []
    details += [f"{event.tokens} tokens"] if event.tokens else []
    details += [f"similarity {event.similarity:.2f}"] if event.similarity is not None else []
    details += ["kept" if event.kept else "not kept"] if event.kept is not None else []
    style = _STYLES[event.phase]
    said = f" [dim]{escape(', '.join(details))}[/dim]" if details else ""
    if event.phase == "draft":  # the steps of an agent repeat the question
        screen.say("[bold]question[/bold]")
        screen.quote(event.query)
    screen.say(f"[{style}]{event.phase}[/{style}]{said}")
    screen.quote(event.text)


def show_state(screen: Screen, known: RefinementSession) -> None:
    """What comes next, and why the session could end."""
    told = tracking.suggestions(known)
    screen.say(f"[dim]next: {told['next_action'].replace('_', ' ')}. {escape(told['message'])}[/dim]")
    for signal in tracking.convergence_signals(known):
        screen.say(f"[dim]{signal['strength']} signal: {escape(signal['message'])}[/dim]")


async def follow(bus: MemoryBus, session: Session, session_id: str, *, idle_s: float) -> RefinementSession | None:
    """Show each step as soon as it is stored, until none came for ``idle_s`` seconds."""
    loop = asyncio.get_running_loop()
    until, shown, known = loop.time() + idle_s, 0, None
    while loop.time() < until:
        found = await bus.call(GetRefinement(session_id=session_id, **session.scope_fields))
        require_readable(found)
        events = [from_wire(each) for each in found.events]
        for event in events[shown:]:
            show_step(session.screen, event)
            until = loop.time() + idle_s
        shown = max(shown, len(events))
        known = fold(session_id, events) if events else known
        await asyncio.sleep(POLL_S)
    return known


def what_is_seen(known: RefinementSession, phase: Phase, query: str) -> dict[str, Any]:
    """Raises: RefinementError (the session does not allow the phase)."""
    match phase:
        case "draft":
            drafting = draft_view(known, query)
            earlier = [slot.as_seed() for slot in drafting.slots]
            history = [asdict(each) for each in drafting.history]
            return {"query": drafting.query, "is_new": drafting.is_new, "history": history, "slots": earlier}
        case "critique":
            judged = critique_view(known)
            return {"query": judged.query, "window": judged.window, "text": judged.text}
        case "revise":
            answered = revise_view(known)
            return {"query": answered.query, "text": answered.text, "critique": answered.critique}


def as_json(known: RefinementSession) -> dict[str, Any]:
    """The session with its progress, as JSON for programs."""
    return {
        "session_id": known.id,
        "conversation_id": known.conversation_id,
        "companion_type": known.companion_type,
        "created_at": format_time(known.created_at),
        "last_at": format_time(known.last_at),
        "run_log": [slot.as_seed() for slot in known.slots],
        "standing": known.slot.standing if known.slot else "",
        "history": [asdict(each) for each in known.history],
        "phase": tracking.phase(known),
        "phase_tracking": tracking.phase_tracking(known),
        "suggestions": tracking.suggestions(known),
        "convergence_signals": tracking.convergence_signals(known),
    }
