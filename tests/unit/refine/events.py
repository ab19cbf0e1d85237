"""Events for the tests of refinement."""

from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from trustgraph_react_mem.errors import RefinementError
from trustgraph_react_mem.refine.machine import apply
from trustgraph_react_mem.refine.records import Phase, RefinementEvent, Session

SESSION = "7f3bd3c0-5f0f-4f5e-9f57-7f8f6f1d2a10"
BEGAN = datetime(2026, 11, 1, 9, tzinfo=UTC)
PHASES: tuple[Phase, ...] = get_args(Phase)
QUESTION = "Why is the sky blue?"


def event(phase: str, text: str = "", number: int = 0, **more: Any) -> RefinementEvent:
    values: dict[str, Any] = {"query": QUESTION} if phase == "draft" else {}
    values |= {"session_id": SESSION, "phase": phase, "text": text or f"{phase} {number}", "id": f"e{number}"}
    return RefinementEvent(**{**values, "at": BEGAN + timedelta(seconds=number), **more})


def run(*phases: str, **more: Any) -> Session:
    """A session after events of these phases."""
    session = Session(id=SESSION)
    for number, phase in enumerate(phases):
        session = apply(session, event(phase, number=number, **more))
    return session


def code_of(session: Session, refused: RefinementEvent, **more: Any) -> str:
    """The code with which the event is refused; "" if it is accepted."""
    try:
        apply(session, refused, **more)
    except RefinementError as error:
        return error.code
    return ""
