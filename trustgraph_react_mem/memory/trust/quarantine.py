"""Which records are held back until a person confirms them, or the owner of the data directory releases them.

The same rules hold for what a model extracted, what a tool or a client stores, and what is imported.
"""

from dataclasses import replace

from ..records import Fact, FactKind, FactStatus, Trust

OUTSIDERS: tuple[Trust, ...] = ("tool", "document")  # their words never take effect by themselves


def status_of(kind: FactKind, trust: Trust, *, shared: bool, said: bool) -> FactStatus:
    """The status of a new record.

    ``shared``: several people use the memory.  ``said``: a person of this conversation said it; in a shared memory, a verified
    one.
    """
    if trust in OUTSIDERS:
        return "quarantined"
    if trust == "assistant":
        return "active" if said and not (shared and kind == "procedural") else "quarantined"
    return "quarantined" if shared and kind == "procedural" else "active"


def hold_back(fact: Fact) -> Fact:
    """A record that a client brings into a shared memory: quarantined, if a new one like it would be."""
    if fact.kind == "turn" or status_of(fact.kind, fact.trust, shared=True, said=False) == "active":
        return fact
    return replace(fact, status="quarantined", superseded_at=None, superseded_by="")


def reason_of(kind: str, trust: str) -> str:
    """Why a quarantined record is held back, for people."""
    if trust in OUTSIDERS:
        return f"only a {trust} says it"
    if trust == "assistant":
        return "only the assistant says it"
    if kind == "procedural":
        return "a rule in a shared memory: a second verified person must say the same"
    return "not confirmed by a person"
