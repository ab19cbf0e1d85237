"""Reads server-sent events as endpoints write them.

A line ends with CR LF, LF or CR alone.  Other characters that Python takes for the end of a line (U+2028, U+0085) are text,
because JSON may hold them as they are.  The stream is UTF-8, perhaps after a byte order mark.

Source: WHATWG HTML, section 9.2 (server-sent events).
"""

import codecs
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

DONE = "[DONE]"
MOST_HELD = 8 * 1024 * 1024  # bytes of one event; a longer one is not read
_WITHOUT_MEANING = ("", "id", "retry")  # fields; a comment has no name


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """``name``: of the field ``event``; "" if there is none."""

    data: str
    name: str = ""

    def object(self) -> dict[str, Any]:
        """The data as a JSON object.  Empty if it is none."""
        return read_object(self.data) or {}


class EventReader:
    """Reads events from pieces of a stream.  How the stream is split makes no difference.

    Some endpoints leave out the empty line after an event: a JSON object on one line ends where the next data begin.
    """

    def __init__(self) -> None:
        self._line = bytearray()
        self._name = ""
        self._data: list[str] = []
        self._held = 0
        self._begun = False
        self._after_return = False  # the last byte was a carriage return: a line feed belongs to it

    @property
    def between_events(self) -> bool:
        """Whether the bytes so far end with a whole event, so that a comment may follow."""
        return not self._line and not self._data and not self._name

    def feed(self, piece: bytes) -> Iterator[Event | str]:
        """The events that this piece completes, and the lines that are no field of an event."""
        for part in piece.splitlines(keepends=True):
            continued, self._after_return = self._after_return and part == b"\n", part.endswith(b"\r")
            if continued:
                continue
            body = part.rstrip(b"\r\n")
            self._held += len(body)
            if self._held <= MOST_HELD:
                self._line += body
            if len(body) < len(part):
                line, self._line = bytes(self._line), bytearray()
                yield from self._read(line if self._begun else line.removeprefix(codecs.BOM_UTF8))
                self._begun = True

    def _read(self, line: bytes) -> Iterator[Event | str]:
        text = line.decode("utf-8", "replace")
        if not text:
            yield from self._end()
            return
        name, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            done = value.strip() == DONE  # the last: an endpoint may leave out the empty line, and keep the connection open
            if done or (len(self._data) == 1 and read_object(self._data[0]) is not None):
                yield from self._end()
            self._data.append(value)
            if done:
                yield from self._end()
        elif name == "event":
            self._name = value
        elif name not in _WITHOUT_MEANING:
            self._held -= len(line)
            yield text

    def _end(self) -> Iterator[Event]:
        if self._data and self._held <= MOST_HELD:
            yield Event(data="\n".join(self._data), name=self._name)
        self._name, self._data, self._held = "", [], 0


async def read_events(chunks: AsyncIterator[bytes]) -> AsyncIterator[Event | str]:
    """The events with data up to ``[DONE]``, and the lines that belong to none: the endpoint may answer without events."""
    reader = EventReader()
    async for chunk in chunks:
        for found in reader.feed(chunk):
            if isinstance(found, Event) and found.data.strip() == DONE:
                return
            if isinstance(found, str) or found.data.strip():
                yield found
    for found in reader.feed(b"\n\n"):  # what the end of the stream completes
        if isinstance(found, str) or found.data.strip() not in ("", DONE):
            yield found


def read_object(text: str | bytes) -> dict[str, Any] | None:
    """A JSON object; None if it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
