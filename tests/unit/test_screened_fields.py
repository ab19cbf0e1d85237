"""Every string of a record is screened: metadata, speakers, entities and steps.  Ids with a secret are refused."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.learning.invocation import parse_finished_turn
from trustgraph_react_mem.memory.policies import DataPolicy
from trustgraph_react_mem.memory.ports import Job, JsonValue
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.trust.owner_seal import OwnerSeal
from trustgraph_react_mem.transfer.lines import read_lines

AT = datetime(2026, 3, 1, tzinfo=UTC)
ANN = Scope(workspace="w", user="ann", collection="default")
MAIL = "ann@example.org"
TOKEN = "gh" + "p_" + "a1B2" * 9
HASH = DataPolicy(personal_data="hash", hash_key=b"of the scope")
SEAL = OwnerSeal(bytes(32))
REDACT = replace(HASH, personal_data="redact")


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({"password": "sunshine"}, {"password": "[secret]"}),
        ({"contact": MAIL}, {"contact": "[email]"}),
        ({MAIL: "friend"}, {"[email]": "friend"}),
        ({"colour": "blue", "language": "en"}, {"colour": "blue", "language": "en"}),
        ({"turn": MAIL}, {"turn": MAIL}),  # a reference
        ({"session": TOKEN}, {"session": "[secret]"}),
    ],
)
def test_metadata_is_screened_with_its_names(fields: Mapping[str, str], kept: Mapping[str, str]) -> None:
    assert REDACT.screen_map(fields).fields == kept
    assert DataPolicy(personal_data="drop").screen_map({"contact": MAIL}).dropped


@pytest.mark.parametrize("policy", [HASH, REDACT, replace(HASH, personal_data="drop")])
def test_speakers_stay_apart(policy: DataPolicy) -> None:
    ann, bob = policy.screen_name(MAIL), policy.screen_name("bob@example.org")
    assert ann != bob
    assert MAIL not in ann
    assert policy.screen_name(MAIL) == ann
    assert policy.screen_name("Ann") == "Ann"
    assert TOKEN not in policy.screen_name(TOKEN)


def test_an_id_with_a_secret_is_refused_without_saying_it() -> None:
    with pytest.raises(BadRequest, match="conversation id holds a secret") as refused:
        HASH.check_id("the conversation id", TOKEN)
    assert TOKEN not in str(refused.value)
    for value in ("", "chat-4f2a9c1b7d30", "3f0c9a1e-5b7d-4c2e-9a41-0123456789ab", MAIL, "+49 30 901820"):
        HASH.check_id("the id", value)


def finished(**more: JsonValue) -> Job:
    payload: dict[str, JsonValue] = {
        "conversation_id": "c",
        "invocation_id": "i",
        "question": "who?",
        "answer": "me",
        "speaker": MAIL,
        "asked_at": AT.isoformat(),
        "answered_at": AT.isoformat(),
        "steps": [{"thought": "", "action": f"look up {MAIL}", "arguments": MAIL, "observation": MAIL}],
    }
    return Job(id="j", kind="record", scope=ANN, created_at=AT, payload=payload | more)


async def test_speaker_and_actions_of_a_turn_are_screened() -> None:
    turn = await parse_finished_turn(finished(), REDACT, SEAL)
    assert MAIL not in repr(turn)
    assert turn.speaker.startswith("[email ")
    with pytest.raises(BadRequest, match="invocation id holds a secret"):
        await parse_finished_turn(finished(invocation_id=TOKEN), REDACT, SEAL)


def test_imported_lines_are_screened_in_every_field() -> None:
    row: dict[str, object] = {
        "type": "fact",
        "id": "f",
        "kind": "turn",
        "content": "x",
        "created_at": AT.isoformat(),
        "speaker": MAIL,
    }
    row |= {"metadata": {"password": "sunshine", "note": MAIL}}
    [read] = read_lines(ANN, json.dumps(row), REDACT).facts
    assert MAIL not in repr(read)
    assert read.fact.metadata == {"password": "[secret]", "note": "[email]"}
    for name in ("id", "source", "invocation_id"):
        with pytest.raises(BadRequest, match=f"line 1: {name} holds a secret"):
            read_lines(ANN, json.dumps(row | {name: TOKEN}), REDACT)
