"""The agent sends and understands the messages of commit f3f2ec4, which recorded ``golden/turns.json``.

What the recording has twice is there once: ``{"as": "TURN/PART/..."}`` names where.

A difference here is a change of the wire: other versions of the services, and of clients, read these messages.
"""

import copy
import json
import re
from pathlib import Path
from typing import Any, cast

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
from trustgraph_react_mem.recall.pipeline import SPARE_EPISODES

from .agent_turns import DIMENSION, TURNS, Replier, defaults, play_turn
from .wire_double import WireDouble

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "turns.json").read_text("utf-8"))


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


NEW_SETTINGS = {
    "rerank-sampling",
    "rmm-learning-rate",
    "small-model",
    "timezone",
    "turn-timeout-s",
    "personal",
    "enable-profile",
    "agent-prompt",
    "memory-note",
}  # since the recording: jobs carry every setting
RECALLED_EPISODE = "- Book a flight Steps: look; pay. Outcome: booked Lesson: Book early."
OLD_SETTINGS = {
    "consolidate-after-facts",
    "language",
    "max-question-chars",
    "drift-threshold",
    "enable-retrospective-reflection",
    "secrets",
    "episode-quota",
    "extract-overlap",
    "insight-after-episodes",
    "undone-ttl-days",
    "promote-at-end",
    "extract-each-invocation",
    "near-duplicate-threshold",
    "procedural-rules-top-k",
    "recall-gate",
    "rmm-ab-share",
    "working-memory-keep",
}  # which jobs carried then
NEW_TERMS = {"small_model", "instructions", "recorded", "rule_lines"}  # of the prompt
NEW_FIELDS = {  # optional, and older decoders skip them
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


async def played(name: str, turn: dict[str, Any] | None = None) -> dict[str, Any]:
    turn = turn or TURNS[name]
    embedder = BusEmbedder(EmbeddingProfile(name="counted", dimension=DIMENSION))
    jobs = Jobs(refuse=turn.get("refuse_jobs", False))
    memory = AgentMemory(embedder=embedder, publisher=jobs, clock=SystemClock())  # type: ignore[arg-type]
    service = ReactMemService(id="agent-manager-react-mem", taskgroup=None, agent_memory=memory)
    service.register_specification(embedder.spec())
    now = await play_turn(service, WireDouble(Replier(turn).services()), turn, schema.AgentRequest, jobs.envelopes)
    # Since the recording: the tool returns stored episodes in full, also those of the prompt.
    now = json.loads(json.dumps(now).replace(RECALLED_EPISODE, "No other similar task is stored."))
    for job in now["jobs"]:
        del job["data"]["rules"]  # since the recording: the rules that the person gave or withdrew
        for step in job["data"].get("steps", ()):
            del step["failed"], step["about"]  # since the recording
        for setting in NEW_SETTINGS & set(job["data"].get("settings", {})):
            del job["data"]["settings"][setting]
    if name == "greeting":  # since the recording: the time that this request took
        text = json.dumps(now).replace('\\"conversation\\", \\"facts\\"', '\\"conversation\\"')
        now = json.loads(text.replace('"conversation", "facts"', '"conversation"'))
    now["requests"] = [sent for sent in now["requests"] if not _asks_for_rules_alone(*sent)]
    for service, body in now["requests"]:
        if service == "prompt":
            if "question" in body["terms"]:  # since the recording: the stock prompt shows who said a memory, too
                body["terms"]["question"] = _bare(body["terms"]["question"].replace("]: Ann: ", "]: "))
            if body["terms"].get("earlier") == '""':
                del body["terms"]["earlier"]
            if "memories" in body["terms"]:
                body["terms"]["memories"] = re.sub(r'"by": "", |, "until": ""', "", body["terms"]["memories"])
            if "episodes" in body["terms"]:  # since the recording: who asked, and the steps
                shown = body["terms"]["episodes"].replace('"speaker": "", ', "")
                body["terms"]["episodes"] = shown.replace('"steps": "look; pay", ', "")
            body["terms"] = {name: value for name, value in body["terms"].items() if name not in NEW_TERMS}
        if service == "agent-episodes" and body["top_k"] > 3:
            body["top_k"] -= SPARE_EPISODES  # since the recording: those without a lesson are not shown
        if service == "agent-facts":
            body.pop("exclude", None)  # the ids of what the conversation shows: the service used to guess them
            for name in NEW_FIELDS["FactsRequest"]:
                body.pop(name, None)
            if body["operation"] == "store":
                body.pop("turns")  # since the recording: the person's words, against which the fact is checked
    return cast(dict[str, Any], now)


def _bare(question: str) -> str:
    """Without what the stock prompt shows since the recording: days, rules, tasks and the conversation."""
    added = r"(?:If the user's message|Rules learned|Earlier tasks|This conversation so far).*?\\n\\n"
    return re.sub(rf" \(\d{{4}}-\d\d-\d\d\)|{added}", "", question)


def _without_steps(now: dict[str, Any]) -> dict[str, Any]:
    """Without the steps that show recall and citations in TrustGraph's trace since the recording, and what links them."""
    result = copy.deepcopy(now)
    result["responses"] = [each for each in result["responses"] if not each.get("explain_id", "").endswith("/cited")]
    result["explanations"] = [each for each in result["explanations"] if not each["metadata"]["id"].endswith("/cited")]
    result["responses"] = _in_one(result["responses"])
    for entity in (*result["responses"], *result["explanations"]):
        for kind in {"explain_triples", "triples"} & entity.keys():
            recalls = any(str(triple).partition(" ")[0].endswith("/recall") for triple in entity[kind])
            entity[kind] = [
                triple
                for triple in entity[kind]
                if "prov#wasDerivedFrom" not in triple and (not recalls or "memory:recalled" in triple)
            ]
    return result


def _in_one(responses: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With the parts of each streamed text in one message: where a text is cut depends on what could still become a label."""
    joined: list[dict[str, Any]] = []
    for each in responses:
        before = joined[-1] if joined else {}
        if each.get("content") and before.get("content") and before.get("message_id") == each.get("message_id"):
            joined[-1] = {**before, **each, "content": before["content"] + each["content"]}
        else:
            joined.append(each)
    return joined


def _asks_for_rules_alone(service: str, body: dict[str, Any]) -> bool:
    """Since the recording: when nothing is searched, the agent asks for the standing rules of the person."""
    return service == "agent-facts" and body["operation"] == "retrieve" and body["top_k"] == 0 and not body.get("query")


READING_OFF = ("reading-off", "both-off")


@pytest.mark.parametrize("name", [name for name in TURNS if name not in READING_OFF])
async def test_a_turn_sends_what_it_always_sent(name: str) -> None:
    now, recorded = (_without_steps(each) for each in (await played(name), expected(name)))
    for part in recorded:
        assert without_tokens(now[part]) == without_tokens(recorded[part]), part


def without_tokens(recorded: Any) -> Any:
    """Without the number of tokens, which is an estimate."""
    return json.loads(re.sub(r'(\\*"tokens\\*"): \d+', r"\1: 0", json.dumps(recorded)))


#: Since the recording: of a turn that is recorded, the model need not store a fact.
STORE_FACT = re.compile(r', \{\\*"name\\*": \\*"store-fact\\*".*?\]\}|, ?store-fact|"[^"]*toolCandidate store-fact", ')


def expected(name: str) -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads(STORE_FACT.sub("", json.dumps(recorded_at(name))))
    for job in recorded["jobs"]:
        for setting in OLD_SETTINGS:
            del job["data"]["settings"][setting]
        if "//" in job["subject"]:  # since the recording: a shared memory keeps no personal data
            job["data"]["settings"]["personal-data"] = "redact"
    last = recorded["responses"][-1]
    if "error" in last:  # since the recording: one message, whose text TrustGraph's clients show
        text = {"message_type": "answer", "content": f"Error: {last['content']}"}
        error = agent_error(last["error"]["type"], last["content"])
        recorded["responses"][-2:] = [{**last, **text, "error": {"type": error.type, "message": error.message}}]
    return recorded


@pytest.mark.parametrize("name", READING_OFF)
async def test_with_reading_off_the_services_say_so_and_the_turn_is_as_it_was(name: str) -> None:
    """The services are asked now and return nothing, instead of the agent asking first whether it may ask them."""
    now, recorded = await played(name), expected(name)
    kept = [sent for sent in now["requests"] if sent[0] == "prompt" or sent[1].get("operation") == "switch"]
    assert kept == recorded["requests"]
    without_time = json.loads(
        json.dumps(now).replace('\\"publish\\", \\"recall\\"', '\\"publish\\"').replace(', \\"recall\\"', "")
    )
    assert without_tokens(without_time["responses"]) == without_tokens(recorded["responses"])
    assert without_time["jobs"] == recorded["jobs"]


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
