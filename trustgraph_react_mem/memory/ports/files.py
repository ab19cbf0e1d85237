"""Port for what the files of the engines still contain after an erasure."""

from collections.abc import Sequence
from typing import Protocol

from .base import JsonValue
from .jobs import Job


class ErasedFiles(Protocol):
    """Engines hide deleted text, but leave it in their files.  The files are rewritten some time after an erasure."""

    async def report(self, job: Job) -> JsonValue:
        """The erasure has removed its records.  Returns the line of its receipt for the files, which is updated later."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What cannot be removed from the files by force, as sentences for receipts."""
        ...

    @property
    def progress(self) -> str:
        """What is being rewritten, for people; "" if nothing is."""
        ...


class Rewritable(Protocol):
    """An engine whose files can be rewritten.  ``remains``: what may be left afterwards, as a sentence; "" if nothing."""

    @property
    def remains(self) -> str: ...

    async def rewrite(self) -> None: ...
