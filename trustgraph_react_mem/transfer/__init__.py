"""Export and import of a scope as JSON lines.

``lines`` defines the line format, ``exporter`` reads a scope into pages of lines, ``importer`` writes lines into a scope, and
``files`` adds a header and a trailer with a checksum to an exported file.

Exported: conversations with their invocations, facts of every status with their histories, supersessions,
episodes, ranking weights with the reward log, and switches.  Jobs are not exported.  Derived data (vectors, encryption keys,
the index) is created again by the import.

Invariants: ids, times, versions and provenance are preserved, so exporting an import into an empty scope gives the same lines.
Importing the same lines twice has the effect of importing them once.
"""

from .exporter import ScopeExport
from .importer import ScopeImport

__all__ = ["ScopeExport", "ScopeImport"]
