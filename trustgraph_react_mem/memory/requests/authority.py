"""What only an operator may do, and the token by which an operator is known.

Whose memory a request concerns is what its ``user`` says.  Requests that concern other users need a token, made with a key that
is derived from the master key.

Invariants:
- A token is for one request in one workspace, is valid for a minute, and a service accepts it once.
- A token that is not valid is refused, even if the request needs none.
"""

import hmac
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...errors import BadRequest, NotPermitted
from ..json_object import read_json_object
from .base import AnyRequest
from .conversations import ForgetConversation, ForgetRefinement
from .episodes import ForgetEpisode
from .facts import ForgetFacts, ForgetScope, RollBack, SwitchMemory
from .jobs import CancelJob, DropJob, ListJobs, ReplayJob, SubmitJob

PURPOSE = "operator"  # of the derived key
VALID_S = 60.0
ALL_SCOPES = "workspace"
ERASING = (ForgetFacts, ForgetScope, ForgetEpisode, ForgetConversation, ForgetRefinement, RollBack)
MANAGING = (ReplayJob, DropJob, CancelJob)
CARRIED = ("flow", "settings")  # keys of a job's payload that a service sets itself, unless an operator does


def operator_part(request: AnyRequest) -> str:
    """What in the request only an operator may do, for an error message.  "" if there is nothing."""
    shared = "the memory that all users share (user is empty)"
    match request:
        case ForgetScope(level="workspace"):
            return "forgetting a whole workspace"
        case ListJobs() if request.all_scopes:
            return "listing the jobs of all users"
        case SubmitJob(kind="forget") if _payload(request).get("level") == ALL_SCOPES:
            return "forgetting a whole workspace"
        case SubmitJob(kind="reembed") if _payload(request).get(ALL_SCOPES):
            return "re-embedding a whole workspace"
        case SubmitJob(kind="forget" | "retain") if not request.user:
            return f"a {request.kind} job in {shared}"
        case SwitchMemory() if False in (request.read, request.write) and not (request.user or request.conversation_id):
            return "switching off the memory that all users share"
    return f"{request.operation} in {shared}" if not request.user and isinstance(request, (*ERASING, *MANAGING)) else ""


def profits_from_operator(request: AnyRequest) -> bool:
    """Whether the request does more with a token than without one."""
    carries = isinstance(request, SubmitJob) and any(key in _payload(request) for key in CARRIED)
    return carries or bool(operator_part(request))


def _payload(request: SubmitJob) -> dict[str, Any]:
    try:
        return dict(read_json_object(request.payload, "payload")) if request.payload else {}
    except BadRequest:
        return {}  # the service refuses it when it reads it


def operator_token(key: bytes, record: Any, workspace: str, *, now: Callable[[], float] = time.time) -> str:
    """A token for one wire record.  ``key``: derived from the master key for ``PURPOSE``."""
    until, nonce = f"{now() + VALID_S:.0f}", secrets.token_hex(16)
    return f"{until}.{nonce}.{_mac(key, record, workspace, until, nonce)}"


class Authority:
    """Checks the requests to one service.  ``key``: as for ``operator_token``; ``now``: seconds since 1970."""

    def __init__(self, key: bytes, *, now: Callable[[], float] = time.time) -> None:
        self._key, self._now = key, now
        self._used: OrderedDict[str, float] = OrderedDict()  # nonce -> when its token is refused as too old; oldest first

    def check(self, request: AnyRequest, record: Any, workspace: str) -> None:
        """``record``: the wire record of the request.  Raises: NotPermitted."""
        if request.operator:
            self._verify(request.operator, record, workspace)
        elif part := operator_part(request):
            raise NotPermitted(
                f"{part} needs an operator: send it with the master key of these services, in REACT_MEM_MASTER_KEY or as "
                "the file master.key in REACT_MEM_KEYS"
            )

    def _verify(self, token: object, record: Any, workspace: str) -> None:
        until, _, rest = token.partition(".") if isinstance(token, str) else ("", "", "")
        nonce, _, mac = rest.partition(".")
        expected = _mac(self._key, record, workspace, until, nonce)
        if not hmac.compare_digest(mac.encode("utf-8", "replace"), expected.encode()):
            raise NotPermitted(
                "the operator's token was not made for this request with the master key of these services: check "
                "REACT_MEM_MASTER_KEY or REACT_MEM_KEYS"
            )
        now, end = self._now(), float(until)  # a number, because the MAC is ours
        if not now - VALID_S <= end <= now + 2 * VALID_S:
            raise NotPermitted(
                f"the operator's token is valid for {VALID_S:g} s around the time of its sender: send the request again, and "
                "set the clocks of both machines"
            )
        while self._used and next(iter(self._used.values())) < now:
            self._used.popitem(last=False)
        if nonce in self._used:
            raise NotPermitted("the operator's token was used already: send the request again, which makes a new one")
        self._used[nonce] = now + 3 * VALID_S  # as the check above, for a clock that is ahead


def _mac(key: bytes, record: Any, workspace: str, until: str, nonce: str) -> str:
    content = [type(record).__name__, workspace, until, nonce, _without_defaults(record)]
    return hmac.digest(key, json.dumps(content, sort_keys=True, default=vars).encode("utf-8", "surrogatepass"), "sha256").hex()


def _without_defaults(record: Any) -> dict[str, Any]:
    """The fields without those at their defaults, so that a field that one side does not know yet does not matter."""
    defaults = {**vars(type(record)()), "operator": record.operator}
    return {name: value for name, value in vars(record).items() if value != defaults[name]}
