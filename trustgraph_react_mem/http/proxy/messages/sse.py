"""Server-sent events: reading them from any sequence of bytes, and writing them.

Source: WHATWG HTML, section 9.2 (server-sent events).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

KEEP_ALIVE = b": keep-alive\n\n"
DONE = b"data: [DONE]\n\n"
MOST_HELD = 8 * 1024 * 1024  # bytes of one event; a longer one is not read


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """``name``: of the field ``event``; "" if there is none."""

    name: str
    data: str

    def object(self) -> dict[str, Any]:
        """The data as a JSON object.  Empty if it is none."""
        try:
            found = json.loads(self.data)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


class EventReader:
    """Reads events from pieces of a stream.  How the stream is split makes no difference."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._name = ""
        self._data: list[str] = []
        self._held = 0
        self._after_return = False  # the last byte was a carriage return: a line feed belongs to it

    @property
    def between_events(self) -> bool:
        """Whether the bytes so far end with a whole event, so that a comment may follow."""
        return not self._line and not self._data and not self._name

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that this piece completes."""
        for part in piece.splitlines(keepends=True) if piece else ():
            yield from self._part(part)

    def _part(self, part: bytes) -> Iterator[Event]:
        if part == b"\n" and self._after_return:
            self._after_return = False
            return
        self._after_return = part.endswith(b"\r")
        body = part.rstrip(b"\r\n")
        self._held += len(body)
        if self._held <= MOST_HELD:
            self._line += body
        if len(body) < len(part):
            line, self._line = bytes(self._line), bytearray()
            yield from self._end_line(line)

    def _end_line(self, line: bytes) -> Iterator[Event]:
        if line:
            name, _, value = line.decode("utf-8", "replace").partition(":")
            value = value.removeprefix(" ")
            if name == "data":
                self._data.append(value)
            elif name == "event":
                self._name = value
            return
        if self._data and self._held <= MOST_HELD:
            yield Event(name=self._name, data="\n".join(self._data))
        self._name, self._data, self._held = "", [], 0


def encode_event(body: Mapping[str, Any], name: str = "") -> bytes:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()
