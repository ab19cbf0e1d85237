"""The MCP server: memory as tools, resources and prompts, over stdio (``stdio``) and over the HTTP listener (``http.mcp``).

Needs the extra ``mcp``.  Invariants:
- A tool calls the services through an ``Access``, which decides whose memory it is.  No tool takes a user.
- What a tool stores is the assistant's word, never the person's: it is recalled as such, and rules wait for a person.
- Memories in results are data.  Each item says whose word it is.
"""
