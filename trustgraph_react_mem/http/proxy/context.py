"""From a request to what its handler works on: the access, the conversation, and what may be recalled and learned."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from ...telemetry.metrics import proxied
from ...telemetry.tracing import error_type
from ..access import Access, choose_user, kind_of
from ..application import LISTENER, access_of, principal_of
from ..guards import read_within
from ..request_body import note_ignored, read_object
from .dialogue import Dialogue, words_of_person
from .errors import ProxyError
from .options import (
    OWN_KEYS,
    MemoryUse,
    as_header,
    derived_conversation,
    invocation_of,
    is_placeholder,
    named_collection,
    named_conversation,
    named_users,
    read_use,
    without_effect,
)
from .resources import PROXY, FlowState, Proxy
from .upstream import FAILED

AGENT_PREFIX = "agent/"
HEEDED = (
    *("model", "messages", "input", "instructions", "stream", "stream_options", "n", "store", "metadata"),
    *("user", "safety_identifier", "conversation", "previous_response_id", *OWN_KEYS),
)
"""Fields of a request that an agent heeds.  It decides itself about tools, temperature and length."""
MB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request of a client, an exchange of a conversation.

    ``flow``: whose agent answers; "" = the model is passed through.  ``recalled``: ids of the records that were inserted.
    ``learns``: whether the exchange may be recorded.
    """

    request: web.Request
    proxy: Proxy
    body: dict[str, Any]
    model: str
    flow: str
    access: Access
    state: FlowState
    use: MemoryUse
    dialogue: Dialogue
    conversation: str
    invocation: str
    asked_at: datetime
    learns: bool
    recalled: Sequence[str] = ()

    @property
    def streams(self) -> bool:
        return self.body.get("stream") is True

    @property
    def question(self) -> str:
        """The words of the person."""
        asked = self.dialogue.question
        return words_of_person(asked.text) if asked else ""

    def headers(self) -> dict[str, str]:
        """The headers of each answer."""
        return {"X-Memory-Mode": self.use.mode, "X-Conversation-Id": as_header(self.conversation)}


async def read_body(request: web.Request) -> dict[str, Any]:
    """The JSON object in the body.  Raises: BadRequest, TooLarge."""
    most = request.app[PROXY].settings.max_body_mb * MB
    whole = request.clone(client_max_size=most)
    await read_within(whole, most, request.app[LISTENER].settings.body_timeout_s)
    return await read_object(whole)


async def find_access(request: web.Request, body: Mapping[str, Any], flow: str = "") -> Access:
    """The memory of the person who asks.

    Raises: ProxyError (a gateway's key without a user), NotAuthenticated, NotPermitted (a user's key with another user, or
    the request names several).
    """
    principal, trusted = await principal_of(request), request.app[LISTENER].trusted_user(request)
    named = [name for name in named_users(body, trusted or principal.user) if not is_placeholder(name)]
    collection = named_collection(body)
    if principal.kind != "user" and not named:
        raise ProxyError(
            f"{kind_of(principal)} needs the user of each request: send the header X-Memory-User, or metadata.user_id",
            code="missing_user",
            param="user",
        )
    return await access_of(request, user=choose_user(principal, *named), collection=collection, flow=flow)


def read_model(body: Mapping[str, Any]) -> tuple[str, str]:
    """The model, and the flow of an agent ("" for other models).  Raises: ProxyError."""
    model = body.get("model")
    if not isinstance(model, str) or not model.strip():
        raise ProxyError("model is missing: name one of GET /v1/models, such as agent/default", param="model")
    flow = model.removeprefix(AGENT_PREFIX) if model.startswith(AGENT_PREFIX) else ""
    if model.startswith(AGENT_PREFIX) and not flow:
        raise unknown_model(model)
    return model, flow


def unknown_model(model: str) -> ProxyError:
    return ProxyError(
        f"the model {model[:100]!r} does not exist: GET /v1/models lists them",
        status=404,
        code="model_not_found",
        param="model",
    )


def _check_for_agent(request: web.Request, body: Mapping[str, Any]) -> None:
    """Name what has no effect in a header.  Raises: ProxyError (what is wanted is another answer than an agent gives)."""
    if body.get("n") not in (None, 1):
        raise ProxyError(f"n is {str(body['n'])[:20]}: an agent gives one answer, so leave n out", param="n")
    text = body.get("text")
    for param, wanted in (
        ("response_format", body.get("response_format")),
        ("text.format", text.get("format") if isinstance(text, Mapping) else None),
    ):
        if isinstance(wanted, Mapping) and wanted.get("type", "text") != "text":
            raise ProxyError(
                f"{param} asks for {str(wanted['type'])[:40]!r}: an agent answers in text, so leave it out", param=param
            )
    note_ignored(request, [name for name, value in body.items() if name not in HEEDED and value not in (None, False, [], {})])


async def count_answer(call: Call, interface: str, answering: Awaitable[web.StreamResponse]) -> web.StreamResponse:
    """The answer, counted by who gave it and how it ended."""
    by = "agent" if call.flow else "endpoint"
    try:
        response = await answering
    except BaseException as error:
        proxied.labels(interface, by, error_type(error)).inc()
        raise
    outcome = response.get(FAILED) or ("ok" if response.status < 400 else str(response.status))
    proxied.labels(interface, by, outcome).inc()
    return response


async def read_call(request: web.Request, body: dict[str, Any], dialogue: Dialogue, conversation: str = "") -> Call:
    """``conversation``: known from an earlier answer; "" = what the request names, else one derived from its dialogue.

    Raises: ProxyError, and the errors of ``find_access``.
    """
    model, flow = read_model(body)
    access, buses, proxy = await find_access(request, body), request.app[LISTENER].buses, request.app[PROXY]
    state = await proxy.flow_state(await buses.open(access.principal.workspace))
    if flow and flow not in state.flows:
        raise unknown_model(model)
    if flow not in ("", buses.flow):
        access = await find_access(request, body, flow)
        state = await proxy.flow_state(await buses.open(access.principal.workspace, flow))
    for name in ("stream", "store"):
        if not isinstance(body.get(name), bool | None):
            raise ProxyError(f"{name} is {str(body[name])[:20]!r}: use true or false", param=name)
    note_ignored(request, without_effect(body))
    if flow:
        if dialogue.question is None:
            raise ProxyError("there is no message of the user: send one with the role user", param="messages")
        _check_for_agent(request, body)
    use = read_use(request, body, dialogue)
    conversation = conversation or named_conversation(request, body)
    if not conversation:
        conversation = derived_conversation(access.user, dialogue)
        if use.read or use.write:
            conversation = await proxy.continue_conversation(access, conversation)
    return Call(
        request=request,
        proxy=proxy,
        body=body,
        model=model,
        flow=flow,
        access=access,
        state=state,
        use=use,
        dialogue=dialogue,
        conversation=conversation,
        invocation=invocation_of(conversation, dialogue),
        asked_at=datetime.now(UTC),
        learns=use.write and access.principal.writes and state.settings.enable_memory and state.settings.enable_recording,
    )
