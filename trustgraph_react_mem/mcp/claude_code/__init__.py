"""Hooks of Claude Code: recall at the start of a session, capture of its transcript.  Needs no extra."""
