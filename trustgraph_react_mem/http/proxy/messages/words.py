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
_GENERATOR = re.compile(
    r"\|\|>|you are an? (?:[\w-]+ ){0,4}(?:title|tag|follow[- ]?up|summary|search query|suggestion|conversation|chat)s? "
    r"(?:generator|summari[sz]er)",
    re.IGNORECASE,
)
_WANTED = (
    r"(?:titles?|headlines?|tags|follow[- ]?up questions?|emojis?|search quer(?:y|ies)|titel|überschrift|titre|t[ií]tulo|titolo"
    r"|tytuł|заголовок|название|başlık)"
)
_HINTS = (
    *(
        "title",
        "headline",
        "tags",
        "follow",
        "emoji",
        "search quer",
        "summary",
        "description",
        "set of responses",
        "titel",
        "überschrift",
        "titre",
        "título",
        "titulo",
    ),
    *("titolo", "tytuł", "заголовок", "название", "başl", "name", "标题", "標題", "标签", "標籤", "タイトル", "題名", "見出し"),
    *("タグ", "제목", "태그"),
)
"""What ``_ASKS`` matches has one of these, in lower case.  Most texts have none, and looking for them is much faster."""
_TALK = (
    r"(?:(?:this|the|these|our(?! (?:last|latest|earlier|former|previous)\b)|following|above|given) (?:\w+ )?"
    r"(?:conversation|chat|dialogue|thread|discussion|exchange)"
    r"(?: history| transcript| log| session)?"
    r"(?=[^\S\n]*(?:[^\w\s]|\n|$|(?:in|with|without|using|by|based|as|so|that|and|above|below|between|from)\b))"
    r"|(?:dies|da|folgend|obig)\w* (?:\w+ )?(?:gespräch|unterhaltung|konversation|chat|dialog)"
    r"|(?:cette|la|notre|ce|cet) (?:conversation|discussion|échange|dialogue|chat)"
    r"|(?:est[ae]|la|siguiente|dest[ae]|da) (?:conversaci[oó]n|conversa|di[aá]logo|chat)\b"
    r"|(?:quest[ao]|la|seguente) (?:conversazione|chat|dialogo)|(?:dit|deze|het) (?:gesprek|conversatie|chat)"
    r"|(?:этого|этой|этот|данно\w+|следующ\w+) (?:разговор|бесед|диалог|чат|переписк)"
    r"|(?:tej|tę|ta|poniższ\w+) (?:rozmow|konwersacj)|bu (?:konuşma|sohbet))"
)
_ASKS = re.compile(
    rf"\b{_WANTED}\b[^.!?\n]{{0,100}}\b{_TALK}|\b{_TALK}[^.!?\n]{{0,100}}\b{_WANTED}\b"
    r"|\bthis (?:conversation|chat) a (?:\w+ )?name\b|\A(?:please )?name this (?:conversation|chat)\b"
    r"|\b(?:reply|respond|answer|return|output)\b[^.!?\n]{0,30}\bonly\b[^.!?\n]{0,30}\b(?:title|description)\b"
    r"|\Ayour task is to [^.!?\n]{0,80}\b(?:emojis?|(?:summary|title|tags) (?:of|for) (?:the|this|our) (?:conversation|chat))\b"
    r"|\A(?:analy[sz]e|read|review) (?:this|the following|the) (?:conversation|chat)\b[^.!?]{0,60}:[^!?]{0,120}\btitle\b"
    r"|\Ayou have been provided with a set of responses\b"
    r"|\Agiven the following conversation and a follow[- ]?up question"
    r"|(?:以下|上述|这段|這段|此|本次|该|該)[^。！？\n]{0,6}(?:对话|對話|聊天|会话)[^。！？\n]{0,40}(?:标题|標題|标签|標籤)"
    r"|(?:以下の|この|上記の|次の)(?:会話|チャット|対話)[^。！？\n]{0,40}(?:タイトル|題名|見出し|タグ)"
    r"|(?:이|다음|위)\s?(?:대화|채팅)[^.!?\n]{0,40}(?:제목|태그)",
    re.IGNORECASE,
)
_TALKS = r"(?:conversations?|chats?|dialogues?|threads?|discussions?|chat history|(?:first|this|user's) (?:message|request))"
# What a program wants to have made of a conversation, in the first sentence of its instructions.
_JOB = re.compile(
    rf"\b(?:titles?|headlines?|summar(?:y|i[sz]e|i[sz]ing))\b.{{0,120}}\b{_TALKS}\b"
    rf"|\b{_TALKS}\b.{{0,120}}\b(?:standalone question|new (?:conversation )?topic)\b",
    re.IGNORECASE,
)
# Before the job, it is what an assistant can do for a person.
_SERVES_PEOPLE = re.compile(
    r"\b(?:can|could|able to|helps? (?:\w+ ){0,2}?(?:people|users?|teams?|customers?|students?|developers?|me|us|them))\b",
    re.IGNORECASE,
)
_JOB_AFTER_ROLE = re.compile(
    rf"you (?:need to|will|must|are to)\b(?=[^.!?\n]{{0,100}}\b{_TALKS}\b)[^.!?\n]{{0,100}}\btitle\b", re.IGNORECASE
)
_CHOOSES_TOOLS = "your task is to choose and return the correct tool"
_FIRST_SENTENCE = re.compile(r"[^.!?。！？\n]*")
_QUESTION = re.compile(r"[^.!?。！？\n]*[?？]")
_READ = 400  # characters at the begin and at the end in which a task of a program names itself
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

    ``task``: of a header with which the client says so.
    """
    if task and "{{" not in task:
        return True
    asked = dialogue.question.text if dialogue.question else ""
    if asked.lstrip().startswith("### Task:"):
        return not words_of_person(asked)
    if asked.lstrip().startswith("### ") and "<chat_history>" in asked:
        return True
    return _asks_for_program(asked) or _instructs_program(dialogue.system)


def _asks_for_program(asked: str) -> bool:
    """The instruction stands before or after the conversation that it concerns.

    One question and nothing else is a person's, such as what the title was that they talked about: programs say how to answer.
    """
    text = asked.strip()
    if _QUESTION.fullmatch(text):
        return False
    return bool(_GENERATOR.match(text)) or any(map(_asks, {text[:_READ], text[-_READ:]}))


def _asks(text: str) -> bool:
    lowered = text.lower()
    return any(hint in lowered for hint in _HINTS) and _ASKS.search(text) is not None


def _instructs_program(system: str) -> bool:
    """Only the job counts, which the first sentence names, or the second one after a role: assistants for people are told, too,
    to suggest questions or titles.
    """
    text = system.lstrip()[:_READ]
    first = _FIRST_SENTENCE.match(text)[0]  # type: ignore[index]
    second = text[len(first) :].lstrip(" .\n")
    job = _JOB.search(first)
    return (
        bool(_GENERATOR.match(text) or _JOB_AFTER_ROLE.match(second))
        or (job is not None and not _SERVES_PEOPLE.search(first, 0, job.start()))
        or _asks(first)
        or _CHOOSES_TOOLS in system.lower()
    )
