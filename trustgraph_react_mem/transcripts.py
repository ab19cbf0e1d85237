"""Read dialogues from ChatML files, as turns.

A file of another format is rejected with the expected format, and a malformed one with the line and the remedy.

The ids of dialogues and turns are digests of their contents, because programs write many chats under one file name: a
dialogue is named after its first turn, a turn after its text and the turn before it.  So a file that has grown has the same ids
for what it had, in whatever place.
"""

import hashlib
import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .errors import BadRequest
from .memory.text.printable import is_blank
from .memory.text.well_formed import well_formed_tree
from .memory.timefmt import format_time, parse_time
from .schema import Turn

_SPOKEN = ("user", "assistant")
_UNSPOKEN = ("system", "developer", "tool", "function")  # roles of messages that are not what a person or the assistant said
_CALLS = ("tool_calls", "function_call")  # of a message of the assistant, which may have no content then
_TEXT_PARTS = ("text", "input_text", "output_text")  # of OpenAI's two interfaces
_CHATML_EXAMPLE = '{"role": "user", "content": "Hello"}'
_TOO_DEEP = "a chat needs a few levels of lists and objects, export it again"
LEAST_MILLISECONDS = 10**11  # of Unix time; as seconds, it is the year 5138


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One person's (or pair's) dialogue, oldest turn first.  Each ``Turn.session`` was one conversation."""

    id: str
    turns: tuple[Turn, ...]

    @property
    def sessions(self) -> Mapping[str, tuple[Turn, ...]]:
        found: dict[str, list[Turn]] = {}
        for turn in self.turns:
            found.setdefault(turn.session, []).append(turn)
        return {session: tuple(turns) for session, turns in found.items()}


def read_chats(path: Path) -> list[Transcript]:
    """The dialogues of a ChatML file.  Raises: BadRequest (it says what is wrong with the file)."""
    data, places = read_rows(path)
    return list(_read_chatml(data, path, places))


def read_rows(path: Path) -> tuple[list[Any], list[str]]:
    """The values of a JSON list, of a single JSON value, or of JSON Lines, and the place of each for errors, such as "line 3".

    Raises: BadRequest.
    """
    raw = _read_text(path)
    try:
        data = well_formed_tree(json.loads(raw))
    except json.JSONDecodeError as whole:
        return _read_lines(path, raw, whole)
    except RecursionError:
        raise BadRequest(f"{path} is nested too deeply: {_TOO_DEEP}") from None
    if not isinstance(data, list):
        return [data], ["line 1"]
    return data, [f"item {number}" for number in range(1, len(data) + 1)]


def _read_text(path: Path) -> str:
    """The text of a file in UTF-8, or in UTF-16 or UTF-32 as other programs write it.  Raises: BadRequest."""
    try:
        with path.open("rb") as opened:
            encoding = json.detect_encoding(opened.read(4))
        return path.read_text(encoding=encoding)
    except FileNotFoundError:
        raise BadRequest(f"{path} does not exist: pass a ChatML file") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BadRequest(
            f"{path} is not {encoding.upper()} text (line {line}, byte 0x{error.object[error.start]:02x}): save it as UTF-8, "
            f"or convert it, such as with: iconv -f WINDOWS-1252 -t UTF-8 {shlex.quote(str(path))} > converted"
        ) from None


def _read_lines(path: Path, raw: str, whole: json.JSONDecodeError) -> tuple[list[Any], list[str]]:
    """The same for JSON Lines.  ``whole``: why the text as a whole is not JSON.

    Only a line feed ends a line: a JSON text can hold the other separators of Unicode as they are.
    """
    rows, places = [], []
    for number, line in enumerate(raw.split("\n"), 1):
        if line.strip():
            try:
                rows.append(well_formed_tree(json.loads(line)))
            except RecursionError:
                raise BadRequest(f"{path}, line {number} is nested too deeply: {_TOO_DEEP}") from None
            except json.JSONDecodeError as error:
                place = f"line {number}: {error.msg}" if rows else f"line {whole.lineno}: {whole.msg}"
                raise BadRequest(
                    f"{path} is neither JSON nor JSON Lines ({place}): correct that line, or export the chat again"
                ) from None
            places.append(f"line {number}")
    return rows, places


def _read_chatml(data: Sequence[Any], path: Path, rows: Sequence[str]) -> Iterator[Transcript]:
    single = bool(data) and isinstance(data[0], dict) and "messages" not in data[0]
    dialogues = [({"messages": list(data)}, "")] if single else zip(data, rows, strict=True)
    named: Counter[str] = Counter()
    for number, (item, row) in enumerate(dialogues):
        if not isinstance(item, dict) or not isinstance(item.get("messages"), list):
            raise BadRequest(
                f"{path}, {row}: dialogue {number + 1} has no list 'messages': write it as "
                f'{{"messages": [{_CHATML_EXAMPLE}]}}'
            )
        within = rows if single else [f"{row}, message {place}" for place in range(1, len(item["messages"]) + 1)]
        places = [f"{path}, {place}" for place in within]  # of each message, for errors
        given = str(item.get("id") or item.get("conversation_id") or "")
        said_at = _read_timestamp(item.get("timestamp"), places[0] if places else str(path))
        said = [
            (position, turn)
            for position, (message, place) in enumerate(zip(item["messages"], places, strict=True))
            if (turn := read_message(message, place, said_at)) is not None
        ]
        name = given or f"{path.stem}-{_digest(said[0][1]) if said else 'empty'}"
        named[name] += 1
        if named[name] > 1:  # two dialogues of the file begin alike
            name = f"{name}-{named[name]}"
        # Version 0.1.0 named the only dialogue of a file after the file, and those of several with their number, too.
        former = [given] if given else [path.stem, f"{path.stem}-{number}"][0 if number == 0 else 1 :]
        yield Transcript(id=name, turns=tuple(_name_turns(name, said, former)))


def _name_turns(name: str, said: Sequence[tuple[int, Turn]], former: Sequence[str]) -> Iterator[Turn]:
    """The turns of a dialogue with their ids, its own and those of version 0.1.0 (name and position)."""
    seen: Counter[str] = Counter()
    before = None
    for position, turn in said:
        digest = _digest(turn, before)
        seen[digest] += 1
        earlier = [f"{one}/{one}\x1f{one}:{position}" for one in former]
        yield replace(turn, id=f"{name}:{digest}:{seen[digest]}", session=name, former=earlier)
        before = turn


def _digest(turn: Turn, before: Turn | None = None) -> str:
    parts = [[each.role, each.speaker, each.said_at, each.text] for each in (before, turn) if each is not None]
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=6).hexdigest()


def read_message(message: Any, place: str, said_at: str) -> Turn | None:
    """The turn of a message, without its ids.  None: it has no speaker or no text.  Raises: BadRequest."""
    if not isinstance(message, dict) or "role" not in message or not message.keys() & {"content", *_CALLS}:
        raise BadRequest(f"{place}: each message needs 'role' and 'content', as in {_CHATML_EXAMPLE}")
    role, content = message["role"], message.get("content")
    if role in _UNSPOKEN:
        return None
    if role not in _SPOKEN:
        raise BadRequest(f"{place}: role {role!r} is unknown: use one of {', '.join((*_SPOKEN, *_UNSPOKEN))}")
    text = _text_of(content, place)
    if is_blank(text):
        return None
    name = message.get("name") or ""
    if not isinstance(name, str):
        raise BadRequest(f"{place}: name {name!r:.40} is {type(name).__name__}: use a text, or leave it out")
    speaker = name or ("User" if role == "user" else "Assistant")
    return Turn(speaker=speaker, role=role, text=text, said_at=_read_timestamp(message.get("timestamp"), place) or said_at)


def _read_timestamp(value: Any, place: str) -> str:
    """ISO 8601 as it is, or Unix time in seconds or milliseconds; "" for none.  Raises: BadRequest."""
    if value is None or value == "":
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            seconds = value / 1000 if abs(value) >= LEAST_MILLISECONDS else value
            return format_time(datetime.fromtimestamp(seconds, UTC))
        except (ValueError, OverflowError, OSError):  # not a number, or beyond the years 1 to 9999
            pass
    elif isinstance(value, str) and parse_time(value) is not None:
        return value
    raise BadRequest(
        f"{place}: timestamp {str(value)[:40]!r} is not a time: write it as 2026-01-31T09:00:00Z or Unix time, or leave it out"
    )


def _text_of(content: Any, place: str) -> str:
    """Text of a message whose content is a string, a list of parts, or null.  Raises: BadRequest."""
    if isinstance(content, str):
        return content.strip()
    if content is not None and not isinstance(content, list):
        raise BadRequest(
            f"{place}: 'content' is {type(content).__name__}: use a text, or a list of parts with 'type' and 'text'"
        )
    parts = [part for part in content or () if isinstance(part, dict) and part.get("type") in _TEXT_PARTS]
    return " ".join(str(part.get("text") or "") for part in parts).strip()
