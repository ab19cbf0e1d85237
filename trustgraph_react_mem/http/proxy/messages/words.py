"""What a person said, in messages that programs put together: without the context that they add, and without their own tasks.

Sources: the prompts of Open WebUI (``config.py``, ``utils/task.py``), LibreChat (``titlePrompt``), Cline and Cursor.
"""

import re

from .dialogue import Dialogue

MOST_LEARNED = 100_000  # characters of a message or an answer that are learned from

_CONTEXT = "|".join(
    (
        "environment_details|file_content|file_contents|folder_content|attached_files?|additional_data|additional_context",
        "context|current_file|open_and_recently_viewed_files|user_info|project_layout|system[-_]reminder|url_content|source",
        "documents?|attachments?|terminal_output|git_diff|manually_attached_skills|rules|cursor_rules|chat_history",
    )
)
_ADDED = re.compile(rf"<(?P<tag>{_CONTEXT})(?:\s[^<>]{{0,400}})?>.*?</(?P=tag)>", re.DOTALL | re.IGNORECASE)
_SAID = re.compile(
    r"<(?P<tag>user_query|user_message|user_input|feedback|task)(?:\s[^<>]{0,400})?>(?P<said>.*?)</(?P=tag)>",
    re.DOTALL | re.IGNORECASE,
)
_BASE64 = re.compile(
    r"(?:data:[\w.+-]{1,60}/[\w.+-]{1,60};base64,[A-Za-z0-9+/=]*|[A-Za-z0-9+/]{512,}={0,2})(?:\r?\n[A-Za-z0-9+/=]{40,})*"
)
_BACKGROUND = re.compile(
    r"### Task:|\|\|>|you are an? (?:\w+ ){0,3}(?:title|tag|follow[- ]?up|summary|search query) generator"
    r"|(?:please |you should |your task is to )?(?:generate|create|write|give|provide|suggest|return|come up with|analy[sz]e"
    r"|based on|summari[sz]e)\b[^\n]{0,160}\b(?:conversation|chat|dialogue|thread|discussion|exchange)\b",
    re.IGNORECASE,
)
_ASKED_FOR = re.compile(r"\b(?:title|name|tags?|follow[- ]?ups?|emoji|search quer(?:y|ies)|autocompletion)\b", re.IGNORECASE)
_READ = 1500  # characters in which a task of a program names itself
TASK_HEADERS = ("X-OpenWebUI-Task", "X-Task")


def words_of_person(text: str) -> str:
    """The words of the person in a message: without added files and documents, and without encoded data.

    >>> words_of_person("<task>Fix the build</task><environment_details>ls: a b</environment_details>")
    'Fix the build'
    """
    said = "\n".join(found["said"] for found in _SAID.finditer(text))
    if said.strip():
        text = said
    elif text.lstrip().startswith("### Task:"):  # documents that Open WebUI puts before the message
        text = text.rpartition("</context>")[2] if "</context>" in text else ""
    return _BASE64.sub(" ", _ADDED.sub(" ", text)).strip()[:MOST_LEARNED]


def is_background(dialogue: Dialogue, task: str = "") -> bool:
    """Whether a program asks for itself: for a title, tags, follow-up questions or a search query.

    ``task``: of a header with which the client says so.
    """
    if task and "{{" not in task:
        return True
    asked = dialogue.question.text if dialogue.question else ""
    if asked.lstrip().startswith("### Task:"):
        return not words_of_person(asked)
    return any(_names_task(text) for text in (asked, dialogue.system))


def _names_task(text: str) -> bool:
    head = text.lstrip()[:_READ]
    found = _BACKGROUND.match(head)
    return found is not None and (head.startswith("||>") or _ASKED_FOR.search(head) is not None)
