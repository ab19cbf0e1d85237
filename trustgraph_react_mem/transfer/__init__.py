"""A scope as lines of JSON and back.

``lines`` says what a line is, ``outward`` reads a scope into pages of lines, ``inward`` puts lines into a scope, ``files`` is
the frame around the lines of a whole file: its heading, and the end that tells whether it is all there.

Kept: conversations and their exchanges, facts of every status with every version and what is known of each change, relations,
what replaced what, episodes, what the ranking has learned with its log, switches.  Not kept: jobs.  What is derived is made
anew: vectors, keys, the index.  Ids, times, versions and provenance stay what they are, so that a scope read into an empty one
is written out again in the same lines, and reading lines twice is reading them once.
"""

from .exporter import ScopeExport
from .importer import ScopeImport

__all__ = ["ScopeExport", "ScopeImport"]
