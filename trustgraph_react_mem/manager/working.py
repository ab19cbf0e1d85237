"""Working memory: the newest entries of one manager, kept in the process only."""

from collections import deque
from uuid import uuid4

from ..indexing.tokenizer import terms
from ..learning.handlers.compact import local_summary
from ..memory.tokens import count_tokens
from .entries import MemoryEntry, format_entry

WORKING_ENTRIES = 50


class WorkingEntries:
    """At most ``most`` entries: adding another removes the oldest."""

    def __init__(self, most: int = WORKING_ENTRIES) -> None:
        self.most = most
        self._entries: deque[MemoryEntry] = deque(maxlen=most)

    def append(self, entry: MemoryEntry) -> None:
        self._entries.append(entry)

    def entries(self) -> list[MemoryEntry]:
        """A copy, oldest first."""
        return list(self._entries)

    def tokens(self) -> int:
        """Estimated number of tokens of all entries."""
        return sum(count_tokens(entry.content) for entry in self._entries)

    def search(self, query: str, limit: int) -> list[MemoryEntry]:
        """Search by words.  Entries with the same score are ordered newest first."""
        wanted, scored = set(terms(query)), []
        for place, entry in enumerate(self._entries):
            said = terms(f"{entry.content} {' '.join(entry.metadata.values())}")
            score = 2 * sum(term in wanted for term in said)
            score += sum(any(want in term for term in said) for want in wanted)
            if score:
                scored.append((score, place, entry))
        return [entry for _, _, entry in sorted(scored, key=lambda item: item[:2], reverse=True)[:limit]]

    def compact(self, keep_last: int, summarize_older: bool) -> int:
        """Replace all but the newest entries by one summary, or delete them.  Returns the number of entries replaced."""
        older = self.entries()[: max(0, len(self._entries) - keep_last)]
        newest = self.entries()[len(older) :]
        if not older:
            return 0
        self._entries.clear()
        if summarize_older:
            summary = local_summary([format_entry(entry) for entry in older])
            self._entries.append(
                MemoryEntry(id=str(uuid4()), content=summary, timestamp=older[-1].timestamp, metadata={"summary": "true"})
            )
        self._entries.extend(newest)
        return len(older)

    def clear(self) -> None:
        self._entries.clear()
