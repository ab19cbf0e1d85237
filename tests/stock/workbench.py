"""How TrustGraph's workbench asks an agent: a client by the rules of its own one, which is not published for this gateway.

The package ``@trustgraph/client`` 1.7.2 of the public registry sends its token in the address and reads ``chunk_type``.  The
gateways from 2.8 on know neither, so it shows nothing of any agent, stock or not.  The workbench carries a newer source of it.
"""

from dataclasses import dataclass, field

import aiohttp

from .trustgraph import PATIENCE_S, Message


@dataclass
class Shown:
    """What the callbacks were given, in order.  ``explained``: ids of explanations."""

    thoughts: list[str] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)
    answer: str = ""
    error: str = ""
    explained: list[str] = field(default_factory=list)


async def ask(gateway_url: str, flow: str, question: str) -> Shown:
    """It names neither user nor conversation, and always streams."""
    request = {"question": question, "user": "", "collection": "default", "streaming": True}
    shown = Shown()
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{gateway_url}api/v1/socket") as socket:
        await socket.send_json({"type": "auth", "token": ""})
        assert (await socket.receive_json(timeout=PATIENCE_S))["type"] == "auth-ok"
        await socket.send_json({"id": "1", "service": "agent", "flow": flow, "workspace": "default", "request": request})
        while not _receive(shown, await socket.receive_json(timeout=PATIENCE_S)):
            pass
    return shown


def _receive(shown: Shown, message: Message) -> bool:
    """Whether the dialogue is over, which an error ends at once."""
    if error := message.get("error"):
        shown.error = str(error["message"] if isinstance(error, dict) and "message" in error else error)
        return True
    response = message.get("response") or {}
    kind, content = response.get("message_type") or response.get("chunk_type"), response.get("content") or ""
    if kind == "error" or response.get("error"):
        shown.error = (response.get("error") or {}).get("message") or "Unknown agent error"
        return True
    match kind:
        case "explain":
            shown.explained.append(response["explain_id"])
            return False
        case "thought":
            shown.thoughts.append(content)
        case "observation":
            shown.observations.append(content)
        case "answer" | "final-answer":
            shown.answer += content
    return bool(message.get("complete"))
