"""Refinement for clients of MCP: the three tools, and what can be read of a session.

Invariants:
- A session belongs to the user and collection of the ``Access``.  Another user's session is not found.
- A step that the session does not allow is refused before a model is asked.
"""
