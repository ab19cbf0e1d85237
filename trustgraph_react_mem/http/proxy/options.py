"""What a request says about memory: whose it is, which conversation, and whether to recall and to learn."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import quote

from aiohttp import web

from ...errors import BadRequest
from ...memory.json_object import json_type
from ...memory.scope import MAX_NAME
from ...memory.scope_names import check_name
from ...memory.text.well_formed import well_formed
from ...processors.agent.request import check_options
from ...schema import MemoryOptions
from .dialogue import TASK_HEADERS, Dialogue, is_background
from .errors import ProxyError

CONVERSATION_HEADERS = ("X-Conversation-Id", "X-OpenWebUI-Chat-Id", "x-sm-conversation-id", "x-session-id")
DISABLE = "x-disable-router-memory"
MODES = ("on", "off", "read", "write")
FLAGS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False, "": False}
_OPTIONS = tuple(each.name for each in fields(MemoryOptions))
OWN_KEYS = {"memory_config": ("enabled", "trace", *_OPTIONS), "memory_context": ("user_id", "project_id")}
"""Keys of the body that an endpoint does not know, and their fields."""
_PLACEHOLDER = re.compile(r"\{\{.*\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryUse:
    """What a request may do with memory.  ``trace``: name the cited memories in the answer."""

    read: bool
    write: bool
    options: MemoryOptions
    trace: bool = False

    @property
    def mode(self) -> str:
        return {(True, True): "on", (True, False): "read", (False, True): "write"}.get((self.read, self.write), "off")


def named_users(body: Mapping[str, Any], trusted: str = "") -> list[str]:
    """The users that a request names; ``trusted``: in a header.  Raises: ProxyError (a name is not a text, or has no object).

    ``safety_identifier``, which OpenAI asks to be a hash of the name, counts only if nothing else names a user.
    """
    user = body.get("user")
    given = {
        "metadata.user_id": _object(body, "metadata").get("user_id"),
        "safety_identifier": body.get("safety_identifier"),
        "user": user.get("id") if isinstance(user, Mapping) else user,  # Open WebUI describes the user with an object
        "memory_context.user_id": _object(body, "memory_context").get("user_id"),
    }
    named = {name: text for name, value in given.items() if (text := _text(name, value))}
    hashed = named.pop("safety_identifier", "")
    return [name for name in (trusted, *named.values()) if name] or ([hashed] if hashed else [])


def named_collection(body: Mapping[str, Any]) -> str:
    return _text("memory_context.project_id", _object(body, "memory_context").get("project_id"))


def named_conversation(request: web.Request, body: Mapping[str, Any]) -> str:
    """The conversation that headers or the body name; "" if they name none.

    Raises: ProxyError (no text, too long, with invisible or damaged characters).
    """
    conversation = body.get("conversation")
    given: dict[str, object] = {name: request.headers.get(name) for name in CONVERSATION_HEADERS}
    given["metadata.conversation_id"] = _object(body, "metadata").get("conversation_id")
    given["conversation"] = conversation.get("id") if isinstance(conversation, Mapping) else conversation
    named = [_text(where, value).strip() for where, value in given.items()]
    name = next((name for name in named if name and not is_placeholder(name)), "")
    if len(name) > MAX_NAME:
        raise ProxyError(f"the conversation id has {len(name)} characters: use at most {MAX_NAME}", param="conversation")
    if well_formed(name) != name:
        raise ProxyError("the conversation id contains an unpaired surrogate: remove it", param="conversation")
    try:
        check_name("the conversation id", name)
    except BadRequest as error:
        raise ProxyError(str(error), param="conversation") from None
    return name


def is_placeholder(name: str) -> bool:
    """Whether a program sent the name of a variable that it did not fill in, such as ``{{LIBRECHAT_USER_ID}}``."""
    return _PLACEHOLDER.search(name) is not None


def derived_conversation(user: str, dialogue: Dialogue) -> str:
    """The id of a conversation that its client does not name: the same for each request of one chat.

    Chats of a user that begin with the same words get the same id.  Source: semantic-router, ``pkg/memory`` (``cc-`` ids).
    """
    return f"chat-{_hash([user, dialogue.system, dialogue.opening])[:16]}"


def invocation_of(conversation: str, dialogue: Dialogue) -> str:
    """The id of the exchange that a request begins: the same for a repeated request and for the rounds of its tools."""
    asked = dialogue.question
    said = [(line.role, line.text) for line in dialogue.before]
    return _hash([conversation, repr(said), asked.text if asked else ""])[:32]


def read_use(request: web.Request, body: Mapping[str, Any], dialogue: Dialogue) -> MemoryUse:
    """Raises: ProxyError (a value that is not known, or out of range)."""
    config = _object(body, "memory_config")
    for name in ("enabled", "trace"):
        if not isinstance(config.get(name), bool | None):
            raise ProxyError(f"memory_config.{name} must be true or false", param=f"memory_config.{name}")
    try:
        options = check_options(MemoryOptions(**{name: config[name] for name in _OPTIONS if name in config}))
    except BadRequest as error:
        raise ProxyError(str(error).replace("memory.", "memory_config.", 1), param="memory_config") from None
    mode = request.headers.get("X-Memory", "on").strip().lower()
    if mode not in MODES:
        raise ProxyError(f"X-Memory: {mode[:20]!r}: use one of {', '.join(MODES)}", param="X-Memory")
    task = next((request.headers[name] for name in TASK_HEADERS if request.headers.get(name)), "")
    off = _flag(request, DISABLE) or config.get("enabled") is False or mode == "off" or is_background(dialogue, task)
    stores = body.get("store") is not False and options.auto_store is not False
    return MemoryUse(
        read=not off and mode != "write",
        write=not off and mode != "read" and stores,
        options=options,
        trace=_flag(request, "X-Memory-Trace") or config.get("trace") is True,
    )


def without_effect(body: Mapping[str, Any]) -> list[str]:
    """Fields of the objects about memory that nothing reads."""
    return [f"{name}.{field}" for name, known in OWN_KEYS.items() for field in _object(body, name) if field not in known]


def _object(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = body.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ProxyError(f"{name} must be an object, not {json_type(value)}", param=name)
    return value


def _text(name: str, value: object) -> str:
    if not isinstance(value, str | None):
        raise ProxyError(f"{name} must be a text, not {json_type(value)}", param=name)
    return value or ""


def _flag(request: web.Request, name: str) -> bool:
    value = request.headers.get(name, "").strip().lower()
    if value not in FLAGS:
        raise ProxyError(f"{name}: {value[:20]!r}: use true or false", param=name)
    return FLAGS[value]


def as_header(value: str) -> str:
    """A text that can be sent in a header."""
    return value if value.isascii() and value.isprintable() else quote(value, safe="")


def _hash(parts: Sequence[str]) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
