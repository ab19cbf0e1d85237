"""All commands, in their order."""

from . import changes, chat, install, jobs, keys, learn, mcp, memories, serve, settings, transfer, up, why
from .application import app

__all__ = ["app"]

#: Importing them registers their commands.
MODULES = (changes, chat, install, jobs, keys, learn, mcp, memories, serve, settings, transfer, up, why)

# As help and docs/cli.md show them, commands before groups.  Without it the order would be that of the imports.
ORDER = (
    *("chat", "ask", "why", "feedback", "undo", "rollback", "forget", "conversations", "switch", "export"),
    *("up", "serve", "ui", "doctor", "settings", "install", "uninstall"),
    *("memories", "import", "jobs", "learn", "keys", "mcp"),
)
app.registered_commands.sort(key=lambda command: ORDER.index(str(command.name)))
app.registered_groups.sort(key=lambda group: ORDER.index(str(group.name)))
