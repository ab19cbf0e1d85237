"""Who may change what.

The words of a line have the trust of its role.  They end only entries of their own speaker, or of less trust.  A person's entry
is never changed by an assistant, a tool, a document or another person.
"""

from ...memory.records import Fact, Trust, is_by_assistant
from ...memory.scope import Scope
from ...memory.trust.owner_seal import VERIFIED, OwnerSeal
from ...memory.trust.quarantine import OUTSIDERS
from ..dialogue import DialogueLine
from ..invocation import DEFAULT_SPEAKER

PERSON, AGENT, OUTSIDER = 2, 1, 0
_UNNAMED = ("", DEFAULT_SPEAKER.casefold())


def trust_of(line: DialogueLine, *, own: bool) -> Trust:
    """The trust of what a line says.  ``own``: the words are the speaker's, and not quoted or pasted by them."""
    if line.role == "tool" or not own:
        return "tool" if line.role == "tool" else "document"
    return "user" if line.role == "user" else "assistant"


def rank_of(fact: Fact) -> int:
    """The rank of an entry by who said it."""
    if fact.trust in OUTSIDERS:
        return OUTSIDER
    return AGENT if is_by_assistant(fact.trust, fact.metadata) else PERSON


def may_change(old: Fact, line: DialogueLine, trust: Trust, seal: OwnerSeal) -> bool:
    """Whether words of ``line`` with this trust may replace or end ``old``.

    In a memory that several people share, an entry of a verified person is changed by that person alone.  In the memory of one
    user, a speaker without a name is that user.
    """
    mine = {"user": PERSON, "assistant": AGENT}.get(trust, OUTSIDER)
    if mine == OUTSIDER or mine < rank_of(old):
        return False
    return rank_of(old) < PERSON or _is_same_person(old, line, seal)


def _is_same_person(old: Fact, line: DialogueLine, seal: OwnerSeal) -> bool:
    scope: Scope = old.scope
    former, now = old.speaker.casefold(), line.speaker.casefold()
    if scope.user == "":
        verified = seal.person(scope, old.speaker, old.content, old.metadata)
        if verified:
            return verified == seal.person(scope, line.speaker, line.text, {VERIFIED: line.mark})
    owner = {*_UNNAMED, scope.user.casefold()}
    return former == now or (former in owner and now in owner)
