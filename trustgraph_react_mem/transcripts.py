"""Read dialogues from LoCoMo, LongMemEval and ChatML files, as turns and, if the file has them, questions.

A file of another format is rejected with the expected format.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from .errors import BadRequest
from .memory.timefmt import format_time
from .schema import Turn

TranscriptFormat = Literal["auto", "locomo", "longmemeval", "chatml"]
_LOCOMO_TIME = "%I:%M %p on %d %B, %Y"
_LONGMEMEVAL_TIMES = ("%Y/%m/%d (%a) %H:%M", "%Y/%m/%d %H:%M", "%Y/%m/%d")


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


def read_transcripts(path: Path | str, format: TranscriptFormat = "auto") -> list[Transcript]:
    """Raises: BadRequest (it says what is wrong with the file)."""
    path = Path(path)
    data = read_items(path)
    kind = _detect_format(data) if format == "auto" else format
    if kind is None:
        raise BadRequest(
            f"{path} is neither LoCoMo (a list of objects with 'conversation' and 'qa'), nor LongMemEval "
            "('haystack_sessions'), nor ChatML (objects with 'messages', or messages with 'role' and 'content')"
        )
    try:
        if kind == "locomo":
            return [_read_locomo(item, number) for number, item in enumerate(data)]
        if kind == "longmemeval":
            return [_read_longmemeval(item, number) for number, item in enumerate(data)]
        return list(_read_chatml(data, path.stem))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadRequest(f"{path} looks like {kind} but is malformed ({type(error).__name__}: {error})") from error


def read_items(path: Path) -> list[Any]:
    """The values of a JSON list, of a single JSON value, or of JSON Lines.  Raises: BadRequest."""
    try:
        raw = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadRequest(f"{path} does not exist: pass a LoCoMo, LongMemEval or ChatML file") from None
    except UnicodeDecodeError:
        raise BadRequest(f"{path} is not UTF-8 text: convert it first") from None
    try:
        data = json.loads(raw)
    except json.JSONDecodeError as whole:
        rows = []
        for number, line in enumerate(raw.splitlines(), 1):
            if line.strip():
                try:
                    rows.append(json.loads(line))
                except json.JSONDecodeError as error:
                    place = f"line {number}: {error.msg}" if rows else f"line {whole.lineno}: {whole.msg}"
                    raise BadRequest(f"{path} is neither JSON nor JSON Lines ({place})") from None
        data = rows
    return data if isinstance(data, list) else [data]


def _detect_format(data: Sequence[Any]) -> Literal["locomo", "longmemeval", "chatml"] | None:
    first = data[0] if data else None
    if not isinstance(first, dict):
        return None
    if "conversation" in first and "qa" in first:
        return "locomo"
    if "haystack_sessions" in first:
        return "longmemeval"
    if "messages" in first or {"role", "content"} <= set(first):
        return "chatml"
    return None


def _read_locomo(item: Mapping[str, Any], number: int) -> Transcript:
    conversation = item["conversation"]
    first_speaker = conversation.get("speaker_a", "")
    sessions = sorted((key for key in conversation if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
    turns = []
    for session in sessions:
        said_at = format_time(datetime.strptime(conversation[f"{session}_date_time"], _LOCOMO_TIME).replace(tzinfo=UTC))
        for turn in conversation[session]:
            text = turn.get("text", "").strip()
            if turn.get("blip_caption"):
                text = f"{text} [shared {turn['blip_caption']}]".strip()
            role = "user" if turn["speaker"] == first_speaker else "assistant"
            turns.append(
                Turn(id=turn["dia_id"], speaker=turn["speaker"], role=role, text=text, said_at=said_at, session=session)
            )
    return Transcript(id=str(item.get("sample_id") or f"locomo-{number}"), turns=tuple(turns))


def _read_longmemeval(item: Mapping[str, Any], number: int) -> Transcript:
    turns = []
    dates = item.get("haystack_dates") or [""] * len(item["haystack_sessions"])
    names = item.get("haystack_session_ids") or [str(i) for i in range(len(item["haystack_sessions"]))]
    for session, date, messages in zip(names, dates, item["haystack_sessions"], strict=True):
        for position, message in enumerate(messages):
            role = message["role"]
            speaker = "User" if role == "user" else "Assistant"
            turns.append(
                Turn(
                    id=f"{session}:{position}",
                    speaker=speaker,
                    role=role,
                    text=message["content"],
                    said_at=longmemeval_time(date),
                    session=session,
                )
            )
    return Transcript(id=str(item.get("question_id") or f"longmemeval-{number}"), turns=tuple(turns))


def _read_chatml(data: Sequence[Any], stem: str) -> Iterator[Transcript]:
    if data and isinstance(data[0], dict) and "messages" not in data[0]:
        data = [{"messages": list(data)}]
    for number, item in enumerate(data):
        name = str(item.get("id") or item.get("conversation_id") or (stem if len(data) == 1 else f"{stem}-{number}"))
        turns = []
        for position, message in enumerate(item["messages"]):
            role = message["role"]
            if role not in ("user", "assistant"):
                continue  # system and tool messages are not what a person said
            said_at = str(message.get("timestamp") or item.get("timestamp") or "")
            speaker = str(message.get("name") or ("User" if role == "user" else "Assistant"))
            text = _text_of(message["content"])
            if text:
                turns.append(
                    Turn(id=f"{name}:{position}", speaker=speaker, role=role, text=text, said_at=said_at, session=name)
                )
        yield Transcript(id=name, turns=tuple(turns))


def _text_of(content: Any) -> str:
    """Text of a message whose content is a string or a list of parts."""
    if isinstance(content, str):
        return content.strip()
    return " ".join(part["text"] for part in content or () if isinstance(part, dict) and part.get("type") == "text").strip()


def longmemeval_time(text: str) -> str:
    for form in _LONGMEMEVAL_TIMES:
        try:
            return format_time(datetime.strptime(text, form).replace(tzinfo=UTC))
        except ValueError:
            continue
    return text
