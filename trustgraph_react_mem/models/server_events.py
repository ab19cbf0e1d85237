"""Reads server-sent events as endpoints write them.

A line ends with CR LF, LF or CR alone.  Other characters that Python takes for the end of a line (U+2028, U+0085) are text,
because JSON may hold them as they are.  The stream is UTF-8, perhaps after a byte order mark.
"""

import codecs
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")  # after a CR at the end a LF may follow
_FIELD = re.compile(r"(?:data|event|id|retry)(?::|\Z)|:")
DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class Event:
    """The data of an event."""

    data: str


async def read_events(chunks: AsyncIterator[bytes]) -> AsyncIterator[Event | str]:
    """The events up to ``[DONE]``, and the lines that belong to none: the endpoint may answer without events.

    An event of one line may end without the empty line that should follow.
    """
    data: list[str] = []
    async for line in _read_lines(chunks):
        said = line[5:].strip() if line.startswith("data:") else ""
        if data and (line == "" or said == DONE or (said and len(data) == 1 and _is_json(data[0]))):
            yield Event("\n".join(data))
            data.clear()
        if said == DONE:
            return
        if said:
            data.append(said)
        elif line and _FIELD.match(line) is None:
            yield line
    if data:
        yield Event("\n".join(data))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


async def _read_lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    parts: list[str] = []  # of a line that has not ended
    async for chunk in chunks:
        *lines, rest = _LINE_END.split(("\r" if parts and parts[-1] == "\r" else "") + decoder.decode(chunk))
        if parts and parts[-1] == "\r":
            parts.pop()
        for line in lines:
            yield "".join([*parts, line])
            parts.clear()
        if rest.endswith("\r") and rest != "\r":
            parts.append(rest[:-1])
            rest = "\r"
        if rest:
            parts.append(rest)
    if parts:
        yield "".join(parts).removesuffix("\r")
