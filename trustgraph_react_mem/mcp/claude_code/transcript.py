"""Reads the transcript of a Claude Code session: one JSON object a line.

Source: Claude Code's hooks reference (``transcript_path``); the lines are those that version 2 writes.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...memory.text.markup import opening, without

MOST_BYTES = 8_000_000  # from the end of the file
MOST_MESSAGES = 200
MOST_CHARS = 20_000  # of one message
_ADDED = opening("system-reminder|ide_[a-z_]{1,40}")  # by the program, not by the person
_BY_PROGRAM = (
    "<command-",
    "<local-command-",
    "<bash-",
    "<task-notification",
    "Caveat: The messages below",
    "[Request interrupted",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    id: str
    role: Literal["user", "assistant"]
    text: str
    at: str


def read_transcript(path: Path) -> list[Message]:
    """The newest messages, oldest first: prompts of the person and texts of the assistant, without tools and subagents.

    Raises: OSError.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - MOST_BYTES))
        lines = file.read(MOST_BYTES).decode("utf-8", "replace").split("\n")  # a JSON text may hold other line separators
    return list(_messages(lines if size <= MOST_BYTES else lines[1:]))[-MOST_MESSAGES:]


def _messages(lines: list[str]) -> Iterator[Message]:
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue  # the last line may still be being written
        if not isinstance(entry, dict) or entry.get("isSidechain") or entry.get("isMeta") or entry.get("isCompactSummary"):
            continue
        role, inner = entry.get("type"), entry.get("message")
        if role not in ("user", "assistant") or not isinstance(inner, dict) or inner.get("role") != role:
            continue
        text = _text(inner.get("content"), by_user=role == "user")
        if text and isinstance(entry.get("uuid"), str):
            at = entry.get("timestamp")
            yield Message(id=entry["uuid"][:100], role=role, text=text[:MOST_CHARS], at=at if isinstance(at, str) else "")


def _text(content: Any, *, by_user: bool) -> str:
    """Of the text blocks.  A user's entry with a tool's result is the tool's."""
    blocks = [content] if isinstance(content, str) else content if isinstance(content, list) else []
    if any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks):
        return ""
    texts = [block if isinstance(block, str) else block.get("text") for block in blocks if _is_text(block)]
    joined = "\n".join(text for text in texts if isinstance(text, str))
    if not by_user:
        return joined.strip()
    said = without(joined, _ADDED).strip()
    return "" if said.startswith(_BY_PROGRAM) else said


def _is_text(block: Any) -> bool:
    return isinstance(block, str) or (isinstance(block, dict) and block.get("type") == "text")
