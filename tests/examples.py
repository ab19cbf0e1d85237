"""How many examples a property runs with."""

import os

QUICK = bool(os.environ.get("TEST_QUICK"))
QUICK_EXAMPLES = 10


def examples(full: int) -> int:
    """``full``, but few in ``make test``; ``make test-all`` runs every property again in full."""
    return min(full, QUICK_EXAMPLES) if QUICK else full
