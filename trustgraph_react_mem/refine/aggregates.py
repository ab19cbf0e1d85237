"""What several sessions say together: durations, convergence, and what to expect of the next session.

Source: the metrics resources of Recursive Agents MCP.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from statistics import fmean
from typing import Any

from ..memory.timefmt import format_time
from .records import PHASES, RefinementEvent, Session
from .tracking import FEWEST_SESSIONS, convergence_analysis, count_phases, global_metrics, predict_iterations

JsonObject = dict[str, Any]

NOTE = "Only draft, critique and revise count."
MANY_SESSIONS = 6  # of a companion type, from which a prediction is sure
MANY_STEPS = 11  # of a phase; from this number on, its duration is reported


def all_sessions_timing(sessions: Sequence[Session], now: datetime) -> JsonObject:
    """Number and duration of steps over all sessions.  Durations are in seconds."""
    begun = [session for session in sessions if session.slots]
    steps = _steps(begun)
    return {
        "summary": {
            "total_sessions": len(sessions),
            "sessions_with_metrics": len(begun),
            "metrics_coverage": _share(len(begun), len(sessions)),
        },
        "phase_timing_aggregate": {
            "total_phase_requests": len(steps),
            "phase_counts": count_phases(steps),
            "average_durations_seconds": {name: each["average_seconds"] for name, each in _timings(steps).items()},
        },
        "convergence": _convergence(begun),
        "timestamp": format_time(now),
    }


def companion_timing(companion_type: str, sessions: Iterable[Session]) -> JsonObject:
    """Number and duration of the steps of one companion type.  ``similarity_metrics``: None without a revision."""
    own = _of(companion_type, sessions)
    steps = _steps(own)
    scores = [step.similarity for step in steps if step.similarity is not None]
    return {
        "companion_type": companion_type,
        "sessions_analyzed": len(own),
        "phase_timing": _timings(steps),
        "phase_counts": count_phases(steps),
        "similarity_metrics": (
            {"average": round(fmean(scores), 4), "min": min(scores), "max": max(scores), "samples": len(scores)}
            if scores
            else None
        ),
        "convergence": _convergence(own),
        "note": NOTE,
    }


def companion_metrics(companion_type: str, sessions: Iterable[Session]) -> JsonObject:
    """Iterations and convergence of one companion type."""
    own = _of(companion_type, sessions)
    patterns = global_metrics(own)["convergence_patterns"]
    return {
        "companion_type": companion_type,
        "session_count": len(own),
        "average_iterations": patterns[0]["avg_iterations"] if patterns else None,
        "predicted_iterations": predict_iterations(own),
        "convergence_rate": patterns[0]["convergence_rate"] if patterns else None,
    }


def learned_suggestions(sessions: Sequence[Session]) -> JsonObject:
    """What to expect of the next session: iterations by companion type, and duration by phase, once enough is known."""
    found: list[JsonObject] = []
    for companion in sorted({session.companion_type for session in sessions if session.slots}):
        own = _of(companion, sessions)
        if (expected := predict_iterations(own)) is not None:
            found.append(
                {
                    "type": "iteration_prediction",
                    "companion": companion,
                    "message": f"{companion} usually needs {expected} iteration{'s' if expected != 1 else ''}",
                    "confidence": "high" if len(own) >= MANY_SESSIONS else "medium",
                }
            )
    for name, timing in _timings(_steps(sessions)).items():
        if timing["samples"] >= MANY_STEPS:
            found.append(
                {
                    "type": "timing_expectation",
                    "phase": name,
                    "message": f"a {name} usually takes {timing['average_seconds']:.1f} seconds",
                    "confidence": "high",
                }
            )
    return {"suggestions": found, "data_points": {"total_sessions": len(sessions), "fewest_sessions": FEWEST_SESSIONS}}


def _of(companion_type: str, sessions: Iterable[Session]) -> list[Session]:
    return [session for session in sessions if session.slots and session.companion_type == companion_type]


def _steps(sessions: Iterable[Session]) -> list[RefinementEvent]:
    return [event for session in sessions for slot in session.slots for event in slot.events]


def _timings(steps: Sequence[RefinementEvent]) -> dict[str, JsonObject]:
    """By phase, of the steps whose duration is known."""
    seconds = {name: [step.elapsed_ms / 1000 for step in steps if step.phase == name and step.elapsed_ms] for name in PHASES}
    return {
        name: {
            "average_seconds": round(fmean(own), 3),
            "min_seconds": min(own),
            "max_seconds": max(own),
            "samples": len(own),
        }
        for name, own in seconds.items()
        if own
    }


def _convergence(sessions: Sequence[Session]) -> JsonObject:
    converged = sum(bool(convergence_analysis(session)["converged"]) for session in sessions)
    return {"sessions_with_convergence": converged, "convergence_rate": _share(converged, len(sessions))}


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
