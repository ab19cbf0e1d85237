"""The dialogue in a request body, of chat completions or of the Responses API, as lines of text, and what of it a person said.

Programs put messages together: what counts are the words of the person, without the context that programs add, and without
their own tasks.

Sources: openai-python 3.54, ``types/chat/chat_completion_message_param.py`` and
``types/responses/response_input_item_param.py``; the prompts of Open WebUI (``config.py``, ``utils/task.py``), LibreChat
(``titlePrompt``), Cline, Cursor, and the title prompts of other chat programs.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...memory.json_object import json_type
from ...memory.text.markup import contents, opening, without
from .errors import ProxyError

Role = Literal["system", "user", "assistant", "tool"]
ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
TEXT_PARTS = ("text", "input_text", "output_text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message.  ``text``: its text parts; images, sound and files are left out.  ``place``: its index in the body."""

    role: Role
    text: str
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    lines: tuple[Line, ...]

    @property
    def system(self) -> str:
        return "\n\n".join(line.text for line in self.lines if line.role == "system" and line.text)

    @property
    def question(self) -> Line | None:
        """The last message of the user."""
        return next((line for line in reversed(self.lines) if line.role == "user"), None)

    @property
    def before(self) -> tuple[Line, ...]:
        """What the user and the assistant said before the question."""
        asked = self.question
        said = [line for line in self.lines if line.role in ("user", "assistant") and line.text]
        return tuple(line for line in said if asked is None or line.place < asked.place)

    @property
    def opening(self) -> str:
        """The first message of the user."""
        return next((line.text for line in self.lines if line.role == "user"), "")


def read_messages(messages: object) -> Dialogue:
    """The dialogue of chat completions.  Raises: ProxyError (not a list of messages, or a message without a known role)."""
    if not isinstance(messages, list) or not messages:
        raise ProxyError("messages must be a list of at least one message", param="messages")
    return read_items(messages, "messages")


def read_items(items: Sequence[object], where: str = "input", instructions: object = None) -> Dialogue:
    """The dialogue of messages, or of the items of the Responses API.  Raises: ProxyError."""
    lines = [Line(role="system", text=instructions, place=-1)] if isinstance(instructions, str) and instructions else []
    for place, item in enumerate(items):
        if not isinstance(item, Mapping):
            raise ProxyError(f"{where}[{place}] must be an object, not {json_type(item)}", param=f"{where}[{place}]")
        if "role" in item or item.get("type", "message") == "message":
            lines.append(_message(item, place, f"{where}[{place}]"))
        elif str(item.get("type")).endswith("_output"):
            lines.append(Line(role="tool", text="", place=place))
    return Dialogue(lines=tuple(lines))


def _message(message: Mapping[str, Any], place: int, where: str) -> Line:
    role = ROLES.get(str(message.get("role")))
    if role is None:
        raise ProxyError(
            f"{where}.role is {str(message.get('role'))[:40]!r}: use one of {', '.join(ROLES)}", param=f"{where}.role"
        )
    return Line(role=role, text=text_of(message.get("content"), f"{where}.content"), place=place)


def text_of(content: object, where: str = "content") -> str:
    """The text of a message's content, which is a text, a list of parts, or absent.  Raises: ProxyError."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise ProxyError(f"{where} must be a text or a list of parts, not {json_type(content)}", param=where)
    parts = [each for each in content if isinstance(each, Mapping) and each.get("type", "text") in TEXT_PARTS]
    return "\n".join(str(part.get("text") or "") for part in parts)


MOST_LEARNED = 100_000  # characters of a message or an answer that are learned from

_CONTEXT = (
    "environment_details|file_content|file_contents|folder_content|attached_files?|additional_data|additional_context|context"
    "|current_file|open_and_recently_viewed_files|user_info|project_layout|system[-_]reminder|url_content|source|documents?"
    "|attachments?|terminal_output|git_diff|manually_attached_skills|rules|cursor_rules|chat_history"
    "|recalled_memories"  # what this proxy inserts
)
_ADDED_BEGINS, _SAID_BEGINS = opening(_CONTEXT), opening("user_query|user_message|user_input|feedback|task")
_BASE64 = re.compile(
    r"(?:data:[\w.+-]{1,60}/[\w.+-]{1,60};base64,[A-Za-z0-9+/=]*|[A-Za-z0-9+/]{512,}={0,2})(?:\r?\n[A-Za-z0-9+/=]{40,})*"
)
#: How the requests begin in which a program asks for a title, tags or a question for itself.
_TASKS = (
    "Provide a concise, 5-word-or-less title for the conversation",  # LibreChat
    "Please generate a concise, 5-word-or-less title for the conversation",  # LibreChat, earlier
    "Generate a concise 3-7 word title for this conversation",  # other chat programs
    "Given the following conversation and a follow up question, rephrase",  # LangChain
    "Given a conversation (between Human and Assistant) and a follow up message",  # LlamaIndex
)
#: How the instructions of such a request begin.
_INSTRUCTIONS = (
    "You are a title generator. You output ONLY a thread title.",  # opencode
    "Summarize this coding conversation in under 50 characters.",  # Claude Code
    "Analyze if this message indicates a new conversation topic.",  # Claude Code
    "Given a chat history and the latest user question",  # LangChain
)
TASK_HEADERS = ("X-OpenWebUI-Task", "X-Task")


def words_of_person(text: str) -> str:
    """The words of the person in a message: without added files and documents, and without encoded data.

    >>> words_of_person("<task>Fix the build</task><environment_details>ls: a b</environment_details>")
    'Fix the build'
    """
    said = "\n".join(contents(text, _SAID_BEGINS))
    if said.strip():
        text = said
    elif text.lstrip().startswith("### Task:"):  # documents that Open WebUI puts before the message
        text = text.rpartition("</context>")[2] if "</context>" in text else ""
    return _BASE64.sub(" ", without(text, _ADDED_BEGINS, " ")).strip()[:MOST_LEARNED]


def is_background(dialogue: Dialogue, task: str = "") -> bool:
    """Whether a program asks for itself: for a title, tags, follow-up questions or a search query.

    ``task``: of a header with which the client says so.  Without it, only the fixed texts of known programs count.
    """
    if task and "{{" not in task:
        return True
    asked = dialogue.question.text.lstrip() if dialogue.question else ""
    if asked.startswith("### "):  # Open WebUI
        return "<chat_history>" in asked or (asked.startswith("### Task:") and not words_of_person(asked))
    return asked.startswith(_TASKS) or dialogue.system.lstrip().startswith(_INSTRUCTIONS)
