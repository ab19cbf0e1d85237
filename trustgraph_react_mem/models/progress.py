"""How far a download is, for people and for logs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn, TransferSpeedColumn


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadProgress:
    """``note`` is a finished sentence for a person when something other than the count changed."""

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
    """Report to nobody."""


@contextmanager
def bars(console: Console | None = None) -> Iterator[Report]:
    """A progress bar per model on the terminal; on something that is no terminal, its notes only."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=console or Console(stderr=True),
    ) as progress:
        tasks: dict[str, TaskID] = {}

        def report(step: DownloadProgress) -> None:
            if step.note:
                progress.console.print(step.note)
            if not step.total_bytes:
                return
            if step.model not in tasks:
                tasks[step.model] = progress.add_task(step.model, total=step.total_bytes)
            progress.update(tasks[step.model], completed=step.done_bytes, total=step.total_bytes)

        yield report
