"""The agent sends the messages of ``golden/turns.json``, and understands those of commit f3f2ec4 with nothing set.

What the recording has twice is there once: ``{"as": "TURN/PART/..."}`` names where.

A difference here is a change of the wire: other versions of the services, and of clients, read these messages.  If it is meant,
``python -m tests.contract.test_recorded_turns`` records the turns anew.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from trustgraph_react_mem import schema
from trustgraph_react_mem.bus import wire
from trustgraph_react_mem.bus.embedder import BusEmbedder
from trustgraph_react_mem.bus.envelope import to_envelope
from trustgraph_react_mem.bus.trustgraph_adapter import agent_error
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.memory.ports import Job
from trustgraph_react_mem.memory.requests import SERVICES
from trustgraph_react_mem.processors.agent.memory import AgentMemory
from trustgraph_react_mem.processors.agent.processor import ReactMemService

from .agent_turns import DIMENSION, TURNS, Replier, defaults, play_turn
from .wire_double import WireDouble

FILE = Path(__file__).parent / "golden" / "turns.json"
GOLDEN: dict[str, Any] = json.loads(FILE.read_text("utf-8"))


def recorded_at(place: str) -> Any:
    """What the recording has at ``TURN/PART/...``."""
    found = GOLDEN["turns"]
    for part in place.split("/"):
        found = found[int(part) if isinstance(found, list) else part]
    return whole(found)


def whole(recorded: Any) -> Any:
    match recorded:
        case {"as": place}:
            return recorded_at(place)
        case dict():
            return {name: whole(value) for name, value in recorded.items()}
        case list():
            return [whole(value) for value in recorded]
        case _:
            return recorded


class Jobs:
    """Publishes jobs as envelopes whose payload is not sealed."""

    def __init__(self, *, refuse: bool) -> None:
        self.envelopes: list[schema.JobEnvelope] = []
        self._refuse = refuse

    async def publish(self, jobs: list[Job]) -> None:
        if self._refuse:
            raise EngineUnavailable("the broker is away")
        self.envelopes += [to_envelope(job, json.dumps(dict(job.payload)), "agent") for job in jobs]


NEW_FIELDS = {  # since f3f2ec4: optional, and older decoders skip them
    "AgentRequest": {"timezone", "speaker_proof", "invocation_id"},
    "FactsRequest": {"timezone", "key", "profile", "operator", "proof", "valid_to", "version", "dry_run", "speaker", "said_at"}
    | {"about"},
    "FactsResponse": {"profile"},
    "Episode": {"status"},
    "EpisodesRequest": {"status", "operator"},
    "Turn": {"former", "metadata", "valid_to"},
    "ConversationsRequest": {"flow", "at", "within_s", "operator", "session_id", "event", "expected", "confirm"},
    "ConversationsResponse": {"events", "refinements"},
    "JobsRequest": {"operator"},
    "Fact": {"former_since", "replacement"},
}
REMOVED_FIELDS = {"JobEnvelope": {"traceparent"}}  # nothing ever read it, and decoders skip a field that they do not know


async def played(name: str) -> dict[str, Any]:
    turn = TURNS[name]
    embedder = BusEmbedder(EmbeddingProfile(name="counted", dimension=DIMENSION))
    jobs = Jobs(refuse=turn.get("refuse_jobs", False))
    memory = AgentMemory(embedder=embedder, publisher=jobs, clock=SystemClock())  # type: ignore[arg-type]
    service = ReactMemService(id="agent-manager-react-mem", taskgroup=None, agent_memory=memory)
    service.register_specification(embedder.spec())
    return await play_turn(service, WireDouble(Replier(turn).services()), turn, schema.AgentRequest, jobs.envelopes)


@pytest.mark.parametrize("name", TURNS)
async def test_a_turn_sends_what_it_always_sent(name: str) -> None:
    now, recorded = await played(name), recorded_at(name)
    for job, then in zip(now["jobs"], recorded["jobs"], strict=True):  # a setting that came or went changes nothing else
        settings, former = job["data"]["settings"], then["data"]["settings"]
        then["data"]["settings"] = settings | {key: former[key] for key in former.keys() & settings.keys()}
    for response in recorded["responses"]:
        if error := response.get("error"):  # whether it has a text depends on the version of TrustGraph
            error["message"] = agent_error(error["type"], response["content"].removeprefix("Error: ")).message
    for part in recorded:
        assert now[part] == recorded[part], part


CLASSES: dict[str, Any] = {name: getattr(schema, name) for name in schema.__all__}
CLASSES |= {record.__name__: record for record, _ in SERVICES.values()}


# Optional fields that came later.  A message of then decodes without them.
def test_messages_with_nothing_set_are_what_they_were() -> None:
    now = json.loads(json.dumps(defaults(list(CLASSES.values()))))
    for name, recorded in GOLDEN["defaults"].items():
        kept = {field: value for field, value in recorded.items() if field not in REMOVED_FIELDS.get(name, ())}
        added = NEW_FIELDS.get(name, set())
        assert {field: value for field, value in now[name].items() if field not in added} == kept, name


@pytest.mark.parametrize("name", GOLDEN["defaults"])
def test_a_message_of_then_decodes_into_the_same_object(name: str) -> None:
    cls = CLASSES[name]
    assert wire.decode(json.dumps(GOLDEN["defaults"][name]).encode(), cls) == cls()


def compact(value: Any, place: str, known: dict[str, str]) -> Any:
    """What is in ``known``, by its JSON, as the place where it is."""
    text = json.dumps(value)
    if not isinstance(value, dict | list) or len(text) < 60:
        return value
    if text in known:
        return {"as": known[text]}
    known[text] = place
    if isinstance(value, list):
        return [compact(each, f"{place}/{number}", known) for number, each in enumerate(value)]
    return {name: compact(each, f"{place}/{name}", known) for name, each in value.items()}


if __name__ == "__main__":
    known: dict[str, str] = {}
    GOLDEN["turns"] = {name: compact(asyncio.run(played(name)), name, known) for name in TURNS}
    FILE.write_text(json.dumps(GOLDEN, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
