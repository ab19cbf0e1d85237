"""The cost of background work: short conversations, played turn by turn to their end through the agent.

``data/conversations.json`` has what the person says, what the agent answers, and what a good model understands of it: facts,
changes, rules, a withdrawal, and turns that tell nothing.  No turn uses a tool.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from trustgraph_react_mem.memory.requests import EndConversation
from trustgraph_react_mem.schema import AgentRequest

from ..talk.client import MOST_BACKGROUND_S, TalkClient
from .metered import Cost, Metered

DATA = Path(__file__).with_name("data") / "conversations.json"
PERSON = "nora"
MINUTE = timedelta(minutes=1)
MOST_CALLS, MOST_TOKENS = 1.3, 700  # calls of an ended conversation, tokens of a turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    at: datetime
    turns: Sequence[Mapping[str, str]]
    understood: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """``costs``: of the background calls, by template."""

    conversations: int
    turns: int
    costs: Mapping[str, Cost]
    failed: Sequence[str] = ()


def read_conversations() -> list[Conversation]:
    found = json.loads(DATA.read_text("utf-8"))["conversations"]
    return [
        Conversation(at=datetime.fromisoformat(each["at"]), turns=each["turns"], understood=each["understood"])
        for each in found
    ]


async def replay(client: TalkClient, meter: Metered, conversations: Sequence[Conversation]) -> Replayed:
    """``meter``: the model of the client."""
    meter.take()
    failed: list[str] = []
    for number, conversation in enumerate(conversations):
        name = f"replayed-{number}"
        for place, turn in enumerate(conversation.turns):
            meter.answer = turn["answer"]
            at = (conversation.at + place * MINUTE).isoformat()
            await client.ask(
                AgentRequest(
                    question=turn["say"], user=PERSON, conversation_id=name, asked_at=at, speaker="Nora", streaming=False
                )
            )
            failed += await client.wait_idle(PERSON, within_s=MOST_BACKGROUND_S)
        await client.bus.call(EndConversation(user=PERSON, conversation_id=name))
        failed += await client.wait_idle(PERSON, within_s=MOST_BACKGROUND_S)
    turns = sum(len(each.turns) for each in conversations)
    return Replayed(conversations=len(conversations), turns=turns, costs=meter.take(), failed=failed)
