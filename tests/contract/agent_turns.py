"""Turns of the agent with its memory, as JSON: what comes in, what the services reply, and everything that the agent sends.

Imports TrustGraph alone: the caller makes the agent, so that any version of it can play the same turns.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from trustgraph.base.serialization import dataclass_to_dict, dict_to_dataclass

from .wire_double import Replies, WireDouble

NOW = "2026-05-07T12:00:00+00:00"
DIMENSION = 4  # of the embeddings

FACTS = {
    "facts": [
        {
            "id": "f-tea",
            "content": "Ann likes green tea",
            "kind": "semantic",
            "speaker": "Ann",
            "timestamp": "2026-03-02T09:00:00+00:00",
            "score": 0.75,
            "probability": 0.5,
            "similarity": 0.25,
            "retrieval_score": 1.5,
            "rank_before": 2,
            "why": {"text": 0.5},
            "metadata": {"original": "I like green tea"},
        },
        {"id": "f-oslo", "content": "Ann moved to Oslo [0]", "speaker": "Ann", "timestamp": "2026-04-01T10:00:00+00:00"},
    ],
    "rules": [{"id": "r-brief", "kind": "procedural", "condition": "always", "action": "be brief"}],
    "candidate_ids": ["f-tea", "f-oslo", "f-else"],
    "feature_names": ["base", "text"],
    "features": [0.5, 1.0, 0.25, 0.5, 0.0, 0.125],
    "policy_version": 7,
}
EPISODES = {
    "episodes": [
        {"id": "e-flight", "goal": "Book a flight", "steps": ["look", "pay"], "outcome": "booked", "lessons": "Book early."}
    ]
}
CONVERSATION = {
    "conversation": {
        "conversation_id": "holiday",
        "invocations": [{"id": "i1", "query": "I plan a holiday in Hawaii", "result": "Which island?"}],
    },
    "success": True,
}
ON = {"stats": {"read": "on", "write": "on"}}
REFUSED = {"error": {"type": "engine-unavailable", "message": "the graph is away"}}

KNOWN = "Thought: I know it.\nFinal Answer: In Oslo. [1]"
TOOL = {"id": "complete", "name": "complete", "description": "the complete tool", "type": "text-completion"}


def call(name: str, **arguments: str) -> str:
    return f"Thought: I use {name}.\nAction: {name}\nArgs: {json.dumps(arguments)}"


ASK = {"question": "Where does Ann live?", "user": "ann", "collection": "home", "conversation_id": "holiday", "asked_at": NOW}
STEP = {"thought": "first", "action": "complete", "arguments": {"question": "x"}, "observation": "seen"}

TURNS: dict[str, dict[str, Any]] = {
    "memory": {"request": ASK},
    "memory-streaming": {"request": {**ASK, "streaming": True}},
    "memory-off": {"request": {**ASK, "enable_memory": False}},
    "stock-request": {"request": {"question": "Where does Ann live?", "asked_at": NOW}},
    "null-fields": {"request": {**ASK, "state": None, "group": None, "history": None, "user": None, "memory": None}},
    "tool": {"request": ASK, "texts": [call("complete", question="what?"), KNOWN]},
    "memory-tools": {
        "request": {**ASK, "streaming": True},
        "texts": [
            call("retrieve-facts", query="tea"),
            call("recall-episodes", query="flights"),
            KNOWN,
        ],
    },
    "unknown-tool": {"request": ASK, "texts": [call("ghost", question="boo"), KNOWN]},
    "rewritten-question": {"request": {**ASK, "question": "How much?"}, "settings": {"query-rewrite": "model"}},
    "greeting": {"request": {**ASK, "question": "Hello!"}},
    "options": {
        "request": {
            **ASK,
            "memory": {
                "memory_types": ["semantic"],
                "retrieval_limit": 2,
                "similarity_threshold": 0.5,
                "auto_store": False,
            },
        }
    },
    "end-of-conversation": {"request": {**ASK, "end_of_conversation": True, "speaker": "Ann"}},
    "history": {"request": {**ASK, "history": [STEP], "state": "inside", "group": ["default"], "framing": "Be kind."}},
    "reading-off": {"request": ASK, "switches": {"read": "off", "write": "on"}},
    "writing-off": {"request": ASK, "switches": {"read": "on", "write": "off"}},
    "facts-fail": {"request": ASK, "replies": {"agent-facts": REFUSED}},
    "job-refused": {"request": ASK, "refuse_jobs": True},
    "model-fails": {"request": {**ASK, "streaming": True}, "texts": ["!the model broke"]},
    "prompt-missing": {"request": ASK, "texts": ["!'agent-react-mem'", KNOWN]},
    "bad-request": {"request": {**ASK, "question": " "}},
    "bad-time": {"request": {**ASK, "asked_at": "yesterday"}},
    "sub-agent": {
        "request": {
            **ASK,
            "correlation_id": "x",
            "parent_session_id": "p",
            "subagent_goal": "part",
            "expected_siblings": 2,
            "pattern": "react",
            "task_type": "research",
        }
    },
}


class Replier:
    """The services of one turn."""

    def __init__(self, turn: dict[str, Any]) -> None:
        self._texts = list(turn.get("texts", [KNOWN]))
        self._given = turn.get("replies", {})
        self._switches = turn.get("switches", ON["stats"])

    def services(self) -> dict[str, Replies]:
        return {
            "prompt": self._prompt,
            "agent-facts": self._facts,
            "agent-episodes": lambda body: [self._reading(self._given.get("agent-episodes", EPISODES))],
            "agent-conversations": lambda body: [self._reading(self._given.get("agent-conversations", CONVERSATION))],
            "embeddings": lambda body: [{"vectors": [[1.0, len(text) % 5, 2.0, 0.5] for text in body["texts"]]}],
        }

    def _facts(self, body: dict[str, Any]) -> Sequence[dict[str, Any]]:
        given = self._given.get("agent-facts")
        if given is not None:
            return [given]
        match body["operation"]:
            case "switch":
                return [{"stats": self._switches}]
            case "store":
                return [{"fact_id": "f-new", "count": 1}]
            case _:
                return [self._reading(FACTS)]

    def _reading(self, reply: dict[str, Any]) -> dict[str, Any]:
        return {"stats": {"read": "off"}} if self._switches["read"] == "off" else reply

    def _prompt(self, body: dict[str, Any]) -> Sequence[dict[str, Any]]:
        if not body["id"].startswith("agent-react"):
            return [{"text": f"{body['id']} of {', '.join(sorted(body['terms']))}", "end_of_stream": True}]
        text = self._texts.pop(0) if len(self._texts) > 1 else self._texts[0]
        if text.startswith("!"):
            return [{"error": {"type": "llm-error", "message": text[1:]}, "end_of_stream": True}]
        usage = {"in_token": 100, "out_token": 10, "model": "scripted", "end_of_stream": True}
        if not body["streaming"]:
            return [{"text": text, **usage}]
        return [*({"text": text[start : start + 6]} for start in range(0, len(text), 6)), {"text": "", **usage}]


async def play_turn(agent: Any, bus: WireDouble, turn: dict[str, Any], request_class: type, jobs: list[Any]) -> dict[str, Any]:
    """What ``agent`` sends for a turn.  ``jobs`` are the envelopes it published, payloads unsealed."""
    await agent.load_tools("tool", "default", {"tool": {"complete": json.dumps(TOOL)}}, 1)
    patient = {"recall-deadline-ms": 30_000}  # a slow machine recalls the same
    await agent.settings.on_config("default", {"agent-mem": {"default": json.dumps(patient | turn.get("settings", {}))}}, 1)
    agent._patterns = None  # every version plays the turns by its own loop
    flow = await bus.flow(agent, turn.get("without", ()))
    said: list[Any] = []
    forwarded: list[Any] = []

    async def respond(response: Any) -> None:
        said.append(response)

    async def forward(following: Any) -> None:
        forwarded.append(following)

    request = dict_to_dataclass(json.loads(json.dumps(turn["request"])), request_class)
    await agent.agent_request(request, respond, forward, flow)
    # Services are asked side by side; what matters is what each of them is asked.
    sent = sorted(bus.sent, key=lambda item: _place(*item))
    played = {
        "requests": [[service, _told(body)] for service, body in sent],
        "responses": [_told(dataclass_to_dict(response)) for response in said],
        "explanations": [_told(dataclass_to_dict(triples)) for triples in flow.producer["explainability"].sent],
        "jobs": [{**_told(dataclass_to_dict(job)), "data": _clean(json.loads(job.data))} for job in jobs],
        "forwarded": [_told(dataclass_to_dict(following)) for following in forwarded],
    }
    cleaned: dict[str, Any] = json.loads(json.dumps(_clean(played)))
    return cleaned


def _place(service: str, body: dict[str, Any]) -> tuple[bool, str, str]:
    return service == "prompt" and "agent" in body["id"], service, body.get("operation", "")


def defaults(classes: Sequence[type]) -> dict[str, Any]:
    """The JSON of each message with nothing set: what the short forms of ``play_turn`` leave out."""
    return {cls.__name__: dataclass_to_dict(cls()) for cls in classes}


def _told(body: dict[str, Any]) -> dict[str, Any]:
    """Without what is empty; 0 is kept, for a number's default may be another one."""
    return {name: value for name, value in body.items() if value not in (None, "", [], {}) and value is not False}


_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(?:Z|\+00:00)")
_FIXED = {NOW, "2026-03-02T09:00:00+00:00", "2026-04-01T10:00:00+00:00"}
_MEASURED = ("elapsedMs", "DurationMs")


def _clean(value: Any) -> Any:
    """With what differs from run to run replaced; triples as lines."""
    if isinstance(value, dict):
        if set(value) >= {"s", "p", "o"}:
            terms = [value[part] or {} for part in "spo"]
            subject, predicate, object_ = (_clean(term.get("iri") or term.get("value")) for term in terms)
            predicate = str(predicate).rsplit("/", 1)[-1]
            return f"{subject} {predicate} {'<ms>' if predicate.endswith(_MEASURED) else object_}"
        return {name: _timings(inner) if name == "timings_ms" else _clean(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_clean(inner) for inner in value]
    if not isinstance(value, str):
        return value
    if value.startswith("{") and '"timings_ms"' in value:  # a note of an explanation
        return json.dumps(_clean(json.loads(value)), ensure_ascii=False)
    return _TIME.sub(lambda found: found.group() if found.group() in _FIXED else "<time>", _UUID.sub("<id>", value))


def _timings(timings: dict[str, Any]) -> list[str]:
    return sorted(timings)
