"""The arguments of a tool call that the tool itself does not have.

Some are expected: hosts add fields of their own to every call.  Any other one is a mistake, such as ``limits``, which would
change the answer if it were left out.
"""

from collections.abc import Collection, Mapping
from typing import Any

from ..errors import BadRequest

#: Added by hosts to calls of any tool: n8n; Gemini CLI; Cline; Cursor to tools without required arguments.
OF_HOSTS = frozenset(
    ("sessionId", "action", "chatInput", "toolCallId", "tool", "wait_for_previous", "task_progress", "random_string")
)
MOST_NAMED, MOST_NAME = 5, 60  # names and characters of one in a message


def settle(tool: str, given: Mapping[str, Any], known: Collection[str], required: Collection[str] = ()) -> dict[str, Any]:
    """The arguments that the tool has.  ``known``: their names.

    Null leaves an argument out, unless it is ``required``: hosts that make every argument of a tool required send it.

    Raises: BadRequest (an argument that is none of them).
    """
    given = {name: value for name, value in given.items() if value is not None or name in required}
    if unknown := given.keys() - set(known) - OF_HOSTS:
        names = ", ".join(repr(name[:MOST_NAME]) for name in sorted(unknown)[:MOST_NAMED])
        raise BadRequest(
            f"{tool} has no argument {names}: " + (f"use {', '.join(known)}" if known else "call it without arguments")
        )
    return {name: value for name, value in given.items() if name in known}
