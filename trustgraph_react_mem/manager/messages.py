"""Messages of a chat as turns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any
from uuid import uuid4

from ..errors import BadRequest
from ..memory.sizes import check_size
from ..memory.timefmt import format_time
from ..schema import Turn
from ..transcripts import read_message

Message = str | Mapping[str, Any]


def to_turns(messages: Message | Sequence[Message], now: datetime) -> list[Turn]:
    """The turns of the messages, in their order.  System and tool messages and empty ones are skipped.

    Every turn has an id of its own, so that the same words said twice are two turns.  A message with an ``id`` keeps it, and is
    stored once however often it is added.

    Raises: BadRequest (it names the message, what is wrong and the remedy), TooLarge.
    """
    given = [messages] if isinstance(messages, str | Mapping) else messages
    if not isinstance(given, Iterable) or isinstance(given, bytes | bytearray):
        raise BadRequest(
            f"the messages are {type(given).__name__}: pass a text, {{'role': ..., 'content': ...}}, or a list of them"
        )
    given = list(given)
    if not given:
        raise BadRequest("there are no messages: pass at least one text or {'role': ..., 'content': ...}")
    turns, numbers = [], dict[str, int]()
    for number, message in enumerate(given, 1):
        if not isinstance(message, str | Mapping):
            raise BadRequest(f"message {number} is {type(message).__name__}: pass a text or {{'role': ..., 'content': ...}}")
        fields = {"role": "user", "content": message} if isinstance(message, str) else dict(message)
        if isinstance(at := fields.get("timestamp"), date):
            fields["timestamp"] = _format_local(at)
        turn = read_message(fields, f"message {number}", format_time(now))
        if turn is not None:
            check_size(f"message {number}", turn.text)
            turn = replace(turn, id=str(fields.get("id") or uuid4()))
            if numbers.setdefault(turn.id, number) != number:
                raise BadRequest(
                    f"messages {numbers[turn.id]} and {number} have the same id {turn.id[:40]!r}: "
                    "give each its own, or leave it out"
                )
            turns.append(turn)
    if not turns:
        raise BadRequest("none of the messages has a text of a user or the assistant: there is nothing to store")
    return turns


def _format_local(at: date) -> str:
    """ISO 8601.  As everywhere in Python, a time without a zone is one of this machine."""
    try:
        return (at.astimezone() if isinstance(at, datetime) and at.tzinfo is None else at).isoformat()
    except (OverflowError, ValueError, OSError):  # at an end of the calendar
        return at.isoformat()
