"""What the log of a session says about its progress, in the shapes of Recursive Agents MCP.

Two similar texts in a row mean that the text has stopped changing, not that it has become right.

Source: the memory architecture of Recursive Agents MCP (phase tracking, suggestions, convergence signals, metrics).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from ..memory.timefmt import format_time
from .machine import position
from .records import RefinementEvent, Session, Slot
from .stopping import asks_nothing

STRONG_ITERATIONS = 3
LONG_S = 300.0
FEWEST_SESSIONS = 3  # of a companion type, from which the number of iterations is predicted

JsonObject = dict[str, Any]


def phase(session: Session) -> JsonObject:
    """Where the session is: ``phase, next_action, iteration, can_critique, can_revise``, and counts once there is a slot."""
    told: JsonObject = asdict(position(session.slot))
    if slot := session.slot:
        told |= {"critiques_count": len(slot.critique), "revisions_count": len(slot.revision), "query": slot.query}
    return told


def phase_tracking(session: Session, *, current_tool: str = "") -> JsonObject:
    """The current slot step by step.  Durations are in seconds.

    ``iteration_number``: of completed iterations.  ``total_iterations``: of all slots, with one whose critique waits for its
    revision.
    ``current_tool``: the phase that is running; default: the one that comes next.
    """
    slot, where = session.slot, position(session.slot)
    events = slot.events if slot else ()
    following = {"critique_or_finalize": "critique"}.get(where.next_action, where.next_action)
    return {
        "current_tool": current_tool or following,
        "iteration_number": _count_completed(slot),
        "total_iterations": sum(position(each).iteration for each in session.slots),
        "phase_sequence": [{"phase": event.phase, "timestamp": format_time(event.at)} for event in events],
        "phase_timings": {f"{event.phase}_{index}": event.elapsed_ms / 1000 for index, event in _number(events)},
        "total_duration": _seconds(events),
    }


def suggestions(session: Session) -> JsonObject:
    """What to do next, and how sure that is."""
    slot, where = session.slot, position(session.slot)
    if slot is None:
        chosen = ("draft", "There is no draft yet.", "high")
    elif where.can_revise:
        chosen = ("revise", "The critique is complete. The text can be revised.", "high")
    elif not where.iteration:
        chosen = ("critique", "The draft is complete. It can be criticised.", "high")
    elif any(each["strength"] == "strong" for each in convergence_signals(session)):
        chosen = ("consider_finalizing", "Further iterations will probably change little.", "high")
    else:
        chosen = ("revise_or_finalize", "Criticise and revise the text again, or use it.", "medium")
    action, message, confidence = chosen
    context = {"current_iteration": _count_completed(slot), "total_time": _seconds(slot.events if slot else ())}
    return {"next_action": action, "message": message, "confidence": confidence, "iteration_context": context}


def convergence_signals(session: Session) -> list[JsonObject]:
    """Reasons to finish: number of iterations, duration, similarity, and a critique that asks for nothing."""
    slot = session.slot
    if slot is None:
        return []
    found, iteration, seconds = [], _count_completed(slot), _seconds(slot.events)
    if iteration >= STRONG_ITERATIONS:
        found.append(_signal("iteration_count", "strong", f"{iteration} iterations"))
    if seconds > LONG_S:
        found.append(_signal("duration", "medium", f"{seconds:.0f} seconds"))
    if slot.similarity is not None and slot.similarity >= slot.sampling.similarity_threshold:
        found.append(_signal("similarity", "strong", f"the last two texts are alike ({slot.similarity:.3f})"))
    if slot.critique and asks_nothing(slot.critique[-1]):
        found.append(_signal("critique", "strong", "the critique asks for no further improvement"))
    return found


def convergence_analysis(session: Session) -> JsonObject:
    """The signals of the current slot with what they follow from.  ``converged``: a strong one, and nothing left to revise."""
    slot, where, signals = session.slot, position(session.slot), convergence_signals(session)
    events = slot.events if slot else ()
    strong = [each for each in signals if each["strength"] == "strong"]
    return {
        "session_id": session.id,
        "slot_index": len(session.slots) - 1 if slot else None,
        "phase": where.phase,
        "next_action": where.next_action,
        "similarity": [event.similarity for event in events if event.similarity is not None],
        "signals": signals,
        "converged": bool(strong) and not where.can_revise,
        "reason": strong[0]["message"] if strong else "no strong signal",
    }


def iteration_timeline(session: Session) -> JsonObject:
    """Every step of every slot, in order, without texts other than the questions."""

    def describe(event: RefinementEvent, index: int) -> JsonObject:
        shown = {name: getattr(event, name) for name in ("elapsed_ms", "tokens", "similarity")}
        return {"phase": event.phase, "index": index, "at": format_time(event.at), **shown}

    slots = [
        {"slot_index": n, "query": slot.query, "events": [describe(event, index) for index, event in _number(slot.events)]}
        for n, slot in enumerate(session.slots)
    ]
    return {"session_id": session.id, "slots": slots}


def global_metrics(sessions: Iterable[Session]) -> JsonObject:
    """Of several sessions: the average number of iterations by companion type, and how often sessions converged.

    ``predicted_iterations``: how many a new session will need; None if too few are known.  Nothing stops because of it.
    """
    by_type: dict[str, list[Session]] = {}
    for session in sessions:
        if session.slots:
            by_type.setdefault(session.companion_type, []).append(session)
    patterns = [_describe_type(name, own) for name, own in sorted(by_type.items())]
    return {
        "avg_iterations_by_type": {each["query_type"]: each["avg_iterations"] for each in patterns},
        "convergence_patterns": patterns,
    }


def _describe_type(name: str, sessions: Sequence[Session]) -> JsonObject:
    iterations = fmean(position(slot).iteration for session in sessions for slot in session.slots)
    return {
        "query_type": name,
        "avg_iterations": round(iterations, 2),
        "convergence_rate": round(fmean(convergence_analysis(each)["converged"] for each in sessions), 2),
        "predicted_iterations": max(1, round(iterations)) if len(sessions) >= FEWEST_SESSIONS else None,
        "samples": len(sessions),
    }


def _count_completed(slot: Slot | None) -> int:
    """The number of iterations that ended with a revision."""
    return len(slot.revision) if slot else 0


def _number(events: Sequence[RefinementEvent]) -> list[tuple[int, RefinementEvent]]:
    """Each event with its index among those of its phase, from 0."""
    seen: Counter[str] = Counter()
    numbered = []
    for event in events:
        numbered.append((seen[event.phase], event))
        seen[event.phase] += 1
    return numbered


def _seconds(events: Sequence[RefinementEvent]) -> float:
    return sum(event.elapsed_ms for event in events) / 1000


def _signal(kind: str, strength: str, message: str) -> JsonObject:
    return {"type": kind, "strength": strength, "message": message}
