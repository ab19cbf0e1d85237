"""Registers the MCP server in other programs: their configuration files (``clients``, ``files``), or TrustGraph (``trustgraph``).

Needs no extra.  Invariants: other entries stay as they are; a file that cannot be read in full is not touched; no key is
written to a file, only the name of the variable that holds it.
"""
