"""What a person said, in messages that programs put together: without the context that they add, and without their own tasks.

Sources: the prompts of Open WebUI (``config.py``, ``utils/task.py``), LibreChat (``titlePrompt``), Cline, Cursor, and the title
prompts of other chat programs.
"""

import re

from ....memory.text.markup import contents, opening, without
from .dialogue import Dialogue

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
