"""``react-mem memories release``: records that were held back become active."""

from ...errors import BadRequest, NotFound
from ...memory.requests import GetFacts, UpdateFact
from ..connection import connect
from ..console import escape
from ..memories import IdArgument, memories_app, require_readable
from ..options import Session, YesOption, command, confirm
from ..views.records import explain_quarantine
from ..views.turn import format_memory
from .proofs import prove


@command(memories_app, "release")
async def release(session: Session, record_id: IdArgument, yes: YesOption = False) -> None:
    """Release a quarantined memory: from now on it is recalled, and a rule is followed.

    `memories list --status quarantined` lists them with the reason. In a shared memory this needs the master key of the data.
    """
    async with connect(session) as bus:
        response = await bus.call(GetFacts(ids=[record_id], **session.scope_fields))
        require_readable(response)
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
        await bus.call(UpdateFact(id=record_id, status="active", proof=proof, **session.scope_fields))
    session.screen.say(f"released {escape(record_id)}")
    session.screen.data({"released": record_id})
