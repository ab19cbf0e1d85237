"""Registers the MCP server in other programs: in their configuration files, or in TrustGraph.

Needs no extra.  Invariants: other entries stay as they are; a file that cannot be read in full is not touched; no key is
written to a file, only the name of the variable that holds it.
"""
