"""The arguments of a tool call that the tool itself does not have.

Some are expected: hosts add fields of their own to every call, and models send the arguments that the server whose tools have
these names documents (mem0-mcp-server 0.2).  Any other one is a mistake, such as ``limits``, which would change the answer if
it were left out.
"""

from collections.abc import Collection, Mapping
from typing import Any

from ..errors import BadRequest

#: Added by hosts to calls of any tool: n8n; Gemini CLI; Cline; Cursor to tools without required arguments.
OF_HOSTS = frozenset(
    ("sessionId", "action", "chatInput", "toolCallId", "tool", "wait_for_previous", "task_progress", "random_string")
)

#: Other names of a tool's arguments.  Of deletions only what cannot make them wider.
SYNONYMS: Mapping[str, Mapping[str, str]] = {
    "add_memory": {"text": "content", "run_id": "conversation_id"},
    "get_memories": {"page_size": "limit"},
    "get_memory": {"memory_id": "id"},
    "update_memory": {"memory_id": "id", "text": "content"},
    "delete_memory": {"memory_id": "id"},
}

#: Documented elsewhere and without a counterpart here.  The answer says that they had no effect.
WITHOUT_EFFECT: Mapping[str, frozenset[str]] = {
    "add_memory": frozenset(("user_id", "agent_id", "app_id", "enable_graph")),
    "search_memories": frozenset(("filters", "enable_graph")),
    "get_memories": frozenset(("filters", "page", "enable_graph")),
}
MOST_NAMED, MOST_NAME = 5, 60  # names and characters of one in a message


def settle(
    tool: str, given: Mapping[str, Any], known: Collection[str], required: Collection[str] = ()
) -> tuple[dict[str, Any], list[str]]:
    """The arguments under the tool's own names, and the names of those without effect.  ``known``: the tool's own names.

    Null leaves an argument out, unless it is ``required``: hosts that make every argument of a tool required send it.

    Raises: BadRequest (an argument that is none of them).
    """
    given = {name: value for name, value in given.items() if value is not None or name in required}
    settled = {name: value for name, value in given.items() if name in known}
    ignored, unknown = list[str](), list[str]()
    for name in given.keys() - settled.keys() - OF_HOSTS:
        own = SYNONYMS.get(tool, {}).get(name)
        if own is not None and own not in given:
            settled[own] = given[name]
        elif name in WITHOUT_EFFECT.get(tool, ()):
            ignored.append(name)
        else:
            unknown.append(name)
    if unknown:
        names = ", ".join(repr(name[:MOST_NAME]) for name in sorted(unknown)[:MOST_NAMED])
        raise BadRequest(
            f"{tool} has no argument {names}: " + (f"use {', '.join(known)}" if known else "call it without arguments")
        )
    return settled, sorted(ignored)
