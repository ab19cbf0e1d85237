"""The operator's capability: what needs it, and which tokens are accepted."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from trustgraph_react_mem.errors import BadRequest, NotPermitted
from trustgraph_react_mem.memory.requests import (
    AnyRequest,
    CancelJob,
    DropJob,
    ForgetConversation,
    ForgetEpisode,
    ForgetFacts,
    ForgetScope,
    ImportTurns,
    ListJobs,
    ReplayJob,
    RollBack,
    SubmitJob,
    SwitchMemory,
    decode,
    encode,
)
from trustgraph_react_mem.memory.requests.authority import PURPOSE, VALID_S, Authority, operator_token
from trustgraph_react_mem.memory.trust.owner_seal import derive_key
from trustgraph_react_mem.schema import Turn

KEY = derive_key(b"m" * 32, PURPOSE)
PRIVILEGED: list[AnyRequest] = [
    ForgetFacts(ids=["a"]),
    ForgetScope(level="collection"),
    ForgetScope(level="conversation", conversation_id="c"),
    ForgetEpisode(id="e"),
    ForgetConversation(conversation_id="c"),
    RollBack(at="2026-01-01"),
    ReplayJob(id="j"),
    DropJob(id="j"),
    CancelJob(id="j"),
    SubmitJob(kind="forget", payload=json.dumps({"level": "user"})),
    SubmitJob(kind="retain"),
    SwitchMemory(read=False),
    SwitchMemory(write=False, read=True),
    # Beyond the memory of one user
    ForgetScope(user="ann", level="workspace"),
    ListJobs(user="ann", all_scopes=True),
    SubmitJob(user="ann", kind="forget", payload=json.dumps({"level": "workspace"})),
    SubmitJob(user="ann", kind="reembed", payload=json.dumps({"workspace": True})),
]


@dataclass
class Clock:
    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("request_", PRIVILEGED, ids=repr)
def test_what_reaches_beyond_ones_own_memory_is_refused_without_a_token(request_: AnyRequest) -> None:
    record = encode(request_)
    with pytest.raises(NotPermitted, match="REACT_MEM_MASTER_KEY"):
        Authority(KEY, now=Clock()).check(decode(record), record, "w")


@pytest.mark.parametrize("value", [1, "yes", [0]])
def test_a_value_of_another_type_than_declared_opens_no_way_around(value: Any) -> None:
    record = encode(ListJobs(user="ann"))
    record.all_scopes = value
    with pytest.raises((NotPermitted, BadRequest)):
        Authority(KEY).check(decode(record), record, "w")
    switch = encode(SwitchMemory(read=False))
    switch.user = switch.conversation_id = None  # type: ignore[assignment]
    with pytest.raises(NotPermitted):
        Authority(KEY).check(decode(switch), switch, "w")


def signed(request: AnyRequest, *, key: bytes = KEY, workspace: str = "w", clock: Clock | None = None) -> Any:
    record = encode(request)
    record.operator = operator_token(key, record, workspace, now=clock or Clock())
    return record


def refused(record: Any, *, authority: Authority | None = None) -> None:
    with pytest.raises(NotPermitted, match="token"):
        (authority or Authority(KEY, now=Clock())).check(decode(record), record, "w")


FORGET = ForgetScope(user="ann", level="user")


def test_a_token_of_another_key_workspace_or_request_is_refused_even_where_none_is_needed() -> None:
    refused(signed(FORGET, key=b"x" * 32))
    refused(signed(FORGET, workspace="other"))
    moved = signed(FORGET)
    moved.user = "bob"
    refused(moved)
    raised = signed(FORGET)
    raised.level = "workspace"
    refused(raised)
    other = encode(ForgetScope(user="ann", level="workspace"))
    other.operator = signed(FORGET).operator
    refused(other)


def test_a_token_is_accepted_for_a_minute_and_no_replay_is_accepted_after_it() -> None:
    clock = Clock()
    authority, record = Authority(KEY, now=clock), signed(FORGET, clock=Clock())
    authority.check(decode(record), record, "w")
    for later in (1, VALID_S, 2 * VALID_S, 3 * VALID_S, 100 * VALID_S):
        clock.now = Clock().now + later
        refused(record, authority=authority)
    refused(signed(FORGET, clock=Clock(now=Clock().now + 5 * VALID_S)))


def test_a_token_survives_the_wire() -> None:
    """Lists, nested records and numbers come back from JSON as they were signed."""
    from trustgraph_react_mem.bus import wire

    turns = [Turn(text="Grüße \U0001f642", speaker="Ann")]
    for request in (ImportTurns(source="c", turns=turns), SubmitJob(kind="retain", timeout_s=2.0), SwitchMemory(read=False)):
        sent = signed(request)
        record = wire.decode(wire.encode(sent), type(sent))
        Authority(KEY, now=Clock()).check(decode(record), record, "w")
