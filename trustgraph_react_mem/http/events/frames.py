"""The envelope of TrustGraph's socket, and the bodies of requests and replies.

A message of a client is ``{"id", "service", "flow"?, "workspace"?, "request"}``; replies have its ``id`` and ``complete``.
Names in bodies are in kebab-case, as in most of TrustGraph, or with underscores, as in its requests to the agent.

Source: trustgraph-flow 2.11.1, ``gateway/dispatch/mux.py`` and ``messaging/translators/agent.py``.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from trustgraph.messaging import TranslatorRegistry
from trustgraph.schema import AgentResponse

from ...bus.wire import decode as decode_wire
from ...errors import BadRequest, MemoryServiceError, NotAuthenticated, NotPermitted
from ...memory.json_object import json_type
from ...memory.requests import SERVICES, AnyRequest, decode
from ...memory.requests.wire_values import check_values
from ...schema import AgentRequest
from ...schema.topics import CONVERSATIONS, EPISODES, FACTS, JOBS
from ..request_body import parse_json

Frame = dict[str, Any]

MEMORY_SERVICES: Mapping[str, str] = {"facts": FACTS, "episodes": EPISODES, "conversations": CONVERSATIONS, "jobs": JOBS}
SERVICE_NAMES = ("agent", *MEMORY_SERVICES, "events")
MOST_ID = 200  # characters
OWN_VALUES = frozenset({"metadata", "arguments"})  # their keys belong to the client
#: What only the listener and the agent itself set: whose memory it is, who speaks, and which turn is part of another.
NOT_OF_CLIENTS = (
    *("user", "speaker", "speaker_proof", "asked_at"),
    *("correlation_id", "parent_session_id", "subagent_goal", "expected_siblings"),
)


class BadFrame(BadRequest):
    """A message that is not in the envelope.  ``id``: of the message, None if it has none."""

    def __init__(self, text: str, frame_id: object = None) -> None:
        super().__init__(text)
        self.id = frame_id


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFrame:
    id: str | int
    service: str
    flow: str
    workspace: str
    body: Frame


def read_frame(data: str | bytes) -> Frame:
    """Raises: BadFrame (not a JSON object)."""
    try:
        found = parse_json(data)
    except ValueError:
        raise BadFrame("the message is not JSON") from None
    if not isinstance(found, dict):
        raise BadFrame(f"the message must be a JSON object, not {json_type(found)}")
    return found


def read_request(frame: Frame) -> RequestFrame:
    """Raises: BadFrame."""
    frame_id = frame.get("id")
    if isinstance(frame_id, bool) or not isinstance(frame_id, str | int) or len(str(frame_id)) > MOST_ID:
        raise BadFrame(f"the message needs an id: a text or a number of at most {MOST_ID} characters")
    body = frame.get("request")
    if not isinstance(body, dict):
        raise BadFrame("request must be an object with the body of the request", frame_id)
    names = {name: frame.get(name) or "" for name in ("service", "flow", "workspace")}
    for name, given in names.items():
        if not isinstance(given, str) or len(given) > MOST_ID:
            raise BadFrame(f"{name} must be a text of at most {MOST_ID} characters", frame_id)
    return RequestFrame(id=frame_id, body=body, **names)


def read_agent_request(body: Frame) -> AgentRequest:
    """The request to the agent, without what clients may not set.  Raises: BadRequest."""
    given = {name: value for name, value in with_underscores(body).items() if name not in NOT_OF_CLIENTS}
    if not name_of(given, "question").strip():
        raise BadRequest("question is empty: send the text of the question")
    request: AgentRequest = check_values(decode_wire(_json(given), AgentRequest))
    return request


def read_memory_request(service: str, body: Frame) -> AnyRequest:
    """The typed request to one of ``MEMORY_SERVICES``.  Raises: BadRequest."""
    record, _ = SERVICES[MEMORY_SERVICES[service]]
    given = {name: value for name, value in with_underscores(body).items() if name != "operator"}
    return replace(decode(decode_wire(_json(given), record)), operator="")


def name_of(body: Frame, *names: str) -> str:
    """The text that these fields have; "" if none is set.  Raises: BadRequest (not a text, or different ones)."""
    found = ""
    for name in names:
        given = body.get(name)
        if given is not None and not isinstance(given, str):
            raise BadRequest(f"{name} must be a string, not {json_type(given)}")
        if given and found and given != found:
            raise BadRequest(f"{' and '.join(names)} differ: send one of them")
        found = given or found
    return found


def with_underscores(value: Any) -> Any:
    """``top-k`` becomes ``top_k``, in nested objects too."""
    if isinstance(value, dict):
        return {
            (name := key.replace("-", "_")): each if name in OWN_VALUES else with_underscores(each)
            for key, each in value.items()
        }
    return [with_underscores(each) for each in value] if isinstance(value, list) else value


def encode_reply(record: Any) -> Any:
    """A wire record as a body, without ``error`` and without fields that are None."""
    if is_dataclass(record) and not isinstance(record, type):
        values = {each.name: getattr(record, each.name) for each in fields(record)}
        return {
            name.replace("_", "-"): encode_reply(value)
            for name, value in values.items()
            if value is not None and name != "error"
        }
    return [encode_reply(each) for each in record] if isinstance(record, list) else record


def encode_answer(message: AgentResponse) -> Frame:
    """A message of the agent, as TrustGraph's gateway sends it."""
    body: Frame = TranslatorRegistry.get_response_translator("agent").encode(replace(message, error=None))
    return body


def error_frame(frame_id: object, error: MemoryServiceError) -> Frame:
    return error_reply(frame_id, _type_of(error), str(error), code=error.wire_type)


def error_reply(frame_id: object, kind: str, message: str, **more: str) -> Frame:
    reply: Frame = {"error": {"message": message, "type": kind, **more}, "complete": True}
    return reply if frame_id is None else {"id": frame_id, **reply}


def _type_of(error: MemoryServiceError) -> str:
    if isinstance(error, NotAuthenticated):
        return "auth-required"
    return "access-denied" if isinstance(error, NotPermitted) else "error"


def _json(body: Frame) -> bytes:
    return json.dumps(body).encode("ascii")
