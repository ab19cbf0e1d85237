"""All seeded faults."""

from tests.mutants import erasure_faults, jobs_faults, learning_faults, stores_faults
from tests.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *jobs_faults.FAULTS,
    *stores_faults.FAULTS,
    *erasure_faults.FAULTS,
    *learning_faults.FAULTS,
)
