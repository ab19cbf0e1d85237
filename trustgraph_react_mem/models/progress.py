"""Download progress, for people and for logs."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadProgress:
    """``note``: a sentence for people, if something other than the count changed."""

    model: str
    source: str = ""
    done_bytes: int = 0
    total_bytes: int = 0
    note: str = ""

    @property
    def percent(self) -> int:
        return 100 * self.done_bytes // self.total_bytes if self.total_bytes else 0

    def __str__(self) -> str:
        return self.note or f"fetching {self.model} from {self.source}: {self.percent} %"


Report = Callable[[DownloadProgress], None]


def silent(step: DownloadProgress) -> None:
    """Discard the report."""
