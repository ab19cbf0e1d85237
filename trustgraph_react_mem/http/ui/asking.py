"""``POST /ui/ask``: a question that the page puts to the agent, and its messages as server-sent events.

Source of the messages: trustgraph-flow 2.11.1, ``messaging/translators/agent.py``.
"""

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aiohttp import web
from trustgraph.messaging import TranslatorRegistry

from ...bus.client_specs import raise_error
from ...errors import MemoryServiceError
from ...schema import AgentRequest
from ..application import LISTENER, access_of
from ..events.event_stream import EventStream, encode_event
from ..native.models import Model, Name, Text
from ..native.routing import read_body


class Question(Model):
    question: Text
    conversation_id: Name = ""


async def ask(request: web.Request) -> web.StreamResponse:
    """Body: ``{"question", "conversation_id"}``.  Each event is a message of the agent, or ``{"error": {"message", "code"}}``.

    Raises: BadRequest, NotAuthenticated, NotPermitted, TooManyConnections, and before the first event what the agent reports.
    """
    access, body = await access_of(request), await read_body(request, Question)
    asked = AgentRequest(question=body.question, conversation_id=body.conversation_id, streaming=True)
    stream, encoder = EventStream(request), TranslatorRegistry.get_response_translator("agent")
    with request.app[LISTENER].events.connect(access.principal), contextlib.suppress(ConnectionError):
        async with contextlib.aclosing(access.ask(asked)) as messages:  # type: ignore[type-var]
            try:
                async for message in stream.each(messages):
                    raise_error(message.error)
                    sent: Mapping[str, Any] = encoder.encode(replace(message, error=None))  # as TrustGraph's gateway sends it
                    await stream.send(encode_event(sent))
            except MemoryServiceError as error:
                if not stream.begun:
                    raise
                await stream.send(encode_event({"error": {"message": str(error), "code": error.wire_type}}))
    return await stream.end()
