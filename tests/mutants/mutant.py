"""What a seeded fault is, and how it is put into a copy of the package."""

from dataclasses import dataclass
from pathlib import Path

PACKAGE = "trustgraph_react_mem"
SIMULATION = "simulation"  # a check "simulation FROM SEEDS" instead of the name of a test


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: ``old`` occurs exactly once in ``file`` and becomes ``new``.  At least one of ``checks`` must fail then.

    ``file``: below the package.  ``checks``: names of tests, or "simulation FROM SEEDS".  ``liveness``: the checks are about
    whether something ends, so a check that does not end has caught the fault.
    """

    name: str
    file: str
    old: str
    new: str
    checks: tuple[str, ...]
    liveness: bool = False

    def apply(self, root: Path) -> str:
        """Put the fault into the package below ``root``.  Returns the former text.  Raises ValueError (not exactly once)."""
        path = root / PACKAGE / self.file
        text = path.read_text("utf-8")
        if (times := text.count(self.old)) != 1:
            raise ValueError(f"{self.name}: the text to replace occurs {times} times in {self.file}, not once: {self.old!r}")
        path.write_text(text.replace(self.old, self.new), "utf-8")
        return text
