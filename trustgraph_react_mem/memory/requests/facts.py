"""Requests to the facts service."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...errors import BadRequest
from ...schema import FactsResponse, Turn
from ...schema.topics import FACTS
from .base import Request, make_record, operation
from .fields import Found, Importance, Limit, Offset, Ranked, Rules, Threshold

MOST_IDS = 10_000


def _ids(record: Any) -> list[str]:
    """The ids in ``id`` and ``ids``, without duplicates, in order."""
    ids = [one for one in [record.id, *record.ids] if one]
    if not ids:
        raise BadRequest(f"{record.operation} needs an id, or ids")
    if len(ids) > MOST_IDS:
        raise BadRequest(f"number of ids {len(ids)}: use between 1 and {MOST_IDS}")
    return list(dict.fromkeys(ids))


def _id(record: Any) -> str:
    ids = _ids(record)
    if len(ids) != 1:
        raise BadRequest(f"{record.operation} takes one id, not {len(ids)}")
    return ids[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsOperation(Request[FactsResponse]):
    service: ClassVar[str] = FACTS
    response: ClassVar[type] = FactsResponse


# --------------------------------------------------------------------------------------------------------- reading


@operation("retrieve", "read")
class RetrieveFacts(FactsOperation):
    """Needs ``query``, ``embedding``, or both.  Keyword search uses the query.

    Rules that a person gave and that apply always come first among the rules, if ``rules`` is not 0.  With ``top_k`` 0 and no
    query, only they are returned.
    """

    query: str = ""
    embedding: Sequence[float] = ()
    top_k: Found = 5  # M in RMM
    candidates: Ranked = 20  # K in RMM; at least top_k
    rules: Rules = 0
    kinds: Sequence[str] = ()  # empty = all
    threshold: Threshold = 0.0
    rerank: str = ""  # off | paper | calibrated; "" = the flow's setting
    seed: int = 0  # for sampling, so that a request can be replayed
    asked_at: str = ""  # ISO 8601: the reference time for phrases such as "last week" in the query
    timezone: str = ""  # of the asker, IANA name or offset (+09:00); "" = the flow's setting
    conversation_id: str = ""  # rules that hold in this conversation alone are returned, too
    speaker: str = ""  # name of the person who asks: in "my train" that person is meant
    exclude: Sequence[str] = ()  # ids of records that the caller has already
    deadline_ms: int = 0  # after this, search continues without an embedding, by keywords only; 0 = no limit


@operation("get", "read")
class GetFacts(FactsOperation):
    ids: Sequence[str] = field(metadata={"read": _ids})
    conversation_id: str = ""


@operation("list", "read")
class ListFacts(FactsOperation):
    """Newest first."""

    kinds: Sequence[str] = ()
    status: str = ""  # "" = active
    source: str = ""  # conversation id
    about: str = ""  # name of a person or thing; "" = about anything
    limit: Limit = 100
    offset: Offset = 0
    conversation_id: str = ""


@operation("topics", "read")
class ListTopics(FactsOperation):
    """What is known, grouped by topic, the newest first: one fact a topic, see ``memory.topics.group_by_topic``."""

    limit: Limit = 100
    conversation_id: str = ""


@operation("history", "read")
class GetFactHistory(FactsOperation):
    id: str = field(metadata={"read": _id})
    conversation_id: str = ""


@operation("stats")
class GetFactStats(FactsOperation):
    pass


@operation("export")  # access is not "read": users can export their data while reading is off
class ExportFacts(FactsOperation):
    """One page of an export.  ``cursor`` is ``stats["next"]`` of the previous page."""

    limit: Limit = 100
    cursor: str = field(default="", metadata={"name": "data"})


# --------------------------------------------------------------------------------------------------------- writing


@operation("store", "write")
class StoreFact(FactsOperation):
    """``key``: the content is the value of this key, and supersedes earlier values.

    ``turns``: what the person said in the running turn, which is not stored yet.  With trust "assistant", the fact is
    quarantined unless they, or the person's stored lines of the conversation ``source``, support it.  ``proof``: verifies the
    name in ``turns``.
    """

    content: str
    key: str = ""
    id: str = ""  # "" = a new one
    kind: str = "semantic"
    source: str = ""  # conversation id
    trust: str = "user"
    importance: Importance | None = None  # 0..1; None = 0.5
    condition: str = ""
    action: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    valid_to: str = ""  # ISO 8601: recalled until then; "" = without end
    said_at: str = ""  # ISO 8601: when it was said; "" = not known
    speaker: str = ""  # who said it, unverified; "" = the user
    conversation_id: str = ""
    turns: Sequence[Turn] = field(default_factory=list)
    proof: str = ""


@operation("import", "write")
class ImportTurns(FactsOperation):
    """Turns of the conversation ``source``."""

    source: str
    turns: Sequence[Turn]


@operation("import", "write")
class ImportLines(FactsOperation):
    """Lines of an export.  ``proof``: of the owner, without which a shared memory quarantines rules and words of tools."""

    lines: str = field(metadata={"name": "data"})
    proof: str = ""


@operation("update", "write")
class UpdateFact(FactsOperation):
    """Fields that are empty or None stay unchanged; ``metadata`` is merged.

    ``proof``: of the owner.  In a shared memory only the owner releases a record from quarantine.  ``version``: the one that
    the caller read; the change is refused if the record has another (PreconditionFailed); 0 = any.
    """

    id: str = field(metadata={"read": _id})
    content: str = ""
    condition: str = ""
    action: str = ""
    importance: Importance | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    valid_to: str = ""  # ISO 8601, or "never" to remove the end
    status: str = ""  # active | quarantined
    proof: str = ""
    version: int = 0
    conversation_id: str = ""


@operation("forget")
class ForgetFacts(FactsOperation):
    ids: Sequence[str] = field(metadata={"read": _ids})


@operation("repeats")  # access is not "read": users can forget while reading is off
class FindRepeats(FactsOperation):
    """The assistant's answers that repeat these records.  For the choice of what to forget with them."""

    ids: Sequence[str] = field(metadata={"read": _ids})


@operation("forget-scope")
class ForgetScope(FactsOperation):
    level: str  # conversation | user | collection | workspace
    conversation_id: str = ""


@operation("undo", "change")
class UndoChange(FactsOperation):
    """``id``: a record, or the name of an earlier undo or rollback."""

    id: str = field(metadata={"read": _id})


@operation("rollback", "change")
class RollBack(FactsOperation):
    """``dry_run``: change nothing, and return what would change."""

    at: str  # ISO 8601: the time to return to
    dry_run: bool = False


# ----------------------------------------------------------------------------------------------- choices, learning


@operation("switch", "change")
class SwitchMemory(FactsOperation):
    """Set the switches that are not None, for the user or one conversation.

    ``stats`` of the response has the effective switches: "on" or "off".
    """

    read: bool | None = None
    write: bool | None = None
    conversation_id: str = ""


@operation("feedback")
class RateFacts(FactsOperation):
    ids: Sequence[str] = field(metadata={"read": _ids})
    rating: int  # +1 or -1


@operation("learn-status")
class GetLearningStatus(FactsOperation):
    pass


FactsRequest = make_record(
    FactsOperation,
    "FactsRequest",
    "query embedding top_k candidates rules kinds threshold rerank seed asked_at timezone conversation_id exclude "
    "deadline_ms speaker content key kind source trust importance condition action metadata valid_to said_at "
    "version turns proof id ids status about limit offset at dry_run level read write rating data",
)
